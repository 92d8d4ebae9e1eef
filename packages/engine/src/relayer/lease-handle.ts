/**
 * A process's hold on a wallet: taken when the wallet is free, renewed, given to a process that
 * has fewer, or lost to one that took us for dead. Every write names the lease, so that a former
 * holder writes nothing.
 */
import type { Address, ChainId } from "@farthing/protocol";
import { steadyClockOf, type Clock } from "../base/clock.ts";
import { Fault } from "../base/fault.ts";
import type { Log } from "../base/log.ts";
import type { WalletLease } from "../model/relayer-transaction.ts";
import type { WalletHolder, WalletLeaseStore } from "../storage/engine-store.ts";
import { leaseMs, leaseRenewMs, type LeaseOwner } from "./lease.ts";

/**
 * How long a wallet that is promised may finish what is on its way: five blocks. The next holder
 * goes on with whatever is left, as after a crash.
 */
const drainMs = 10_000;

/** A hold. */
export interface LaneHold {
  /** The lease, while this process has one. */
  lease(): WalletLease | undefined;
  /** Whether another process is about to get the wallet: no new work then. */
  isPromised(): boolean;
  /**
   * Renews the lease when it is time to, or gives the wallet to whoever has asked for it.
   * `isIdle`: nothing of the wallet is on its way.
   */
  keep(wantedBy: string | null, isIdle: boolean): Promise<void>;
  /** Takes the wallet if nobody else works it. The next nonce is at least `nonceFloor`. */
  take(nonceFloor: number, holder?: WalletHolder): Promise<WalletLease | undefined>;
  /** Runs a step under the lease, and lets go of the wallet when the step finds it lost. */
  losing<T>(step: () => Promise<T>): Promise<T>;
  /** Lets go without a word: whoever stops the process gives its leases back. */
  drop(): void;
}

/** Creates the hold on a wallet; nothing is taken yet. */
export function createLaneHold(deps: {
  readonly store: Pick<WalletLeaseStore, "takeWalletLease" | "renewWalletLease" | "handOverWallet">;
  readonly clock: Clock;
  readonly log: Log;
  readonly owner: LeaseOwner;
  readonly chainId: ChainId;
  readonly relayer: Address;
  /** Told when the wallet is another process's. */
  onGone(): void;
}): LaneHold {
  const { store, clock, log, owner, chainId, relayer } = deps;
  /** For what lasts; leases end by the time of day, which processes share. */
  const steady = steadyClockOf(clock);
  const facts = { chainId, relayer };
  let lease: WalletLease | undefined;
  let renewedAt = 0;
  let promisedAt: number | undefined;

  function drop(): void {
    lease = undefined;
    promisedAt = undefined;
    deps.onGone();
  }

  function lose(): void {
    log.warn(facts, "Relayer wallet is now worked by another process");
    drop();
  }

  /** At the first word of it the wallet takes no more work; it goes with a later look. */
  async function handOver(held: WalletLease, to: string, isIdle: boolean): Promise<void> {
    const isNew = promisedAt === undefined;
    promisedAt ??= steady.nowMs();
    if (isNew || (!isIdle && steady.nowMs() - promisedAt < drainMs)) return;
    const now = clock.nowMs();
    if (!(await store.handOverWallet(held, owner.id, { to, leaseMs, now }))) return;
    log.info(facts, "Relayer wallet given to a process that has fewer");
    drop();
  }

  async function keep(wantedBy: string | null, isIdle: boolean): Promise<void> {
    if (!lease) return;
    if (wantedBy === null || wantedBy === owner.id) promisedAt = undefined;
    else await handOver(lease, wantedBy, isIdle);
    const atMs = steady.nowMs();
    if (!lease || atMs - renewedAt < leaseRenewMs) return;
    const now = clock.nowMs();
    if (await store.renewWalletLease(lease, owner.id, { leaseMs, now })) renewedAt = atMs;
    else lose();
  }

  return {
    lease: () => lease,
    isPromised: () => promisedAt !== undefined,
    keep,
    async take(nonceFloor, holder) {
      const atMs = steady.nowMs();
      const now = clock.nowMs();
      const goneOwner = holder?.owner && owner.isGone(holder.owner) ? holder.owner : undefined;
      const lane = { chainId, lane: relayer, owner: owner.id, goneOwner };
      const taken = await store.takeWalletLease({ ...lane, nonceFloor, leaseMs, now });
      if (!taken) return undefined;
      lease = taken;
      renewedAt = atMs;
      return taken;
    },
    async losing(step) {
      try {
        return await step();
      } catch (error) {
        if (error instanceof Fault && error.code === "lease_lost") lose();
        throw error;
      }
    },
    drop,
  };
}
