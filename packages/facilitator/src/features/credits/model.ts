/**
 * Credits, the price of settlements, as an append-only ledger. One credit is 0.001 USDC; credits
 * are whole numbers. Times are milliseconds since 1970.
 */

/**
 * The effect of an entry on the balance.
 * - `purchase`, `grant`, `adjustment`: adds credits; an adjustment may also subtract.
 * - `hold`: reserves the price of a claimed settlement.
 * - `charge`: spends the reservation of a confirmed settlement (0 credits).
 * - `release`: returns the reservation of a failed settlement.
 * - `reopen`: a reorganisation undid a charge, and the price is reserved again (0 credits).
 */
export const creditEntryKinds = [
  "purchase",
  "grant",
  "adjustment",
  "hold",
  "charge",
  "release",
  "reopen",
] as const;
export type CreditEntryKind = (typeof creditEntryKinds)[number];

/** The entries that may follow each entry, of which the first is a hold; kept by triggers. */
export const entryTransitions = {
  hold: ["charge", "release"],
  charge: ["reopen"],
  reopen: ["charge", "release"],
  // A third party submitted the authorization. Without enough credits it is free.
  release: ["hold", "charge"],
} as const satisfies Partial<Record<CreditEntryKind, readonly CreditEntryKind[]>>;

declare module "@farthing/engine" {
  interface ClaimTerms {
    /** Credits that an account gets with its first settlement of a month. */
    readonly freeCredits?: number;
  }
}

export interface CreditBalance {
  readonly available: number;
  /** Subtracted from `available` for open settlements. */
  readonly held: number;
}

/** The first entry of a page, and the available balance after it. */
export interface LedgerCursor {
  readonly id: number;
  readonly balanceAfter: number;
}
