/**
 * What a store of payment records has to do: find, insert, change under a condition, list by age.
 * Each call happens whole or not at all, whatever other processes do. The rules are in create-payment-records.ts.
 */
import type { SettleResponse } from "@farthing/protocol";
import type { Binding, StoredAnswer } from "./payment-records.ts";
import type { PaymentRecord, StoredState } from "./record-transitions.ts";
import type { Opener } from "./proof.ts";

/** A moment by the clock of the store: so long after the call, and not after a given time. */
export interface Deadline {
  readonly inMs: number;
  readonly notAfterMs?: number;
}

/** A lease for one holder. */
export interface Lock {
  readonly holder: string;
  readonly until: Deadline;
}

/** The record of a payment that had none. Its state is `claimed`. */
export interface NewPaymentRecord {
  readonly binding: Binding;
  readonly opener: Opener;
  readonly exchangeKey: string;
  readonly lock: Lock;
  readonly expires: Deadline;
}

/**
 * What a record must be for a change to take effect. Sellers of earlier versions may share the
 * store, so this names what they change as well, and no counter that they would not count up.
 */
export interface Expected {
  readonly states: readonly StoredState[];
  /** Null: without a holder. What is absent may be anything. */
  readonly holder?: string | null;
  readonly heldUntilMs?: number;
  /** Null: without one. */
  readonly exchangeKey?: string | null;
  readonly dispensableFromMs?: number;
}

/** What a change sets, which is something. What is absent stays. */
export interface Change {
  readonly state?: StoredState;
  readonly expires?: Deadline;
  readonly exchangeKey?: string;
  readonly receipt?: SettleResponse;
  /** Null: nobody's lease any more. */
  readonly lock?: Lock | null;
  /** From when on an open record may make room for another one. */
  readonly dispensableFromMs?: number;
  /** The response to keep; null: none any more. */
  readonly answer?: StoredAnswer | null;
  /** Until when the response is kept; as long as the record where this was never said. */
  readonly answerUntil?: Deadline;
}

/** What came of an insertion. */
export type Inserted =
  | { readonly kind: "inserted" }
  | { readonly kind: "exists"; readonly record: PaymentRecord }
  | { readonly kind: "full" };

/** What came of a change. */
export type Changed =
  /** With the record as it is now, or was at last when it is gone. */
  | { readonly kind: "changed"; readonly record: PaymentRecord }
  /** The record is not as expected, or gone. */
  | { readonly kind: "stale" }
  /** There is no room for the response, and nothing has changed. */
  | { readonly kind: "full"; readonly missingBytes: number };

/**
 * The lists of records that may make room, oldest first: open ones without a holder that may be
 * forgotten by now, delivered ones, and delivered ones whose response is kept.
 */
export type RecordList = "dispensable" | "delivered" | "answered";

/** A store of payment records. A record whose time is over is not there any more. */
export interface PaymentRecordStore {
  get(key: string): Promise<PaymentRecord | undefined>;
  /** The response that is kept with a record. */
  getAnswer(key: string): Promise<StoredAnswer | undefined>;
  /** Makes a record where there is none, and room for one more. */
  insert(record: NewPaymentRecord): Promise<Inserted>;
  /** Changes a record that is as expected, or forgets it. */
  compareAndSet(key: string, expected: Expected, change: Change | "gone"): Promise<Changed>;
  /** Absent where the store has no bound of its own. */
  list?(list: RecordList, limit: number): Promise<readonly PaymentRecord[]>;
  /**
   * Calls `onFree` each time a holder ends its work; returns how to stop. Undefined when too many
   * watch this record. A store without this is asked again and again.
   */
  watch?(key: string, onFree: () => void): (() => void) | undefined;
  readonly tokens: TokenStore;
}

/** The payers who have shown the tokens of challenges. A token is kept for a day. */
export interface TokenStore {
  /** Notes the payer of a token that has none; returns the one it has, null for several. */
  insert(token: string, payer: string): Promise<string | null | undefined>;
  /** Notes that several payers have shown a token. */
  share(token: string): Promise<void>;
}

/** The moment that a deadline means. */
export function timeOf({ inMs, notAfterMs = Infinity }: Deadline, nowMs: number): number {
  return Math.min(nowMs + inMs, notAfterMs);
}
