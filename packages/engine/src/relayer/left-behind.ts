/**
 * Wallets that were taken out of the configuration, or whose process is gone for good, while their
 * transactions carry open payments. What was signed needs no key to be sent again, so whoever runs
 * sends it, and follows it to its end. Nothing new is signed for them.
 */
import type { Address } from "@farthing/protocol";
import { backOffMs, type BackOffBounds } from "../base/back-off.ts";
import { steadyClockOf, type Clock } from "../base/clock.ts";
import { messageOf } from "../base/fault.ts";
import type { Log } from "../base/log.ts";
import type { Chain } from "../chain/chain.ts";
import { readTransactionCount } from "../chain/reads.ts";
import type { RelayerTransaction } from "../model/relayer-transaction.ts";
import type { CarryingWallet, EngineStore } from "../storage/engine-store.ts";
import { broadcast } from "./broadcast.ts";
import { closeSlot } from "./close-slot.ts";
import { isFree, type LeaseOwner } from "./lease.ts";
import { addTo, newestOf, type Slot } from "./pending-nonce.ts";
import { lookAtUsedNonces, type NonceEvents } from "./used-nonces.ts";

/** Pause between looks for them: five blocks. While there are none, a look is one statement. */
const lookMs = 10_000;

/**
 * Pause of a wallet after its node was asked in vain: it did not answer, or nothing of what was sent
 * was mined. A node that is away is asked as seldom as once in five minutes for each wallet.
 */
const vainPause: BackOffBounds = { minMs: lookMs, maxMs: 300_000 };

/** Transactions that are sent again in one look: as many as XDC's nodes take beyond a wallet's count. */
const sentMax = 8;

/** What helping them needs. */
export interface LeftBehindDeps {
  readonly chain: Chain;
  readonly store: Pick<
    EngineStore,
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

/** A wallet that was helped before, and in vain the last few times. */
interface Helped {
  readonly failures: number;
  readonly againAtMs: number;
  /** How far its transactions had got, and the endpoint that they were sent to. */
  readonly progress: string;
  readonly endpoint: number;
}

/** Begins to look for them, at once and now and then. */
export function startLeftBehind(deps: LeftBehindDeps): { stop(): Promise<void> } {
  const { chain, store, clock, log } = deps;
  const { chainId } = chain.network;
  const configured = new Set(deps.addresses.map((address) => address.toLowerCase()));
  const steady = steadyClockOf(clock);
  const told = new Set<string>();
  const helped = new Map<Address, Helped>();
  const stopping = new AbortController();

  async function look(): Promise<void> {
    const carrying = await store.listCarryingWallets(chainId, clock.nowMs());
    const left = carrying.filter(
      ({ wallet, holder }) => !configured.has(wallet.toLowerCase()) && isFree(holder, deps.owner),
    );
    const wallets = new Set(left.map(({ wallet }) => wallet));
    for (const wallet of helped.keys()) if (!wallets.has(wallet)) helped.delete(wallet);
    for (const one of left) {
      tell(one);
      if ((helped.get(one.wallet)?.againAtMs ?? 0) <= steady.nowMs()) await tryToHelp(one.wallet);
    }
  }

  async function tryToHelp(wallet: Address): Promise<void> {
    const before = helped.get(wallet);
    const endpoint = ((before?.endpoint ?? -1) + 1) % chain.endpoints.length;
    let progress = before?.progress ?? "";
    try {
      progress = await help(wallet, endpoint);
    } catch (error) {
      sayFailed(error);
    }
    const failures = progress === before?.progress ? before.failures + 1 : 1;
    const againAtMs = steady.nowMs() + backOffMs(failures, vainPause);
    helped.set(wallet, { failures, againAtMs, progress, endpoint });
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

  /** Closes what is used, and sends the rest to an endpoint. Returns how far they have got. */
  async function help(wallet: Address, endpoint: number): Promise<string> {
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
    const transactions = waiting.slice(0, sentMax).map(newestOf);
    await send(transactions, endpoint);
    return [count, ...transactions.map(({ id }) => id)].join();
  }

  /** Each time to another endpoint: one that took them has them, and one that is away may come back. */
  async function send(transactions: readonly RelayerTransaction[], at: number): Promise<void> {
    const index = chain.endpoints[at]?.index;
    if (transactions.length === 0 || index === undefined) return;
    const outcomes = await broadcast(chain, index, transactions, log);
    const accepted = transactions.filter((_, place) => outcomes[place] === "accepted");
    await store.recordSent(
      accepted.map(({ id }) => id),
      clock.nowMs(),
    );
  }

  function sayFailed(error: unknown): void {
    log.warn(
      { event: "left_behind_not_looked_at", chainId, problem: messageOf(error) },
      "Wallets left behind could not be looked at; retrying later",
    );
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await look();
      } catch (error) {
        sayFailed(error);
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
