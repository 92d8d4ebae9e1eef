/**
 * How long each thing about a payment is remembered, in milliseconds, and how much of an answer: the
 * same in every store.
 */

/**
 * How long a paid answer can be fetched again, at most: the seller's own bound, however long the
 * authorization lasts. The window never outlives the authorization either.
 */
export const replayMsMax = 10 * 60 * 1000;

/**
 * How long a paid request that was not answered can be run again without a new charge: the longest
 * work (`workMsMax`), and time to come back after it.
 */
export const undeliveredMsMax = 30 * 60 * 1000;

/**
 * How long a claim and an open settlement are remembered. A day is longer than any chain stays
 * stuck unnoticed; only payments that verified get this far, so strangers cannot fill the store.
 */
export const settlingMsMax = 24 * 60 * 60 * 1000;

/**
 * How long an authorization must be over until nothing can come of it any more, in milliseconds: a
 * call of ours that is still on its way is cut off by then, and every block is later.
 */
export const overMsMin = 30_000;

/** How long a challenge's token is remembered: as long as the record of a payment made with it. */
export const tokenMsMax = 24 * 60 * 60 * 1000;

/** How long the fact of a delivery is kept after it; then the facilitator refuses the repeat. */
export const deliveredMsMax = 24 * 60 * 60 * 1000;

/**
 * How long the lease of a process that is not heard of stays in force: several times longer than
 * a garbage collection or a busy disk, and shorter than a buyer's patience.
 */
export const leaseMsDefault = 15_000;

/** One document or image: the longest body that is kept for a repeat, in bytes. */
export const answerBytesMaxDefault = 1024 * 1024;
