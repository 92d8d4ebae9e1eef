/** Pauses of contract payers whose transactions revert although their simulations passed. */

export interface PayerPause {
  /** Consecutive transactions that reverted. */
  readonly reverts: number;
  readonly pausedUntilMs: number;
}

const minuteMs = 60_000;

/** Longer than an authorization usually runs, so that the same one is not tried again. */
const firstPauseMs = 2 * minuteMs;

/** With this pause a payer costs the gas of a dozen transactions on the first day. */
const longestPauseMs = 6 * 60 * minuteMs;

/** After its pause and a day without a revert a payer starts anew. */
export const forgetRevertsAfterMs = 24 * 60 * minuteMs;

/** Doubles with each revert. */
export function pauseMsAfter(reverts: number): number {
  // From 2^16 on the longest pause applies; the bound keeps the exponent small.
  return Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(reverts - 1, 16));
}
