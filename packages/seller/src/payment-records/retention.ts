/** How long payment records remember each fact, and how much of a response. The same in every store. */

/** A paid response can be fetched again until then, and never after its authorization ends. */
export const maxReplayMs = 10 * 60 * 1000;

/** A paid request can be run again: the longest work (`maxWorkMs`), and time to come back after it. */
export const maxUndeliveredMs = 30 * 60 * 1000;

/** Longer than any chain stays stuck unnoticed. Only verified payments get this far. */
export const maxSettlingMs = 24 * 60 * 60 * 1000;

/** After the end of an authorization: a call under way is cut off by then, and every block is later. */
export const minOverMs = 30_000;

/** For a challenge's token: as long as the record of a payment made with it. */
export const maxTokenMs = 24 * 60 * 60 * 1000;

/** For the fact of a delivery; afterwards the facilitator refuses the repeat. */
export const maxDeliveredMs = 24 * 60 * 60 * 1000;

/** Several times longer than a garbage collection or a busy disk, shorter than a buyer's timeout. */
export const leaseMsDefault = 15_000;

/** One document or image: the longest body that is kept for a repeat. */
export const defaultMaxResponseBytes = 1024 * 1024;

/** For the reserve of a request: the longest work, and time to charge it. A crash holds it so long. */
export const maxReserveMs = 15 * 60 * 1000;

/**
 * For the reserve of a request that failed and can be repeated: longer than the record by which a
 * repeat is the same request, by more than the clocks of store and process differ.
 */
export const maxSuspendedMs = maxUndeliveredMs + 5 * 60 * 1000;

/** For the reserve of a stream that runs: as long as the fact of a delivery. */
export const maxStreamHoldMs = maxDeliveredMs;

/** For a pass after its end: as long as the record of the payment that bought it. */
export const maxPassKeptMs = maxDeliveredMs;

/** For what a payment topped up, and that it was refunded: balances are kept for good. */
export const keptForGoodMs = Date.UTC(9999, 0);

/** For how a refund was begun: a call that is repeated later than that is a new one. */
export const maxRefundNoteMs = 30 * 24 * 60 * 60 * 1000;

/** For a channel that nobody calls, and of which the chain tells as much: one call reads it again. */
export const maxIdleChannelMs = 30 * 24 * 60 * 60 * 1000;
