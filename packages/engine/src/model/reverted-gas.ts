/**
 * The budget for gas that contract wallets burn by reverting, per day and network, for callers with
 * a key, without one, and buyers of credits. A claim reserves the most that its transaction may
 * burn; success returns the reservation, and a revert keeps it counted. The budget is a bucket that
 * refills by the hour, in two halves: the open half for every contract wallet, the proven half for
 * those with a final settlement of an earlier day and no revert since.
 */
import { halfOf, hourMs, hoursPerDay, type GasHalf } from "./keyless.ts";

/** In gwei. */
export interface RevertedGasTerms {
  /** Per day. After a quiet day the bucket is full, so 24 hours cost at most twice as much. */
  readonly budgetGwei: number;
  /** The most that the transaction of one contract payment may burn now. */
  readonly reserveGwei: number;
}

/** Share of a half at which `/verify` stops; the rest is for payments that it has found valid. */
const questionsShare = 0.95;

/** Contract wallets stay proven for a quarter after their last final settlement. */
export const provenPayerMs = 90 * hoursPerDay * hourMs;

/** Returns the half that a payment may draw on, undefined when none has room. */
export function chooseRevertedHalf(options: {
  readonly terms: RevertedGasTerms;
  readonly isProven: boolean;
  /** `/verify` asks, and nothing is reserved. */
  readonly isQuestion: boolean;
  readonly usedOf: (half: GasHalf) => number;
}): GasHalf | undefined {
  const { terms, isProven, isQuestion, usedOf } = options;
  const closesAt = halfOf(terms.budgetGwei) * (isQuestion ? questionsShare : 1);
  const halves: readonly GasHalf[] = isProven ? ["proven", "open"] : ["open"];
  return halves.find((half) => usedOf(half) + terms.reserveGwei <= closesAt);
}
