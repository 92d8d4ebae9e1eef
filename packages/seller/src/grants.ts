/**
 * Grants: the memory that makes one payment open one response. A grant belongs to one payment,
 * known by (network, asset, payer, nonce), and is bound to one request and one payload.
 *
 * One worker at a time holds a grant's lease. Everyone else with the same payment and the same
 * request waits for that worker, and finds the outcome.
 */
import type { SettleResponse } from "@farthing/protocol";

/**
 * - `claimed`: nothing was sent to be settled; may be forgotten.
 * - `settling`: `/settle` was sent and the outcome is open; never forgotten while that is so.
 * - `paid`: the money moved, nothing was delivered; the next holder delivers without a charge.
 */
export type GrantState = "claimed" | "settling" | "paid";

/** What a grant is bound to. */
export interface Binding {
  /** The payment's identity: network, asset, payer, nonce. */
  readonly key: string;
  /** SHA-256 of method, address, query, body, payee and amount. */
  readonly fingerprint: string;
  /** SHA-256 of the whole payment, its envelope included. */
  readonly payload: string;
  /** When the authorization ends, in milliseconds since the Unix epoch. */
  readonly validBeforeMs: number;
}

/** An answer as it can be sent again. */
export interface StoredAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array<ArrayBuffer>;
}

/** The right to work on one grant. After the first of the last three, every call does nothing. */
export interface Lease {
  readonly state: GrantState;
  /** The last receipt that was recorded. */
  readonly receipt?: SettleResponse;
  /** Records that `/settle` is about to be sent, or what is known of it since. */
  settling(receipt?: SettleResponse): Promise<void>;
  /** Records that the money moved. */
  paid(receipt: SettleResponse): Promise<void>;
  /** Ends the work: delivered. Without an answer, only the fact and the receipt are kept. */
  deliver(answer?: StoredAnswer): Promise<void>;
  /** Ends the work: the grant is forgotten, as if the payment had never been seen. */
  release(): Promise<void>;
  /** Ends the work where it stands; whoever comes next goes on from there. */
  leave(): Promise<void>;
}

/** What came of asking for a grant. */
export type Take =
  | { readonly kind: "taken"; readonly lease: Lease }
  /** Somebody works on it; see {@link GrantStore.wait}. */
  | { readonly kind: "busy" }
  /** The payment is bound to another request, or came in another envelope. */
  | { readonly kind: "bound" }
  | {
      readonly kind: "delivered";
      readonly receipt: SettleResponse;
      readonly answer?: StoredAnswer;
    }
  /** No room for another grant. */
  | { readonly kind: "full" };

/** Keeps grants. Shared by all processes that sell the same routes. */
export interface GrantStore {
  /** Longest body of an answer that is kept, in bytes. */
  readonly answerBytesMax: number;
  /** Takes the grant of a payment, atomically: of any number of callers one gets the lease. */
  take(binding: Binding): Promise<Take>;
  /** Waits until a busy grant is free again. False when that took longer than `timeoutMs`. */
  wait(key: string, timeoutMs: number): Promise<boolean>;
}
