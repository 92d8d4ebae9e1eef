/** Whether a payment may be refused now for what the chain says. */
import { createBatcher } from "../base/batcher.ts";
import type { Clock } from "../base/clock.ts";
import { Fault } from "../base/fault.ts";
import type { Chain } from "../chain/endpoints/chain.ts";
import type { WalletLeaseStore } from "../storage/engine-store.ts";
import type { NonceManager } from "./wallet-nonces.ts";

/** Refusals of one question to the store, and those that may wait for one. */
const lookups = { itemsMax: 1_000, inFlightMax: 1, waitingMax: 10_000 };

interface CheckRefusalDeps {
  readonly chain: Chain;
  readonly clock: Clock;
  readonly store: Pick<WalletLeaseStore, "findWalletHolders">;
  readonly managers: readonly Pick<NonceManager, "signer" | "nextNonce" | "mayMineLost">[];
}

/**
 * Returns what throws `storage_behind` while a block may still contain a transaction that the database has
 * lost: it may make the payment that is about to be refused, and a caller who is refused signs another one.
 */
export function createCheckRefusal(deps: CheckRefusalDeps): () => Promise<void> {
  const { chain, clock, store, managers } = deps;
  const wallets = managers.map(({ signer }) => signer.address);
  const mayMineLost = createBatcher<null, boolean>({
    ...lookups,
    async run(asked) {
      // Before the read, as for leases.
      const known = managers.map((manager) => manager.nextNonce());
      const holders = await store.findWalletHolders(chain.network.chainId, wallets, clock.nowMs());
      const open = await Promise.all(
        managers.map((one, index) => one.mayMineLost(holders[index], known[index] ?? 0)),
      );
      return asked.map(() => open.includes(true));
    },
  });
  return async () => {
    if (await mayMineLost(null)) {
      throw new Fault("storage_behind", "A block may contain a transaction the database has lost");
    }
  };
}
