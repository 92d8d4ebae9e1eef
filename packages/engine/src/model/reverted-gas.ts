/**
 * Gas that contract wallets may burn by reverting, per day and network: callers with a
 * key, without one, and buyers of credits. A claim reserves the most that its transaction may burn; a
 * payment that goes through returns that, and a revert leaves what it could burn. The budget is a
 * bucket that refills by the hour, in two halves: the open half is for every contract wallet, the
 * proven half for those with a final settlement of an earlier day and no revert since.
 */
import { halfOf, hourMs, hoursPerDay, type GasHalf } from "./keyless.ts";

/** The budget and what one payment reserves of it, in gwei. */
export interface RevertedGasTerms {
  /** Of a day. A quiet day fills the bucket, so 24 hours may cost twice as much at most. */
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
  /** Nothing is reserved: `/verify` asks. */
  readonly isQuestion: boolean;
  readonly usedOf: (half: GasHalf) => number;
}): GasHalf | undefined {
  const { terms, isProven, isQuestion, usedOf } = options;
  const closesAt = halfOf(terms.budgetGwei) * (isQuestion ? questionsShare : 1);
  const halves: readonly GasHalf[] = isProven ? ["proven", "open"] : ["open"];
  return halves.find((half) => usedOf(half) + terms.reserveGwei <= closesAt);
}
