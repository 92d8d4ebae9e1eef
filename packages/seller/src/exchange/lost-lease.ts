/**
 * Lost leases: another process has taken the payment over because this one did not renew its lease.
 * Every holder checks each call of its lease, and stops when one took no effect.
 */
import type { Lease } from "../payment-records/payment-records.ts";

export class LeaseLostError extends Error {
  constructor() {
    super("The lease on this payment has expired.");
    this.name = "LeaseLostError";
  }
}

export function checkHeld(isHeld: boolean): void {
  if (!isHeld) throw new LeaseLostError();
}

/**
 * Releases a claim. Throws {@link LeaseLostError} where it was lost: a refusal, or "not charged",
 * need not be true of the new holder's work.
 */
export async function releaseClaim(lease: Lease): Promise<void> {
  checkHeld(await lease.discard());
}
