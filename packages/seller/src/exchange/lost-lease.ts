/**
 * A lease that was lost: this process was not heard of for too long, and another one has taken the
 * payment over. Whoever holds a lease checks each call of it, and stops work when one took no effect.
 */
import type { Lease } from "../payment-records/payment-records.ts";

/** Another holder has the payment record. */
export class LeaseLostError extends Error {
  constructor() {
    super("The lease on this payment has expired.");
    this.name = "LeaseLostError";
  }
}

/** Throws {@link LeaseLostError} when a call of a lease took no effect. */
export function checkHeld(isHeld: boolean): void {
  if (!isHeld) throw new LeaseLostError();
}

/**
 * Releases a claim. Throws {@link LeaseLostError} where it was lost: a response that says the
 * payment is not valid, or was not charged, need not be true of the new holder's work.
 */
export async function releaseClaim(lease: Lease): Promise<void> {
  checkHeld(await lease.discard());
}
