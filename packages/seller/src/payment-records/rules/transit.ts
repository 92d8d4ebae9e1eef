/** Transitions of records in a store, and the records that give way when it is full. */
import { defined } from "@farthing/protocol";
import {
  paymentRecordTransitions,
  type PaymentRecord,
  type Transition,
  type TransitionName,
} from "./record-transitions.ts";
import type { Change, Changed, Expected, PaymentRecordStore } from "./store.ts";

/** The part of a change that the table of transitions leaves open. */
export type Details = Omit<Change, "state" | "expires">;

/** Applies a transition to a record that is in one of its states and as expected. */
export function transit(
  store: PaymentRecordStore,
  key: string,
  name: TransitionName,
  expected: Omit<Expected, "states">,
  details: Details = {},
): Promise<Changed> {
  const { from, to, keptMs }: Transition = paymentRecordTransitions[name];
  if (to === "gone") return store.compareAndSet(key, { ...expected, states: from }, to);
  const expires = keptMs === undefined ? undefined : { inMs: keptMs };
  const change = { ...details, ...defined({ state: to, expires }) };
  return store.compareAndSet(key, { ...expected, states: from }, change);
}

/** Expects the record as it was read: no one has acquired it since, and it is the same one. */
export function asRead(record: PaymentRecord): Omit<Expected, "states"> {
  const { holder, heldUntilMs, exchangeKey, dispensableFromMs } = record;
  return { holder, heldUntilMs, exchangeKey, dispensableFromMs };
}

/** More than one candidate is read, because other processes may take the first ones. */
const maxCandidates = 8;

/** Delivered responses that one new response may displace at most. */
const maxDisplaced = 1_000;

/** Forgets a dispensable record, else the oldest delivered one. False when there is none. */
export async function makeRoom(store: PaymentRecordStore): Promise<boolean> {
  for (const list of ["dispensable", "delivered"] as const) {
    for (const record of (await store.list?.(list, maxCandidates)) ?? []) {
      const { kind } = await transit(store, record.key, "evict", asRead(record));
      if (kind === "changed") return true;
    }
  }
  return false;
}

/** Forgets delivered responses, oldest first. A response that was not delivered yet stays. */
export async function makeRoomForResponse(store: PaymentRecordStore, missingBytes: number) {
  let leftBytes = missingBytes;
  for (const { key, responseBytes } of (await store.list?.("responses", maxDisplaced)) ?? []) {
    if (leftBytes <= 0) return;
    const { kind } = await transit(store, key, "forgetResponse", {}, { response: null });
    if (kind === "changed") leftBytes -= responseBytes;
  }
}
