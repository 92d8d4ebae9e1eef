/** The claims of one look, in their order. */
import type { KeptVoucher } from "./model.ts";

/** Rows of one claim: each takes 25 k gas with the stand-ins, so a claim fits a block many times. */
const rowsMax = 50;

/**
 * Each of one account. Those of payers who withdraw come before all others, and the first of each account
 * before the second of any, so that no account's channels, however many, delay another account's claims.
 */
export function batchesOf(due: readonly KeptVoucher[]): readonly (readonly KeptVoucher[])[] {
  const groups = Map.groupBy(due, (row) => `${isUrgent(row)} ${row.account}`);
  const batches = [...groups.values()].flatMap((rows) => {
    const count = Math.ceil(rows.length / rowsMax);
    return Array.from({ length: count }, (_one, nth) => {
      const some = rows.slice(nth * rowsMax, (nth + 1) * rowsMax);
      return { some, nth, rank: some.some(isUrgent) ? 0 : 1 };
    });
  });
  return batches
    .toSorted((one, other) => one.rank - other.rank || one.nth - other.nth)
    .map(({ some }) => some);
}

function isUrgent({ withdrawRequestedAt }: KeptVoucher): boolean {
  return withdrawRequestedAt > 0;
}
