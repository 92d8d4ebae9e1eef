/**
 * The store of exchanges. An exchange is one attempt of a seller to sell for a payment; it opens
 * with `/verify`, or with an upfront `/settle`.
 */
import { toLowerHex } from "@farthing/protocol";
import type { Claim, ClaimingCall, AuthorizationKey, Settlement } from "../model/settlement.ts";

/** A payment that `/verify` is about to call valid. */
export interface ExchangeOpening extends AuthorizationKey {
  /** Unix milliseconds: the note of the exchange may be removed from then on. */
  readonly forgetAt: number;
}

export type OpenedExchange =
  | { readonly kind: "opened" }
  /** The payment is in flight or settled; no exchange was opened. */
  | { readonly kind: "claimed"; readonly settlement: Settlement }
  /** The payer has as many open payments as allowed. */
  | { readonly kind: "too_many" };

/** A repeated question about a settlement, and its caller. */
export interface ExchangeQuestion extends Pick<ClaimingCall, "caller" | "idempotencyKey"> {
  readonly settlement: Settlement;
}

/** The facts that decide the response to a repeat. */
export interface ExchangeFacts {
  /** The caller claimed the settlement. */
  readonly isClaimant: boolean;
  /** The call carries the Idempotency-Key of the claiming call. */
  readonly hasSameKey: boolean;
  readonly isUpfront: boolean;
  /** `/verify` opened more than one exchange with the payment. */
  readonly hasSeveral: boolean;
  /** The writer that reports or reported the success; null while there is none. */
  readonly successWriter: string | null;
  /**
   * When that last changed, or the claiming call ended without reporting it, in Unix milliseconds.
   * Null while the claiming call is open, or since it reported the success that it held.
   */
  readonly successMovedAt: number | null;
}

/** Writers that never release the success: callers with the claiming call's key, and pollers. */
export const lastingWriters = { key: "key", poll: "poll" } as const;

/** One writer's right to report the success of one settlement. */
export interface SuccessReport {
  readonly settlementId: string;
  readonly writer: string;
}

export interface ExchangeStore {
  /** Looks payments up and notes an exchange for each unclaimed one; in order. */
  openExchanges(openings: readonly ExchangeOpening[], now: number): Promise<OpenedExchange[]>;
  /** Cancels exchanges whose result never reached the caller. */
  cancelExchanges(keys: readonly AuthorizationKey[]): Promise<void>;
  /** One entry per question, in order. */
  findExchangeFacts(questions: readonly ExchangeQuestion[]): Promise<ExchangeFacts[]>;
  /** Assigns unreported successes to writers; returns in order whether each one got its own. */
  takeSuccess(reports: readonly SuccessReport[], now: number): Promise<boolean[]>;
  /** Records that calls ended without reporting the success, and releases what they had taken. */
  releaseSuccess(reports: readonly SuccessReport[], now: number): Promise<void>;
  /** Returns in order whether a payment's identifier stands for another claimed payment. */
  findIdentifierConflicts(payments: readonly IdentifiedPayment[], now: number): Promise<boolean[]>;
  /**
   * Removes expired notes of exchanges and identifiers of payments, at most `limit` of each. The
   * facts about settlements stay: a payment that was opened several times does not become one that
   * was opened once.
   */
  forgetExpired(now: number, limit: number): Promise<void>;
}

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

/** Concurrent payments of one payer: 33 a second of the usual five minutes each. */
export const payerPaymentsMax = 10_000;

/** The key of an authorization as a row, in lower case. */
export interface ExchangeKey {
  readonly payer: string;
  readonly nonce: string;
  readonly chain_id: number;
  readonly asset: string;
}

/** The types of its columns in a list of rows. */
export const keyTypes = {
  payer: "text",
  nonce: "text",
  chain_id: "bigint",
  asset: "text",
} as const;

export function exchangeKeyOf({ chainId, asset, payer, nonce }: AuthorizationKey): ExchangeKey {
  return {
    payer: toLowerHex(payer),
    nonce: toLowerHex(nonce),
    chain_id: chainId,
    asset: toLowerHex(asset),
  };
}

/** In the order in which SQLite's statements bind them. */
export function exchangeKeyValues({ payer, nonce, chain_id, asset }: ExchangeKey) {
  return [payer, nonce, chain_id, asset] as const;
}
