/** The transaction that replaces another at its nonce: the same call or a cancellation. */
import type { Address } from "@farthing/protocol";
import type { TransactionPlan } from "../model/relayer-transaction.ts";
import { replacementPrice } from "./fees.ts";
import { newestOf, type PendingNonce } from "./pending-nonce.ts";
import type { RecoveryAction } from "./recovery-action.ts";

/** Without data. */
const cancellationGas = 21_000n;

/** A call of the wallet to itself, which only uses its nonce; gas price in wei. */
export function planCancellation(wallet: Address, gasPrice: bigint): TransactionPlan {
  return { settlementIds: [], to: wallet, data: "0x", gasLimit: cancellationGas, gasPrice };
}

export function isCancellation({ settlementIds }: TransactionPlan): boolean {
  return settlementIds.length === 0;
}

/** Gas prices in wei: the least that nodes accept, what is paid within the bounds, and the highest. */
export interface Prices {
  readonly needed: bigint;
  readonly asked: bigint;
  readonly ceiling: bigint;
}

/** Returns undefined while no price is both high enough and below the ceiling. */
export function planReplacement(
  pending: PendingNonce,
  action: RecoveryAction,
  wallet: Address,
  { needed, asked, ceiling }: Prices,
): TransactionPlan | undefined {
  const newest = newestOf(pending);
  const prices = pending.attempts.map(({ gasPrice }) => gasPrice);
  const isSameCall = action === "reprice" || isCancellation(newest);
  // What no node has need not be outbid, but the same call at the same price is the same bytes.
  const unbid = pending.mayBeOut || isSameCall ? undefined : asked;
  // Below what nodes accept they have dropped every attempt, so none has to be outbid.
  const isSwept = asked >= needed && prices.every((price) => price < needed);
  const gasPrice = isSwept ? asked : (replacementPrice(prices, asked, ceiling) ?? unbid);
  if (gasPrice === undefined) return undefined;
  return action === "reprice" ? { ...newest, gasPrice } : planCancellation(wallet, gasPrice);
}
