/** Which vouchers are claimed now. */
import { claimAboveUnits, claimDueAt, unclaimedOf, type KeptVoucher } from "./model.ts";

/**
 * Those of a payer who withdraws first, then all of an account whose sum is worth a claim, or of which
 * one has waited for long: a claim of many rows costs little more than of one.
 */
export function chooseDue(open: readonly KeptVoucher[], now: number): readonly KeptVoucher[] {
  const due: KeptVoucher[] = [];
  for (const rows of Map.groupBy(open, (row) => row.account).values()) {
    const sum = rows.reduce((total, row) => total + unclaimedOf(row), 0n);
    const isDue =
      sum >= claimAboveUnits ||
      rows.some((row) => row.withdrawRequestedAt > 0 || claimDueAt(row) <= now);
    if (isDue) due.push(...rows.filter((row) => unclaimedOf(row) > 0n));
  }
  return due.toSorted((one, other) => rankOf(one) - rankOf(other));
}

function rankOf({ withdrawRequestedAt }: KeptVoucher): number {
  return withdrawRequestedAt > 0 ? 0 : 1;
}
