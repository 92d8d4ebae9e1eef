/**
 * Payment records ensure that one payment opens one response. A record belongs to one payment and is
 * bound to one request and one payload. One worker at a time holds its lease, for which repeats of
 * the request wait. When a process dies its lease expires, and the next request continues.
 */
import type { SettleResponse } from "@farthing/protocol";
import type { Balances } from "../balances/balances.ts";
import type { Channels } from "../channels/channels.ts";
import type { KeptCall } from "../channels/kept-call.ts";
import type { Passes } from "../passes/passes.ts";
import type { RefundRecords } from "./refunds.ts";

/**
 * - `claimed`: nothing was sent to be settled; the record may be forgotten.
 * - `settling`: `/settle` was sent and the outcome is open; the record is not forgotten. A response
 *   that was made before is kept with it.
 * - `paid`: the money moved, nothing was delivered; the next holder delivers without a charge.
 */
export type PaymentRecordState = "claimed" | "settling" | "paid";

export interface Binding {
  /** The payment's identity: network, asset, payer, nonce. */
  readonly key: string;
  /** SHA-256 of method, address, query, body, payee and amount. */
  readonly fingerprint: string;
  /** SHA-256 of the whole payment, its envelope included. */
  readonly payload: string;
  /** The payload hash that earlier versions stored. */
  readonly earlierPayload?: string;
  /** When the authorization ends, in milliseconds since the Unix epoch. */
  readonly validBeforeMs: number;
}

/** Hashes that a payment rebuilt from the chain does not have: they prove the same buyer. */
export interface Proof {
  /** The random token of the challenge, which the payment echoes. */
  readonly token?: string;
  /** Another payer has shown the same token, so it proves nothing. */
  readonly isTokenShared?: boolean;
  readonly authorization?: string;
  readonly cookie?: string;
  /** The payment carries the salt that opens its nonce to this request. */
  readonly isOpened?: boolean;
}

/** How a request may use the record that an earlier request has made. */
export interface Access {
  readonly proof: Proof;
  /**
   * - `bound`: with a proof; without one only while nothing was delivered and the first request
   *   showed none either.
   * - `proven`: with a proof only.
   * - `anyone`: without a proof.
   */
  readonly rule: "bound" | "proven" | "anyone";
}

export interface StoredResponse {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array<ArrayBuffer>;
  /** Hash of the credentials it was made for, where the request had any. */
  readonly reader?: string;
}

/** What is known of a settlement that is under way. */
export interface SettlingStep {
  /** The name of the facilitator that `/settle` is about to be sent to. */
  readonly facilitator?: string;
  /** Versions that know one facilitator only must leave the record alone. */
  readonly isForLaterVersions?: boolean;
  readonly receipt?: SettleResponse;
  /** Kept in the same step, where the store has room for it. */
  readonly response?: StoredResponse;
  /** Most likely no money moves: the store may forget the record when it needs room. */
  readonly isDispensable?: boolean;
}

/**
 * The right to work on one record. Every call returns whether it took effect: false after the end of
 * the work, and when the lease has expired. The holder then returns no content, because another
 * holder may be doing so.
 */
export interface Lease {
  readonly state: PaymentRecordState;
  /** 128 random bits as hex that name this exchange to the facilitator. Absent in old records. */
  readonly exchangeKey?: string | undefined;
  /** The facilitator that `/settle` was sent to; absent in old records, and where it has no name. */
  readonly facilitator?: string | undefined;
  /** The last receipt that was recorded. */
  readonly receipt?: SettleResponse | undefined;
  /** The response that was made before the money moved. */
  readonly response?: StoredResponse | undefined;
  /** Records that `/settle` is about to be sent, or what is known of it since. */
  settling(known?: SettlingStep): Promise<boolean>;
  /** Records that the money moved. */
  paid(receipt: SettleResponse): Promise<boolean>;
  /** Ends the work: delivered. Keeps this response for a repeat, or the one that was kept before. */
  complete(receipt: SettleResponse, response?: StoredResponse): Promise<boolean>;
  /** Ends the work: the record is forgotten, as if the payment had never been seen. */
  discard(): Promise<boolean>;
  /** Ends the work and leaves the state to the next holder. */
  unlock(): Promise<boolean>;
}

export type Acquisition =
  | { readonly kind: "acquired"; readonly lease: Lease }
  /** Another request works on it; see {@link PaymentRecords.wait}. */
  | { readonly kind: "busy" }
  /** The payment is bound to another request, or came in another envelope. */
  | { readonly kind: "bound" }
  /** The request shows no proof, and nothing has changed. */
  | { readonly kind: "unproven"; readonly receipt?: SettleResponse }
  /** The response is included only for requests that may have it. */
  | {
      readonly kind: "delivered";
      readonly receipt: SettleResponse;
      readonly response?: StoredResponse;
    }
  /** No room for another record. */
  | { readonly kind: "full" };

/** A call of a channel that was charged, and its response. */
export interface DeliveredCall {
  readonly receipt: SettleResponse;
  readonly response: StoredResponse;
}

/** The payment records of a seller, shared by all processes that sell the same routes. */
export interface PaymentRecords {
  /** Longest body of a response that is kept, in bytes. */
  readonly answerBytesMax: number;
  /** Acquires the record of a payment atomically: one of any number of callers gets the lease. */
  acquire(binding: Binding, access: Access): Promise<Acquisition>;
  /** Records that a payer has shown a token; returns whether another payer has within a day. */
  isTokenShared(token: string, payer: string): Promise<boolean>;
  /**
   * Records that a buyer's identifier stands for a payment. False while it stands for another one,
   * which has a record or can still be charged; after a day it is free in any case.
   */
  identify(identifier: string, payment: Pick<Binding, "key" | "validBeforeMs">): Promise<boolean>;
  /** What is kept of a channel's call, for a request that proves to be a repeat of it. */
  recall(binding: Binding, access: Access): Promise<DeliveredCall | undefined>;
  /** What to keep with the charge of a call; undefined where no repeat could prove anything, or be served. */
  toKeep(binding: Binding, access: Access, call: DeliveredCall): KeptCall | undefined;
  /** Whether there is a record with exactly this binding, in whatever state. */
  has(binding: Binding): Promise<boolean>;
  /** Whether the request proves that it comes from the buyer who made the record. */
  isProven(binding: Binding, access: Access): Promise<boolean>;
  /** Waits until a busy record is free again. False when that took longer than `timeoutMs`. */
  wait(key: string, timeoutMs: number): Promise<boolean>;
  /** Absent where the store keeps no passes. */
  readonly passes?: Passes;
  /** Absent where the store keeps no balances. */
  readonly balances?: Balances;
  /** Absent where the store keeps no channels. */
  readonly channels?: Channels;
  /** Absent where the store keeps no passes. */
  readonly refunds?: RefundRecords;
}
