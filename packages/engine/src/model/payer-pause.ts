/** Pauses of contract payers whose transactions revert although their simulations passed. */

/** A payer's pause. */
export interface PayerPause {
  /** Transactions that reverted one after the other. */
  readonly reverts: number;
  readonly pausedUntilMs: number;
}

const minuteMs = 60_000;

/** The first pause: longer than an authorization usually runs, so the same one is not tried again. */
const firstPauseMs = 2 * minuteMs;

/** The longest pause: with it a payer costs the gas of a dozen transactions on the first day. */
const longestPauseMs = 6 * 60 * minuteMs;

/** A payer that waited through its pause and behaved for a day starts anew. */
export const forgetRevertsAfterMs = 24 * 60 * minuteMs;

/** The pause after so many reverts: twice as long each time. */
export function pauseMsAfter(reverts: number): number {
  // Beyond 2^16 the longest pause holds anyway; the exponent stays small.
  return Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(reverts - 1, 16));
}
