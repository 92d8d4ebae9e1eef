/** The interface of a store of payment records. Each call is atomic across processes. */
import type { SettleResponse } from "@farthing/protocol";
import type { Binding, StoredResponse } from "./payment-records.ts";
import type { PaymentRecord, StoredState } from "./record-transitions.ts";
import type { Opener } from "./proof.ts";
import type { BalanceStore } from "../balances/balance-store.ts";
import type { ChannelStore } from "../channels/channel-store.ts";
import type { PassStore } from "../passes/pass-store.ts";

/** A moment by the clock of the store: so long after the call, and not after a given time. */
export interface Deadline {
  readonly inMs: number;
  readonly notAfterMs?: number;
}

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
 * The condition of a change; an absent value may be anything. Sellers of earlier versions may share
 * the store, so it consists of fields that they change as well, and not of a counter.
 */
export interface Expected {
  readonly states: readonly StoredState[];
  readonly holder?: string | null;
  readonly heldUntilMs?: number;
  readonly exchangeKey?: string | null;
  readonly dispensableFromMs?: number;
}

/** The values that a change sets, at least one; an absent value stays as it is. */
export interface Change {
  readonly state?: StoredState;
  readonly expires?: Deadline;
  readonly exchangeKey?: string;
  readonly facilitator?: string;
  /** The version of the record, see `recordFormat`. */
  readonly format?: number;
  readonly receipt?: SettleResponse;
  /** Null ends the lease. */
  readonly lock?: Lock | null;
  /** From then on an open record may make room for another one. */
  readonly dispensableFromMs?: number;
  /** The response to keep; null forgets it. */
  readonly response?: StoredResponse | null;
  /** The response is kept until then; without this, for as long as the record. */
  readonly responseUntil?: Deadline;
}

export type Inserted =
  | { readonly kind: "inserted" }
  | { readonly kind: "exists"; readonly record: PaymentRecord }
  | { readonly kind: "full" };

export type Changed =
  /** The record after the change, or as it was before it was forgotten. */
  | { readonly kind: "changed"; readonly record: PaymentRecord }
  /** The record is not as expected, or gone. */
  | { readonly kind: "stale" }
  /** There is no room for the response, and nothing has changed. */
  | { readonly kind: "full"; readonly missingBytes: number };

/** Records that may make room, oldest first: dispensable, delivered, or with a response. */
export type RecordList = "dispensable" | "delivered" | "responses";

/** A store of payment records. An expired record no longer exists. */
export interface PaymentRecordStore {
  get(key: string): Promise<PaymentRecord | undefined>;
  getResponse(key: string): Promise<StoredResponse | undefined>;
  /** Creates a record unless there is one, within the store's bound. */
  insert(record: NewPaymentRecord): Promise<Inserted>;
  /** Changes or forgets a record that is as expected. */
  compareAndSet(key: string, expected: Expected, change: Change | "gone"): Promise<Changed>;
  /** Absent where the store has no bound of its own. */
  list?(list: RecordList, limit: number): Promise<readonly PaymentRecord[]>;
  /** Calls `onFree` when a holder ends its work. Undefined when too many callers watch. */
  watch?(key: string, onFree: () => void): (() => void) | undefined;
  readonly tokens: TokenStore;
  /** Absent where the store keeps no passes. */
  readonly passes?: PassStore;
  /** Absent where the store keeps no balances. */
  readonly balances?: BalanceStore;
  /** Absent where the store keeps no channels. */
  readonly channels?: ChannelStore;
}

/**
 * The payers who have shown the tokens of challenges, and the payments that buyers have named: what
 * was first seen under a hash, for a day.
 */
export interface TokenStore {
  /** Stores the payer of a new token; else returns the stored payer, null for several payers. */
  insert(token: string, payer: string): Promise<string | null | undefined>;
  /** Records that several payers have shown a token. */
  share(token: string): Promise<void>;
}

/** The bounds of a store that counts its records, and its clock. */
export interface Bounds {
  readonly entriesMax: number;
  readonly totalBytesMax: number;
  readonly now: () => number;
}

export function timeOf({ inMs, notAfterMs = Infinity }: Deadline, nowMs: number): number {
  return Math.min(nowMs + inMs, notAfterMs);
}

/** Returns the fields of the record that a change sets, without its response. */
export function fieldsOf<Time>(change: Change, toTime: (deadline: Deadline) => Time) {
  const { lock, response: _response, expires, responseUntil, ...values } = change;
  return {
    ...values,
    ...(expires ? { expiresAtMs: toTime(expires) } : {}),
    ...(responseUntil ? { responseUntilMs: toTime(responseUntil) } : {}),
    ...(lock ? { holder: lock.holder, heldUntilMs: toTime(lock.until) } : {}),
    ...(lock === null ? { holder: null, heldUntilMs: 0 } : {}),
  };
}
