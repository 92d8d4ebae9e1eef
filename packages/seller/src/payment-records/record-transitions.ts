/**
 * What is kept of one payment, and how it may change. The rules that use these are in
 * create-payment-records.ts; the stores know nothing about payments.
 */
import type { SettleResponse } from "@farthing/protocol";
import { deliveredMsMax, settlingMsMax, undeliveredMsMax } from "./retention.ts";
import type { PaymentRecordState } from "./payment-records.ts";
import type { Opener } from "./proof.ts";

/** The states of {@link PaymentRecordState}, and the last one: the content went out. */
export type StoredState = PaymentRecordState | "delivered";

/**
 * The version of a stored record. Version 1 is every record without a number: one that was made
 * before 0.1.0 may lack the exchange key and what its first request showed.
 */
export const recordFormat = 2;

/** A payment's record as a store returns it. The response that is kept with it is read apart. */
export interface PaymentRecord {
  readonly key: string;
  readonly fingerprint: string;
  readonly payload: string;
  readonly state: StoredState;
  /** What the first request showed of its maker. */
  readonly opener: Opener;
  readonly exchangeKey?: string;
  readonly receipt?: SettleResponse;
  /** Whose lease it is, until `heldUntilMs`. */
  readonly holder?: string;
  readonly heldUntilMs: number;
  /** From when on it may make room for another one while it is open, where the store has a bound. */
  readonly dispensableFromMs?: number;
  /** Until when a delivered response is kept; 0 before its delivery. */
  readonly answerUntilMs: number;
  /** Bytes of the response that is kept, where the store counts them. */
  readonly answerBytes?: number;
  /** When it was read, by the clock of the store: all of its times are by that clock. */
  readonly readAtMs: number;
}

/** Something that can happen to a record. */
export interface Transition {
  /** The states that it may start from. */
  readonly from: readonly StoredState[];
  /** The state after it; absent where that stays; `gone` where the record is forgotten. */
  readonly to?: StoredState | "gone";
  /** How long the record is kept from then on, in milliseconds; absent where that stays. */
  readonly keptMs?: number;
}

const open = ["claimed", "settling", "paid"] as const;

/** Everything that can happen to a record. Every change that a store makes is guarded by `from`. */
export const paymentRecordTransitions = {
  /** A request gets the lease. */
  acquire: { from: open },
  /** The holder is still at work. */
  renew: { from: open },
  /** `/settle` is about to be sent, or more is known of it. From `paid` where the receipt is lost. */
  settle: { from: open, to: "settling", keptMs: settlingMsMax },
  /** The money moved. */
  pay: { from: open, to: "paid", keptMs: undeliveredMsMax },
  /** The content goes out. */
  complete: { from: open, to: "delivered", keptMs: deliveredMsMax },
  /** The holder ends its work where it stands. */
  unlock: { from: open },
  /** The holder ends its work as if the payment had never been seen. */
  discard: { from: open, to: "gone" },
  /** The record makes room for another one. */
  evict: { from: ["claimed", "settling", "delivered"], to: "gone" },
  /** The response of a delivered payment makes room for another one. */
  forgetAnswer: { from: ["delivered"] },
} as const satisfies Record<string, Transition>;

/** The name of something that can happen to a record. */
export type TransitionName = keyof typeof paymentRecordTransitions;

/** Whether the lease of a record was in force when it was read. */
export function isHeld({
  holder,
  heldUntilMs,
  readAtMs,
}: Pick<PaymentRecord, "holder" | "heldUntilMs" | "readAtMs">): boolean {
  return holder !== undefined && heldUntilMs > readAtMs;
}
