/**
 * This process's lease on a wallet: taken when the wallet is free, renewed, handed over to a process
 * with fewer wallets, or lost. Every write names the lease, so a former holder cannot write.
 */
import type { Address, ChainId } from "@farthing/protocol";
import { steadyClockOf } from "../base/clock.ts";
import { Fault } from "../base/fault.ts";
import type { Runtime } from "../base/log.ts";
import type { WalletLease } from "../model/relayer-transaction.ts";
import type { WalletHolder, WalletLeaseStore } from "../storage/engine-store.ts";
import { leaseMs, leaseRenewMs, type LeaseOwner } from "./lease.ts";

/** Five blocks for pending transactions; the next holder takes over the rest, as after a crash. */
const drainMs = 10_000;

export type LeaseHandle = ReturnType<typeof createLeaseHandle>;

interface LeaseHandleDeps extends Runtime {
  readonly store: Pick<WalletLeaseStore, "takeWalletLease" | "renewWalletLease" | "handOverWallet">;
  readonly owner: LeaseOwner;
  readonly chainId: ChainId;
  readonly relayer: Address;
  onLeaseEnded(): void;
}

export function createLeaseHandle(deps: LeaseHandleDeps) {
  const { store, clock, log, owner, chainId, relayer } = deps;
  /** For durations. Leases expire by the time of day, which processes share. */
  const steady = steadyClockOf(clock);
  const facts = { chainId, relayer };
  let lease: WalletLease | undefined;
  let renewedAt = 0;
  let handOverSince: number | undefined;

  function drop(): void {
    lease = undefined;
    handOverSince = undefined;
    deps.onLeaseEnded();
  }

  function lose(): void {
    log.warn({ event: "wallet_lease_lost", ...facts }, "Relayer wallet lost to another process");
    drop();
  }

  /** The first call stops new work; a later one hands the wallet over. */
  async function handOver(held: WalletLease, to: string, isIdle: boolean): Promise<void> {
    const isNew = handOverSince === undefined;
    handOverSince ??= steady.nowMs();
    if (isNew || (!isIdle && steady.nowMs() - handOverSince < drainMs)) return;
    const now = clock.nowMs();
    if (!(await store.handOverWallet(held, owner.id, { to, leaseMs, now }))) return;
    log.info({ event: "wallet_handed_over", ...facts }, "Relayer wallet handed over");
    drop();
  }

  async function keep(wantedBy: string | null, isIdle: boolean): Promise<void> {
    if (!lease) return;
    if (wantedBy === null || wantedBy === owner.id) handOverSince = undefined;
    else await handOver(lease, wantedBy, isIdle);
    const atMs = steady.nowMs();
    if (!lease || atMs - renewedAt < leaseRenewMs) return;
    const now = clock.nowMs();
    if (await store.renewWalletLease(lease, owner.id, { leaseMs, now })) renewedAt = atMs;
    else lose();
  }

  return {
    current: () => lease,
    /** Whether the wallet is being handed over and takes no new work. */
    isHandingOver: () => handOverSince !== undefined,
    /** Renews the lease or hands the wallet over; `isIdle`: it has no pending transaction. */
    keep,
    /** Takes the wallet if no other process uses it. The next nonce is at least `nonceFloor`. */
    async take(nonceFloor: number, holder?: WalletHolder) {
      const atMs = steady.nowMs();
      const now = clock.nowMs();
      const stoppedOwner =
        holder?.owner && owner.isStopped(holder.owner) ? holder.owner : undefined;
      const request = { chainId, lane: relayer, owner: owner.id, stoppedOwner };
      const taken = await store.takeWalletLease({ ...request, nonceFloor, leaseMs, now });
      if (!taken) return undefined;
      lease = taken;
      renewedAt = atMs;
      return taken;
    },
    /** Runs a step under the lease; drops the wallet when the step fails because the lease is lost. */
    async losing<T>(step: () => Promise<T>) {
      try {
        return await step();
      } catch (error) {
        if (isLeaseLost(error)) lose();
        throw error;
      }
    },
    /** Forgets the lease; the rebalancer releases all leases when the process stops. */
    drop,
  };
}

/** Whether a call failed because this process does not hold the wallet any more. */
export function isLeaseLost(error: unknown): boolean {
  return error instanceof Fault && error.code === "lease_lost";
}
