/** What gives way when a store is full, and in which order. */
import type { PaymentRecord } from "./record-transitions.ts";
import type { PaymentRecordStore, RecordList } from "./store.ts";
import { asRead, transit } from "./transit.ts";

/** Candidates looked at: other processes may take the first ones. */
const candidatesMax = 8;

/** Delivered responses that one new response may displace at most. */
const displacedMax = 1_000;

/**
 * Forgets one record: an open one of which nothing can come any more, else the one that was
 * delivered first. False when there is none.
 */
export async function makeRoom(store: PaymentRecordStore): Promise<boolean> {
  for (const list of ["dispensable", "delivered"] as const) {
    for (const record of await listed(store, list, candidatesMax)) {
      const { kind } = await transit(store, record.key, "evict", asRead(record));
      if (kind === "changed") return true;
    }
  }
  return false;
}

/** Forgets delivered responses, oldest first. What nobody has had yet stays. */
export async function makeRoomForAnswer(
  store: PaymentRecordStore,
  missingBytes: number,
): Promise<void> {
  let leftBytes = missingBytes;
  for (const { key, answerBytes = 0 } of await listed(store, "answered", displacedMax)) {
    if (leftBytes <= 0) return;
    const { kind } = await transit(store, key, "forgetAnswer", {}, { answer: null });
    if (kind === "changed") leftBytes -= answerBytes;
  }
}

async function listed(
  store: PaymentRecordStore,
  list: RecordList,
  limit: number,
): Promise<readonly PaymentRecord[]> {
  return (await store.list?.(list, limit)) ?? [];
}
