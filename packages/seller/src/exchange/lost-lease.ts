/** Lost leases: another process has taken the payment over, so this holder must stop. */
import type { Lease } from "../payment-records/rules/payment-records.ts";

export class LeaseLostError extends Error {
  constructor() {
    super("The lease on this payment has expired.");
    this.name = "LeaseLostError";
  }
}

export function checkHeld(isHeld: boolean): void {
  if (!isHeld) throw new LeaseLostError();
}

/** Throws {@link LeaseLostError} for a lost claim, because a refusal need not be true then. */
export async function releaseClaim(lease: Lease): Promise<void> {
  checkHeld(await lease.discard());
}
