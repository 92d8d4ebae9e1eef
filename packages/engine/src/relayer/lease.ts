/**
 * A wallet's lease is stored with a fencing token that grows at each take-over and is a condition of
 * every write. A process that cannot renew its lease stops signing.
 */
import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { isProcessRunning } from "../base/process-running.ts";
import type { WalletHolder } from "../storage/engine-store.ts";

/** Longer than a pause of the process, short enough for another to take over. */
export const leaseMs = 15_000;

/** A lease can be renewed several times before it expires. */
export const leaseRenewMs = 2_000;

/** What remains after a lost database connection: a live process reconnects and renews twice. */
export const lostLeaseMs = 4_000;

/** Whether a wallet may be taken: no running process holds it, or this one does. */
export function isFree(
  holder: Omit<WalletHolder, "nextNonce"> | undefined,
  self: LeaseOwner,
): boolean {
  if (!holder?.owner || !holder.isRunning) return true;
  return holder.owner === self.id || self.isStopped(holder.owner);
}

export interface LeaseOwner {
  readonly id: string;
  /** Whether a holder certainly no longer runs, so that its lease need not expire first. */
  isStopped(holder: string): boolean;
}

/** `sameMachine`: every holder runs here (a local file), so an ended one is recognised at once. */
export function createLeaseOwner(options: { sameMachine: boolean }): LeaseOwner {
  const host = hostname();
  const id = `${host}/${process.pid}/${randomBytes(6).toString("hex")}`;
  return {
    id,
    isStopped(holder) {
      const [holderHost, pid] = holder.split("/");
      if (!options.sameMachine || holderHost !== host || holder === id) return false;
      // An earlier process had our process id.
      return Number(pid) === process.pid || !isProcessRunning(Number(pid));
    },
  };
}
