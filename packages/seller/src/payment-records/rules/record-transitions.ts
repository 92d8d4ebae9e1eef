/** The stored payment record, its states and its transitions. */
import type { SettleResponse } from "@farthing/protocol";
import { callKeyPrefix } from "../channels/kept-call.ts";
import { maxDeliveredMs, maxSettlingMs, maxUndeliveredMs } from "../retention.ts";
import type { PaymentRecordState } from "./payment-records.ts";
import type { Opener } from "./proof.ts";

const open = ["claimed", "settling", "paid"] as const satisfies readonly PaymentRecordState[];

/** The states of {@link PaymentRecordState}, and the last one: the content was delivered. */
export const storedStates = [...open, "delivered"] as const;

export type StoredState = (typeof storedStates)[number];

/**
 * The newest version of a stored record that this one reads. Records of version 1 carry no number,
 * see `recordIn`; those of version 3 name a facilitator that earlier versions would not ask.
 */
export const recordFormat = 3;

/** The version of new records, which earlier versions read too. */
export const newRecordFormat = 2;

/** A payment's record as a store returns it. The response that is kept with it is read apart. */
export interface PaymentRecord {
  readonly key: string;
  readonly fingerprint: string;
  readonly payload: string;
  readonly state: StoredState;
  /** The proofs of the first request. */
  readonly opener: Opener;
  /** Null in records of versions that had none. */
  readonly exchangeKey: string | null;
  /** The facilitator that `/settle` was sent to; null in records that name none. */
  readonly facilitator: string | null;
  readonly receipt: SettleResponse | null;
  /** The holder of the lease, until `heldUntilMs`. */
  readonly holder: string | null;
  readonly heldUntilMs: number;
  /** From then on an open record may make room for another one, where the store has a bound. */
  readonly dispensableFromMs: number;
  /** A delivered response is kept until then; 0 before its delivery. */
  readonly responseUntilMs: number;
  /** Bytes of the response that is kept, where the store counts them. */
  readonly responseBytes: number;
  /** The time of reading, by the clock of the store: all times are by that clock. */
  readonly readAtMs: number;
}

export interface Transition {
  readonly from: readonly StoredState[];
  /** The state afterwards; absent where it stays; `gone` where the record is forgotten. */
  readonly to?: StoredState | "gone";
  /** How long the record is kept from then on, in milliseconds; absent where that stays. */
  readonly keptMs?: number;
}

/** All transitions. Every change that a store makes is guarded by `from`. */
export const paymentRecordTransitions = {
  /** A request gets the lease. */
  acquire: { from: open },
  /** The holder is still at work. */
  renew: { from: open },
  /** `/settle` is about to be sent, or more is known of it. From `paid` where the receipt is lost. */
  settle: { from: open, to: "settling", keptMs: maxSettlingMs },
  /** The money moved. */
  pay: { from: open, to: "paid", keptMs: maxUndeliveredMs },
  /** The content goes out. */
  complete: { from: open, to: "delivered", keptMs: maxDeliveredMs },
  /** The holder ends its work and leaves the state as it is. */
  unlock: { from: open },
  /** The holder ends its work as if the payment had never been seen. */
  discard: { from: open, to: "gone" },
  /** The record makes room for another one. */
  evict: { from: ["claimed", "settling", "delivered"], to: "gone" },
  /** The money goes back: nothing is delivered any more, and the response is forgotten. */
  refund: { from: storedStates, to: "delivered", keptMs: maxDeliveredMs },
  /** The response of a delivered payment makes room for another one. */
  forgetResponse: { from: ["delivered"] },
} as const satisfies Record<string, Transition>;

export type TransitionName = keyof typeof paymentRecordTransitions;

/** The state in which a record is made: a call of a channel is kept when it is delivered. */
export function firstStateOf(key: string): StoredState {
  return key.startsWith(callKeyPrefix) ? "delivered" : "claimed";
}

/** Whether the lease of a record was in force when the record was read. */
export function isHeld(record: Pick<PaymentRecord, "holder" | "heldUntilMs" | "readAtMs">) {
  return record.holder !== null && record.heldUntilMs > record.readAtMs;
}
