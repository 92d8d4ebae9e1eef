/** What takes the place of a transaction at its nonce. */
import type { Address } from "@farthing/protocol";
import type { TransactionPlan } from "../model/relayer-transaction.ts";
import { replacementPrice } from "./fees.ts";
import type { Remedy } from "./recovery-action.ts";
import { isSelfCall, planSelfCall } from "./self-call.ts";
import { newestOf, type Slot } from "./pending-nonce.ts";

/** Gas prices in wei: what nodes ask for, within the bounds, and the most that is paid. */
export interface Prices {
  readonly asked: bigint;
  readonly ceiling: bigint;
}

/**
 * Plans it: the same call for a better price, or the wallet's call to itself. Undefined while no
 * price is both enough and below the ceiling.
 */
export function planReplacement(
  slot: Slot,
  remedy: Remedy,
  wallet: Address,
  { asked, ceiling }: Prices,
): TransactionPlan | undefined {
  const newest = newestOf(slot);
  const prices = slot.attempts.map(({ gasPrice }) => gasPrice);
  const isSameCall = remedy === "reprice" || isSelfCall(newest);
  // What no node has need not be outbid, but the same call for the same price is the same bytes.
  const unbid = slot.mayBeOut || isSameCall ? undefined : asked;
  const gasPrice = replacementPrice(prices, asked, ceiling) ?? unbid;
  if (gasPrice === undefined) return undefined;
  return remedy === "reprice" ? { ...newest, gasPrice } : planSelfCall(wallet, gasPrice);
}
