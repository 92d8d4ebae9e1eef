/** The signed bytes of transactions: stored before they are sent, and missed where a failover has lost them. */
import type { Runtime } from "../base/log.ts";
import type { RelayerTransaction, WalletLease } from "../model/relayer-transaction.ts";
import type { EngineStore } from "../storage/engine-store.ts";

/**
 * Throws what the database says. Bytes that it has already are dropped before: they would be refused
 * again each time that the wallet is loaded, and no transaction of the wallet would be sent any more.
 */
export async function recordSigned(
  { store, clock, log }: Pick<Runtime, "clock" | "log"> & { readonly store: EngineStore },
  facts: object,
  held: WalletLease,
  rows: Parameters<EngineStore["recordSigned"]>[1],
) {
  try {
    return await store.recordSigned(held, rows, clock.nowMs());
  } catch (error) {
    const dropped = await store.dropRepeats(held, rows, clock.nowMs()).catch(() => 0);
    if (dropped > 0) {
      const fields = { event: "repeated_bytes_dropped", ...facts, transactions: dropped };
      log.warn(fields, "Transactions dropped that repeat the bytes of stored ones");
    }
    throw error;
  }
}

/**
 * Tells whether transactions have no bytes at two looks, one after the other. At one they may be being
 * signed in this process; later it is a failover that has lost the bytes.
 */
export function watchBytes() {
  let before: ReadonlySet<number> = new Set();
  return (open: readonly RelayerTransaction[]): boolean => {
    const bare = open.filter(({ raw }) => raw === null).map(({ id }) => id);
    const stay = bare.some((id) => before.has(id));
    before = new Set(bare);
    return stay;
  };
}
