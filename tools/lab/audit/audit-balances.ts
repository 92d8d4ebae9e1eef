/** Balances after payments, compared with what the signed authorizations move. */
import { buyerUnits } from "@farthing/devnet";
import type { Address, Authorization } from "@farthing/protocol";

/**
 * Compares balances in USDC base units: each payer began with what a devnet gives a buyer, each
 * payee with nothing. Returns the balances that differ, in words.
 */
export function auditBalances(
  payments: readonly Pick<Authorization, "from" | "to" | "value">[],
  balances: ReadonlyMap<Address, bigint>,
  payees: readonly Address[],
): string[] {
  const expected = new Map<Address, bigint>(payees.map((payee) => [payee, 0n]));
  for (const { from, to, value } of payments) {
    expected.set(from, (expected.get(from) ?? buyerUnits) - value);
    expected.set(to, (expected.get(to) ?? 0n) + value);
  }
  return [...expected]
    .filter(([holder, units]) => balances.get(holder) !== units)
    .map(([holder, units]) => `${holder} holds ${balances.get(holder)} base units, not ${units}`);
}
