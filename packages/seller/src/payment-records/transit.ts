/** A transition of a record in a store: from the table to a guarded change. */
import {
  paymentRecordTransitions,
  type PaymentRecord,
  type Transition,
  type TransitionName,
} from "./record-transitions.ts";
import type { Change, Changed, Expected, PaymentRecordStore } from "./store.ts";

/** What a transition leaves open: its table says which states, and for how long it is kept. */
export type Details = Omit<Change, "state" | "expires">;

/** Takes a record through a transition where it is in one of its states and as expected. */
export function transit(
  store: PaymentRecordStore,
  key: string,
  name: TransitionName,
  expected: Omit<Expected, "states">,
  details: Details = {},
): Promise<Changed> {
  const { from, to, keptMs }: Transition = paymentRecordTransitions[name];
  if (to === "gone") return store.compareAndSet(key, { ...expected, states: from }, to);
  const change = {
    ...details,
    ...(to === undefined ? {} : { state: to }),
    ...(keptMs === undefined ? {} : { expires: { inMs: keptMs } }),
  };
  return store.compareAndSet(key, { ...expected, states: from }, change);
}

/** The record as it was read: nobody has acquired it since, and it is the same one. */
export function asRead(record: PaymentRecord): Omit<Expected, "states"> {
  const { holder = null, heldUntilMs, exchangeKey = null, dispensableFromMs } = record;
  return {
    holder,
    heldUntilMs,
    exchangeKey,
    ...(dispensableFromMs === undefined ? {} : { dispensableFromMs }),
  };
}
