/** Balances: money that payments top up and requests are charged to, and the headers that show it. */
import { isObject, member } from "../encoding/json.ts";
import { parseUint256 } from "../signatures/authorization.ts";

export const balanceHeaders = {
  /** Base units that are left, as decimal digits. */
  remaining: "X-Balance-Remaining",
  /** What the request has cost, in base units as decimal digits. Absent while a stream runs. */
  cost: "X-Request-Cost",
} as const;

/** How requests are charged to what a payment tops up: `extra.balance` of a challenge's entry. */
export interface BalanceTerms {
  /** Base units, the most that one request costs. */
  readonly reserve: bigint;
}

/** Reads `extra.balance` of an entry; undefined where the entry tops up no balance. */
export function parseBalanceTerms(entry: unknown): BalanceTerms | undefined {
  const extra = isObject(entry) ? member(entry, "extra") : undefined;
  const balance = isObject(extra) ? member(extra, "balance") : undefined;
  const reserve = isObject(balance) ? parseUint256(member(balance, "reserve")) : undefined;
  return reserve !== undefined && reserve > 0n ? { reserve } : undefined;
}
