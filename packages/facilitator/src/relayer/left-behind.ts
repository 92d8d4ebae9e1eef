/**
 * Wallets that were taken out of the configuration, or whose process is gone for good, while their
 * transactions carry open payments. What was signed needs no key to be sent again, so whoever runs
 * sends it, and follows it to its end. Nothing new is signed for them.
 */
import type { Address } from "@farthing/protocol";
import type { Clock } from "../base/clock.ts";
import { messageOf } from "../base/fault.ts";
import type { Log } from "../base/log.ts";
import type { Chain } from "../chain/chain.ts";
import { readTransactionCount } from "../chain/reads.ts";
import type { CarryingWallet, Store } from "../storage/store.ts";
import { broadcast } from "./broadcast.ts";
import { closeSlot } from "./close-slot.ts";
import { isFree, type LeaseOwner } from "./lease.ts";
import { addTo, newestOf, type Slot } from "./slot.ts";
import { lookAtUsedNonces, type NonceEvents } from "./used-nonces.ts";

/** Pause between looks for them: five blocks. While there are none, a look is one statement. */
const lookMs = 10_000;

/** Transactions that are sent again in one look: as many as XDC's nodes take beyond a wallet's count. */
const sentMax = 8;

/** What helping them needs. */
export interface LeftBehindDeps {
  readonly chain: Chain;
  readonly store: Pick<
    Store,
    "listCarryingWallets" | "listOpenTransactions" | "closeTransactions" | "recordSent"
  >;
  readonly clock: Clock;
  readonly log: Log;
  readonly owner: LeaseOwner;
  readonly events: NonceEvents;
  /** The wallets that this process is configured with. */
  readonly addresses: readonly Address[];
  headNumber(): number;
  finalizedNumber(): number;
}

/** Begins to look for them, at once and now and then. */
export function startLeftBehind(deps: LeftBehindDeps): { stop(): Promise<void> } {
  const { chain, store, clock, log } = deps;
  const { chainId } = chain.network;
  const configured = new Set(deps.addresses.map((address) => address.toLowerCase()));
  const told = new Set<string>();
  const stopping = new AbortController();

  async function look(): Promise<void> {
    const carrying = await store.listCarryingWallets(chainId, clock.nowMs());
    for (const one of carrying) {
      if (configured.has(one.wallet.toLowerCase()) || !isFree(one.holder, deps.owner)) continue;
      tell(one);
      await help(one.wallet);
    }
  }

  function tell({ wallet, settlements, oldestAt }: CarryingWallet): void {
    if (told.has(wallet)) return;
    told.add(wallet);
    const oldestSeconds = Math.round((clock.nowMs() - oldestAt) / 1_000);
    const fields = { chainId, relayer: wallet, settlements, oldestSeconds };
    log.warn(
      { event: "wallet_left_behind", ...fields },
      "Relayer wallet carries open settlements and is not configured; what it has signed is sent again, and nothing new is signed",
    );
  }

  async function help(wallet: Address): Promise<void> {
    const slots = new Map<number, Slot>();
    for (const transaction of await store.listOpenTransactions(chainId, wallet)) {
      if (transaction.raw === null) continue;
      addTo(slots, transaction, { headNumber: deps.headNumber(), mayBeOut: true });
    }
    const count = await readTransactionCount(chain, wallet);
    const lane = {
      signer: { address: wallet },
      slots: () => [...slots.values()].toSorted((one, other) => one.nonce - other.nonce),
      // Its counter is that of whoever has the key.
      raiseNonce: async () => undefined,
      close: (slot: Slot, mined: Parameters<typeof closeSlot>[2]) => closeSlot(store, slot, mined),
    };
    await lookAtUsedNonces(lane, { number: deps.headNumber(), count }, deps);
    const waiting = lane.slots().filter(({ isUsedUp }) => !isUsedUp);
    await send(waiting.slice(0, sentMax).map(newestOf));
  }

  async function send(transactions: readonly ReturnType<typeof newestOf>[]): Promise<void> {
    if (transactions.length === 0) return;
    for (const { index } of chain.endpoints) {
      const outcomes = await broadcast(chain, index, transactions, log);
      const accepted = transactions.filter((_, at) => outcomes[at] === "accepted");
      await store.recordSent(
        accepted.map(({ id }) => id),
        clock.nowMs(),
      );
    }
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await look();
      } catch (error) {
        log.warn(
          { event: "left_behind_not_looked_at", chainId, problem: messageOf(error) },
          "Wallets left behind could not be looked at; retrying in some seconds",
        );
      }
      await clock.sleep(lookMs, stopping.signal);
    }
  }

  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
