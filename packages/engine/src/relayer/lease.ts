/**
 * Who works a wallet: a lease in the store, with a fence that grows at each take-over and is a
 * condition of every write. A process that cannot renew stops signing.
 */
import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import type { WalletHolder } from "../storage/engine-store.ts";

/** How long a lease runs: longer than a pause of the process, short enough to move on. */
export const leaseMs = 15_000;

/** How often it is renewed: many chances before it runs out. */
export const leaseRenewMs = 2_000;

/**
 * What is left of the lease of a process that the database has lost: whoever lives and only has to
 * connect again renews it twice in that time.
 */
export const lostLeaseMs = 4_000;

/** Whether a wallet may be taken: nobody's, ours by an earlier word, or of a process that is gone. */
export function isFree(holder: WalletHolder | undefined, self: LeaseOwner): boolean {
  if (!holder?.owner || !holder.isRunning) return true;
  return holder.owner === self.id || self.isGone(holder.owner);
}

/** A process as the holder of leases. */
export interface LeaseOwner {
  readonly id: string;
  /** Tells whether a holder surely no longer runs, so that its lease need not run out. */
  isGone(holder: string): boolean;
}

/**
 * Creates this process's identity. `sameMachine`: every possible holder runs here (a database in a
 * local file), so that a holder whose process is gone can be told at once. With a shared database
 * a process id says nothing, and the lease is waited for.
 */
export function createLeaseOwner(options: { sameMachine: boolean }): LeaseOwner {
  const host = hostname();
  const id = `${host}/${process.pid}/${randomBytes(6).toString("hex")}`;
  return {
    id,
    isGone(holder) {
      const [holderHost, pid] = holder.split("/");
      if (!options.sameMachine || holderHost !== host || holder === id) return false;
      // Our own process id under another identity: an earlier process had the same number.
      return Number(pid) === process.pid || !isRunning(Number(pid));
    },
  };
}

function isRunning(pid: number): boolean {
  try {
    // Signal 0 only asks whether the process exists.
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
