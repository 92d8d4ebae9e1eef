/** What can happen between a facilitator and a node. */

/** What may happen to one HTTP request. */
export const transportFaults = [
  /** Never reaches the node; the connection is cut. */
  "lost-before",
  /** The node did it; the answer is cut off. */
  "lost-after",
  /** As `lost-after`, after a long silence. */
  "silence",
  "slow",
  "http-500",
  "http-429",
  "html",
  /** HTTP 200 with a JSON-RPC error in it for each call. */
  "rate-limit-in-200",
  "internal-error",
  "half-an-answer",
  /** The node gets it twice; the caller sees the second answer. */
  "delivered-twice",
  /** In a batch: answers in another order, one of them twice. */
  "shuffled",
  /** A send is answered with another hash than the transaction's. */
  "wrong-hash",
  /** An older node behind the same address answers. */
  "stale",
  "null-block",
] as const;

/** One of {@link transportFaults}. */
export type TransportFault = (typeof transportFaults)[number];
