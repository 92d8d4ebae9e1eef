/**
 * Payment records: the memory that makes one payment open one response. A record belongs to one
 * payment, known by (network, asset, payer, nonce), and is bound to one request and one payload.
 *
 * One worker at a time holds a record's lease. Everyone else with the same payment and the same
 * request waits for that worker, and finds the outcome. A store that outlives its processes lets
 * the lease of a dead one expire, and whoever comes next goes on from what was recorded.
 */
import type { SettleResponse } from "@farthing/protocol";

/**
 * - `claimed`: nothing was sent to be settled; may be forgotten.
 * - `settling`: `/settle` was sent and the outcome is open; never forgotten while that is so. The
 *   answer may have been made before, and is then kept with the record.
 * - `paid`: the money moved, nothing was delivered; the next holder delivers without a charge.
 */
export type PaymentRecordState = "claimed" | "settling" | "paid";

/** What a record is bound to. */
export interface Binding {
  /** The payment's identity: network, asset, payer, nonce. */
  readonly key: string;
  /** SHA-256 of method, address, query, body, payee and amount. */
  readonly fingerprint: string;
  /** SHA-256 of the whole payment, its envelope included. */
  readonly payload: string;
  /** The same as earlier versions made it; their records have this one. */
  readonly earlierPayload?: string;
  /** When the authorization ends, in milliseconds since the Unix epoch. */
  readonly validBeforeMs: number;
}

/**
 * What a request shows to prove that it comes from the buyer who opened the record. After settlement
 * a payment can be rebuilt from the chain, and none of these can. Hashes (SHA-256), never the values.
 */
export interface Proof {
  /** The random token of the challenge, which the payment echoes. */
  readonly token?: string;
  /** Another payer has shown the same token, so it proves nothing. */
  readonly isTokenShared?: boolean;
  /** The `Authorization` header of the request. */
  readonly authorization?: string;
  /** The `Cookie` header of the request. */
  readonly cookie?: string;
  /** The payment carries the salt that opens its nonce to this request. */
  readonly isOpened?: boolean;
}

/** How a request may use the record that an earlier request has made. */
export interface Access {
  readonly proof: Proof;
  /**
   * - `bound`: with a proof; a record whose first request showed nothing is also resumed without
   *   one while its content has not been delivered.
   * - `proven`: with a proof only.
   * - `anyone`: without a proof.
   */
  readonly rule: "bound" | "proven" | "anyone";
}

/** An answer as it can be sent again. */
export interface StoredAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array<ArrayBuffer>;
  /** For whom it was made, where the request had credentials: a hash of them. */
  readonly reader?: string;
}

/** What is known of a settlement that is under way. */
export interface SettlingStep {
  readonly receipt?: SettleResponse;
  readonly answer?: StoredAnswer;
  readonly isDispensable?: boolean;
}

/**
 * The right to work on one record. Every call says whether it took effect: false when the lease is
 * no longer this holder's, after one of the last three or because it expired while the holder was
 * not heard of. Who hears that hands nothing out: somebody else may be doing it.
 */
export interface Lease {
  readonly state: PaymentRecordState;
  /**
   * Names this exchange to the facilitator: 128 random bits as hex, made with the record. Absent in
   * records of versions that had none.
   */
  readonly exchangeKey?: string;
  /** The last receipt that was recorded. */
  readonly receipt?: SettleResponse;
  /** The answer that was made before the money moved. */
  readonly answer?: StoredAnswer;
  /**
   * Records that `/settle` is about to be sent, or what is known of it since. An answer that is
   * given with it is kept in the same step, where the store has room for it. With `isDispensable`
   * the store may forget the record when it needs room: most likely no money moves for it.
   */
  settling(known?: SettlingStep): Promise<boolean>;
  /** Records that the money moved. */
  paid(receipt: SettleResponse): Promise<boolean>;
  /**
   * Ends the work: delivered. Kept for a repeat is the answer given here, or the one kept before,
   * or only the fact and the receipt.
   */
  complete(receipt: SettleResponse, answer?: StoredAnswer): Promise<boolean>;
  /** Ends the work: the record is forgotten, as if the payment had never been seen. */
  discard(): Promise<boolean>;
  /** Ends the work where it stands; whoever comes next goes on from there. */
  unlock(): Promise<boolean>;
}

/** What came of asking for a record. */
export type Acquisition =
  | { readonly kind: "acquired"; readonly lease: Lease }
  /** Somebody works on it; see {@link PaymentRecords.wait}. */
  | { readonly kind: "busy" }
  /** The payment is bound to another request, or came in another envelope. */
  | { readonly kind: "bound" }
  /** The request shows no proof, and nothing has changed. */
  | { readonly kind: "unproven"; readonly receipt?: SettleResponse }
  /** The answer is given to requests that may have it only. */
  | {
      readonly kind: "delivered";
      readonly receipt: SettleResponse;
      readonly answer?: StoredAnswer;
    }
  /** No room for another record. */
  | { readonly kind: "full" };

/** The payment records of a seller. Shared by all processes that sell the same routes. */
export interface PaymentRecords {
  /** Longest body of an answer that is kept, in bytes. */
  readonly answerBytesMax: number;
  /** Acquires the record of a payment, atomically: of any number of callers one gets the lease. */
  acquire(binding: Binding, access: Access): Promise<Acquisition>;
  /**
   * Notes that a payer has shown a challenge's token, and tells whether another payer has shown it
   * as well. Tokens are remembered for a day.
   */
  isTokenShared(token: string, payer: string): Promise<boolean>;
  /** Whether there is a record with exactly this binding, in whatever state. */
  has(binding: Binding): Promise<boolean>;
  /** Waits until a busy record is free again. False when that took longer than `timeoutMs`. */
  wait(key: string, timeoutMs: number): Promise<boolean>;
}
