/** What a payment looks at in the book of a ledger, and that its sums are those of its records. */
import * as fc from "fast-check";
import { isSameAddress } from "@farthing/protocol";
import { expect, test } from "vitest";
import { LedgerBook } from "./ledger-book.ts";
import { openStates, type LedgerRecord, type LedgerState } from "./ledger.ts";
import { reservation, rules } from "./ledger.suite.ts";
import { dayMs } from "./limits.ts";
import { otherPayee } from "../scripted-seller.testing.ts";

const minuteMs = 60_000;

function recordOf(requestId: string, over: Partial<LedgerRecord> = {}): LedgerRecord {
  return { ...reservation(requestId), state: "settled", attempt: 0, ...over };
}

/** A book that has recorded so many payments, and how often it has read a member of one since. */
function bookWith(count: number) {
  let reads = 0;
  const book = new LedgerBook();
  for (let nth = 0; nth < count; nth++) {
    const record = recordOf(`earlier ${nth}`, { reservedAt: nth });
    const counted = new Proxy(record, {
      get: (target, name) => (reads++, Reflect.get(target, name)),
    });
    book.put(counted);
  }
  // Moves the window of the sum to the present once.
  book.usage(reservation("any"), 0);
  reads = 0;
  return { book, reads: () => reads };
}

/** One payment, as a ledger asks it of the book. */
function payOnce(book: LedgerBook, requestId: string): void {
  const now = 100 * minuteMs;
  const asked = reservation(requestId, { reservedAt: now });
  book.forget(now, 0);
  const outcome = book.evaluate(asked, { ...rules, perDayUnits: undefined });
  expect(outcome.ok).toBe(true);
  if (!outcome.ok) return;
  book.put(outcome.record);
  book.usage(asked, now - dayMs);
  book.list(openStates);
  for (const state of ["signed", "sent", "settled"] as const) {
    book.put(book.transitioned(requestId, { state }));
  }
}

test("a payment looks at no more records after ten thousand payments than after ten", () => {
  const [few, many] = [bookWith(10), bookWith(10_000)];
  for (const { book } of [few, many]) {
    payOnce(book, "first");
    payOnce(book, "second");
  }
  expect(many.reads()).toBeLessThanOrEqual(few.reads() + 100);
});

test("what a day has passed over is dropped with work for each record once", () => {
  const count = 10_000;
  const { book, reads } = bookWith(count);
  for (let nth = 0; nth < count; nth++) book.forget(dayMs + nth, 0);
  expect(book.size).toBe(0);
  expect(reads()).toBeLessThan(20 * count);
});

const states: readonly LedgerState[] = [...openStates, "settled", "released", "expired"];

const step = fc.record({
  requestId: fc.integer({ min: 0, max: 8 }).map(String),
  state: fc.constantFrom(...states),
  reservedAt: fc.integer({ min: 0, max: 20 }),
  amountUnits: fc.bigInt({ min: 1n, max: 1_000n }),
  wallet: fc.constantFrom(reservation("").wallet, otherPayee),
  since: fc.integer({ min: -1, max: 20 }),
  keptMax: fc.option(fc.integer({ min: 0, max: 3 })),
});

test("sums, lists and what is kept are those of the records, in any order of times", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const book = new LedgerBook();
      const records = new Map<string, LedgerRecord>();
      for (const { since, keptMax, ...next } of steps) {
        const record = recordOf(next.requestId, next);
        book.put(record);
        records.set(record.requestId, record);
        if (keptMax !== null) {
          const kept = keptCount([...records.values()], since, keptMax);
          book.forget(since + dayMs, keptMax);
          expect(book.size).toBe(kept);
          // Of records of the same time, any may be the one that is kept.
          for (const id of records.keys()) if (!book.find(id)) records.delete(id);
        }
        expect(book.size).toBe(records.size);
        const all = [...records.values()];
        const spent = all.filter(
          (one) => counts(one, since) && isSameAddress(one.wallet, next.wallet),
        );
        expect(book.usage(record, since).spentUnits).toBe(
          spent.reduce((sum, { amountUnits }) => sum + amountUnits, 0n),
        );
        const open = all.filter(({ state }) => openStates.includes(state));
        expect(new Set(book.list(openStates))).toEqual(new Set(open));
      }
    }),
  );
});

function counts({ state, reservedAt }: LedgerRecord, since: number): boolean {
  return state !== "released" && (openStates.includes(state) || reservedAt > since);
}

/** How many records are left: all that are open or recent, and so many of the others. */
function keptCount(records: readonly LedgerRecord[], since: number, keptMax: number): number {
  const old = records.filter(
    ({ state, reservedAt }) => !openStates.includes(state) && reservedAt <= since,
  );
  const counting = old.filter(({ state }) => state !== "released").length;
  return records.length - old.length + Math.min(counting, keptMax);
}
