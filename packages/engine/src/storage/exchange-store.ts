/**
 * What the store keeps about exchanges. An exchange is one attempt of a
 * seller to sell for a payment. The seller opens it with `/verify`, or with an upfront `/settle`.
 */
import { toLowerHex } from "@farthing/protocol";
import type { Claim, ClaimingCall, Pair, Settlement } from "../model/settlement.ts";

/** A payment that `/verify` is about to call valid. */
export interface ExchangeOpening extends Pair {
  /** Unix milliseconds: the note of the exchange may be dropped from then on. */
  readonly forgetAt: number;
}

export type OpenedExchange =
  | { readonly kind: "opened" }
  /** The payment is in flight or settled; no exchange was opened. */
  | { readonly kind: "claimed"; readonly settlement: Settlement }
  /** The payer has as many open payments as the bound allows. */
  | { readonly kind: "too_many" };

/** A repeated question about a settlement, with the caller that asks it. */
export interface ExchangeQuestion extends Pick<ClaimingCall, "caller" | "idempotencyKey"> {
  readonly settlement: Settlement;
}

/** The facts that decide the response to a repeat. */
export interface ExchangeFacts {
  /** The caller is the one that claimed the settlement. */
  readonly isClaimant: boolean;
  /** The call carries the Idempotency-Key of the claiming call. */
  readonly hasSameKey: boolean;
  readonly isUpfront: boolean;
  /** More than one exchange was opened with the payment by `/verify`. */
  readonly hasSeveral: boolean;
  /** The writer that reports the success, or has reported it; null while there is none. */
  readonly successToldTo: string | null;
  /**
   * When that last changed, or the claiming call ended without telling it, in Unix milliseconds.
   * Null while the claiming call is open, or since it reported the success that it held.
   */
  readonly successMovedAt: number | null;
}

/** Writers that never release the success: callers with the claiming call's key, and pollers. */
export const lastingWriters = { key: "key", poll: "poll" } as const;

/** One writer's right to report the success of one settlement. */
export interface SuccessTelling {
  readonly settlementId: string;
  readonly writer: string;
}

/** Exchanges, and the identifiers that buyers gave to payments. */
export interface ExchangeStore {
  /** Looks payments up and notes an exchange for each that is not claimed; in order. */
  openExchanges(openings: readonly ExchangeOpening[], now: number): Promise<OpenedExchange[]>;
  /** Cancels exchanges whose result never reached the caller. */
  cancelExchanges(pairs: readonly Pair[]): Promise<void>;
  /** One entry per question, in order. */
  findExchangeFacts(questions: readonly ExchangeQuestion[]): Promise<ExchangeFacts[]>;
  /** Assigns unreported successes to writers; in order, whether each one got its own. */
  takeSuccess(tellings: readonly SuccessTelling[], now: number): Promise<boolean[]>;
  /** Records that calls ended without reporting the success, and releases what they had taken. */
  releaseSuccess(tellings: readonly SuccessTelling[], now: number): Promise<void>;
  /** In order, whether a payment's identifier stands for another payment that was claimed. */
  findIdentifierConflicts(payments: readonly IdentifiedPayment[], now: number): Promise<boolean[]>;
  /**
   * Removes notes of exchanges and identifiers of payments that have ended, at most `limit` of each.
   * What the notes say about settlements is kept with those: a payment that was opened several times
   * does not become one that was opened once.
   */
  forgetExpired(now: number, limit: number): Promise<void>;
}

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

/** Payments of one payer that are noted at once: 33 a second of the usual five minutes each. */
export const payerPaymentsMax = 10_000;

/** A payment as its note names it: everything in lower case. */
export interface ExchangePair {
  readonly payer: string;
  readonly nonce: string;
  readonly chainId: number;
  readonly asset: string;
}

/** A note. */
export interface ExchangeRow {
  readonly exchanges: number;
  /** Unix milliseconds. */
  readonly forgetAt: number;
}

/** The notes of a database that does not keep them itself. */
export interface ExchangeFile {
  find(pair: ExchangePair): ExchangeRow | undefined;
  /** One entry per opening, in order: false when its payer has reached the bound. */
  open(
    openings: readonly (ExchangePair & { readonly forgetAt: number })[],
    options: { readonly now: number; readonly paymentsMax: number },
  ): boolean[];
  cancel(pairs: readonly ExchangePair[]): void;
  listForgettable(now: number, limit: number): (ExchangePair & ExchangeRow)[];
  forget(pairs: readonly ExchangePair[], now: number): void;
  close(): void;
}

/** A payment as its note names it. */
export function exchangePair({ chainId, asset, payer, nonce }: Pair): ExchangePair {
  return { payer: toLowerHex(payer), nonce: toLowerHex(nonce), chainId, asset: toLowerHex(asset) };
}
