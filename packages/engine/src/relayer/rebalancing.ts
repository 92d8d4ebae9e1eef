/**
 * How processes on one database share wallets. Each takes what is free, and asks whoever has most
 * for one as long as that one has at least two more than itself. So all soon have about as many,
 * nothing is given away unasked, and then nothing moves any more. While there are fewer wallets
 * than processes some have none: their claims are shared out among those that have.
 */
import type { Clock } from "../base/clock.ts";
import { messageOf } from "../base/fault.ts";
import type { Log } from "../base/log.ts";
import type { Address, ChainId } from "@farthing/protocol";
import type { WalletHolder, WalletLeaseStore } from "../storage/engine-store.ts";
import type { NonceManager } from "./wallet-nonces.ts";
import { isFree, lostLeaseMs, type LeaseOwner } from "./lease.ts";

/** A wallet and the process that has it, or is to have it next. */
export interface Holding {
  readonly wallet: Address;
  readonly holder: string;
  /** On its way to another process: nobody else can ask for it. */
  readonly isPromised: boolean;
}

/**
 * The wallets that a process asks for, with those that have them. In one order whoever asks, so
 * that two who ask at once name the same ones and only the first of them gets its wish.
 */
export function walletsToAskFor(holdings: readonly Holding[], self: string): Holding[] {
  const counts = new Map([[self, 0]]);
  for (const { holder } of holdings) counts.set(holder, (counts.get(holder) ?? 0) + 1);
  const countOf = (holder: string) => counts.get(holder) ?? 0;
  const asked: Holding[] = [];
  for (;;) {
    const next = holdings
      .filter((holding) => !holding.isPromised && !asked.includes(holding))
      .reduce<Holding | undefined>(
        (best, one) => (best && countOf(best.holder) >= countOf(one.holder) ? best : one),
        undefined,
      );
    if (!next || countOf(next.holder) - countOf(self) < 2) return asked;
    asked.push(next);
    counts.set(next.holder, countOf(next.holder) - 1);
    counts.set(self, countOf(self) + 1);
  }
}

/** A process's part in sharing the wallets of a network. */
export interface LaneShare {
  /** Keeps its wallets, takes free ones, gives and asks. Called now and then. */
  look(): Promise<void>;
  /** Wallets that other processes worked at the last look. */
  elsewhere(): number;
  /** Whether what a process without wallets has claimed is for this one to carry. */
  isFor(settlementId: string): boolean;
  /** Gives everything back, once the lanes have stopped. */
  stop(): Promise<void>;
}

/** Creates it. */
export function createLaneShare(deps: {
  readonly store: Pick<
    WalletLeaseStore,
    "findWalletHolders" | "shortenLostLeases" | "askForWallet" | "releaseWallets"
  >;
  readonly clock: Clock;
  readonly log: Log;
  readonly owner: LeaseOwner;
  readonly chainId: ChainId;
  readonly lanes: readonly NonceManager[];
}): LaneShare {
  const { store, clock, log, owner, chainId, lanes } = deps;
  const wallets = lanes.map(({ signer }) => signer.address);
  /** Who worked each wallet that was worked at all, at the last look. */
  let workers: readonly string[] = [];

  async function look(): Promise<void> {
    try {
      const now = clock.nowMs();
      await store.shortenLostLeases(chainId, { toMs: lostLeaseMs, now });
      const holders = await store.findWalletHolders(chainId, wallets, now);
      await Promise.all(lanes.map((lane, index) => lane.keep(holders[index])));
      workers = lanes.flatMap((lane, index) => workerOf(lane, holders[index]) ?? []);
      const holdings = lanes.flatMap((lane, index) => holdingOf(lane, holders[index]) ?? []);
      for (const { wallet, holder } of walletsToAskFor(holdings, owner.id)) {
        await store.askForWallet(chainId, wallet, { holder, owner: owner.id });
      }
    } catch (error) {
      log.warn({ chainId, problem: messageOf(error) }, "Could not share the relayer wallets");
    }
  }

  function workerOf(lane: NonceManager, holder: WalletHolder | undefined): string | undefined {
    if (lane.isOurs()) return owner.id;
    return holder?.owner && !isFree(holder, owner) ? holder.owner : undefined;
  }

  function holdingOf(lane: NonceManager, holder: WalletHolder | undefined): Holding | undefined {
    const worker = workerOf(lane, holder);
    const wantedBy = holder?.wantedBy ?? undefined;
    const isPromised = wantedBy !== undefined;
    if (worker === undefined) return undefined;
    return { wallet: lane.signer.address, holder: wantedBy ?? worker, isPromised };
  }

  return {
    look,
    elsewhere: () => workers.filter((worker) => worker !== owner.id).length,
    isFor(settlementId) {
      const each = [...new Set(workers)].toSorted();
      return each[lotOf(settlementId) % each.length] === owner.id;
    },
    stop: () => store.releaseWallets(chainId, owner.id),
  };
}

/** A number that is the same in every process; ids end in random hexadecimal digits. */
function lotOf(settlementId: string): number {
  return Number.parseInt(settlementId.slice(-8), 16) || 0;
}
