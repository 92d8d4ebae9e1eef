/**
 * Credits: what settlements cost, kept as a ledger to which entries are only ever added. One credit
 * is 0.001 USDC; credits are whole numbers. Times are milliseconds since 1970.
 */
import type { Address } from "@farthing/protocol";

/** USDC base units of one credit. */
export const unitsPerCredit = 1_000n;

/**
 * What an entry does to the balance.
 * - `purchase`, `grant`, `adjustment`: credits come; an adjustment may take them as well.
 * - `hold`: a settlement was claimed, its price is taken from what is available.
 * - `charge`: it was confirmed; the hold is spent (0 credits).
 * - `release`: it failed; the hold comes back.
 * - `reopen`: the block of a charge was reorganised away; the price is a hold again (0 credits).
 */
export type CreditEntryKind =
  | "purchase"
  | "grant"
  | "adjustment"
  | "hold"
  | "charge"
  | "release"
  | "reopen";

/** Which entry of a settlement may follow which; the first is a hold. The database keeps to it. */
export const entryTransitions = {
  hold: ["charge", "release"],
  charge: ["reopen"],
  reopen: ["charge", "release"],
  // Somebody submitted the authorization after all. Without enough credits it is charged nothing.
  release: ["hold", "charge"],
} as const satisfies Partial<Record<CreditEntryKind, readonly CreditEntryKind[]>>;

/** A line of the ledger. */
export interface CreditEntry {
  readonly id: number;
  readonly account: Address;
  readonly kind: CreditEntryKind;
  /** Added to the balance; negative when it takes. */
  readonly credits: number;
  /** What was available after it. */
  readonly balanceAfter: number;
  readonly settlementId: string | null;
  readonly purchaseId: string | null;
  /** Who made it by hand; null for what the service did. */
  readonly actor: string | null;
  readonly note: string | null;
  readonly createdAt: number;
}

/** What an account has. */
export interface CreditBalance {
  /** May be spent. */
  readonly available: number;
  /** Taken from `available` for settlements that are open. */
  readonly held: number;
}

/** Where a page of the ledger begins, and what was available after the entry it begins with. */
export interface LedgerCursor {
  readonly id: number;
  readonly balanceAfter: number;
}
