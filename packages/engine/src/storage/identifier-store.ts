/** What the store keeps about identifiers of buyers; see store.ts for the rest. */
import type { Claim } from "../model/settlement.ts";

/** A payment, and the identifier that its buyer gave it. */
export type IdentifiedPayment = Pick<
  Claim,
  | "chainId"
  | "asset"
  | "payer"
  | "nonce"
  | "payTo"
  | "amount"
  | "validAfter"
  | "validBefore"
  | "identifier"
>;

/** The verbs. */
export interface IdentifierVerbs {
  /** In order, whether a payment's identifier stands for another payment that was claimed. */
  findIdentifierConflicts(payments: readonly IdentifiedPayment[], now: number): Promise<boolean[]>;
  /** Removes identifiers of payments that have ended, at most `limit`. */
  forgetIdentifiers(now: number, limit: number): Promise<void>;
}
