/** What every store of payment records promises: one holder at a time, and how long each thing is kept. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { maxReplayMs, maxUndeliveredMs } from "../retention.ts";
import type { Binding, PaymentRecords, Lease } from "./payment-records.ts";
import {
  response,
  binding,
  buyer,
  dayMs,
  leaseOf,
  minuteMs,
  pending,
  receipt,
} from "./payment-records.testing.ts";
import { repeatSuite } from "./repeats.suite.ts";

/** What a test asks of a new store. */
export interface StoreOptions {
  readonly now: () => number;
  readonly entriesMax?: number;
  readonly answerBytesMax?: number;
  readonly totalBytesMax?: number;
  readonly leaseMs?: number;
}

/** Makes a store on what the stores of the same test share: a file, a server, or nothing. */
export type CreateStore = (options: StoreOptions) => PaymentRecords;

/** What kind of store it is. */
export interface StoreKind {
  /** Sets up what the stores of one test share; gives how to take it down. */
  open(): Promise<{ create: CreateStore; close(): Promise<void> }>;
  /** Whether other processes see the records, and take over when one dies. */
  readonly isShared: boolean;
  /** Whether it bounds the number and the size of records by itself. */
  readonly isBounded: boolean;
  /** Whether what has ended is forgotten by a clock that tests cannot set, as in Redis. */
  readonly forgetsByItself?: boolean;
}

/** Runs these promises against one store. */
export function paymentRecordsSuite(name: string, kind: StoreKind): void {
  // The hooks are for these tests alone, beside whatever else a file has.
  describe("payment records", () => {
    let nowMs: number;
    let grants: PaymentRecords;
    let stage: Awaited<ReturnType<StoreKind["open"]>>;
    const create = (bounds: Omit<StoreOptions, "now"> = {}) =>
      stage.create({ now: () => nowMs, ...bounds });
    beforeEach(async () => {
      nowMs = 0;
      stage = await kind.open();
      grants = create();
    });
    afterEach(() => stage.close());

    async function acquired(
      key: string,
      changes: Partial<Binding> = {},
      by = grants,
    ): Promise<Lease> {
      return leaseOf(by, binding(key, changes));
    }

    async function delivered(key: string, bytes: number, changes: Partial<Binding> = {}) {
      const lease = await acquired(key, changes);
      await lease.paid(receipt);
      await lease.complete(receipt, response(bytes));
    }

    const kindOf = async (key: string, changes: Partial<Binding> = {}) =>
      (await grants.acquire(binding(key, changes), buyer)).kind;

    describe(`${name}: a payment record`, () => {
      test("has one holder; another envelope or request is told so", async () => {
        const lease = await acquired("a");
        expect(lease.state).toBe("claimed");
        expect(await kindOf("a")).toBe("busy");
        expect(await kindOf("a", { fingerprint: "g" })).toBe("bound");
        expect(await kindOf("a", { payload: "q" })).toBe("bound");
        expect(await kindOf("b", { fingerprint: "g" })).toBe("acquired");
      });

      test("is known by its whole binding", async () => {
        expect(await grants.has(binding("a"))).toBe(false);
        const lease = await acquired("a");
        expect(await grants.has(binding("a"))).toBe(true);
        expect(await grants.has(binding("a", { payload: "q" }))).toBe(false);
        await lease.discard();
        expect(await grants.has(binding("a"))).toBe(false);
      });

      test("of many at once goes to one", async () => {
        const other = kind.isShared ? create() : grants;
        const takes = await Promise.all(
          Array.from({ length: 20 }, (_one, at) =>
            (at % 2 ? other : grants).acquire(binding("a"), buyer),
          ),
        );
        const countOf = (kind: string) => takes.filter((one) => one.kind === kind).length;
        expect([countOf("acquired"), countOf("busy")]).toEqual([1, 19]);
      });

      test("keeps its state for the next holder", async () => {
        const first = await acquired("a");
        await first.settling({ receipt: pending });
        await first.unlock();
        const second = await acquired("a");
        expect(second).toMatchObject({ state: "settling", receipt: pending });
        expect(await second.paid(receipt)).toBe(true);
        await second.unlock();
        expect(await acquired("a")).toMatchObject({ state: "paid", receipt });
      });

      test("keeps an answer that waits for its money, until somebody has had it", async () => {
        const first = await acquired("a");
        expect(await first.settling({ response: response(300) })).toBe(true);
        await first.settling({ receipt: pending });
        await first.unlock();
        const second = await acquired("a");
        expect(second).toMatchObject({
          state: "settling",
          receipt: pending,
          response: response(300),
        });
        await second.paid(receipt);
        await second.unlock();
        const third = await acquired("a");
        expect(third).toMatchObject({ state: "paid", response: response(300) });
        await third.complete(receipt);
        const kept = { kind: "delivered", receipt, response: response(300) };
        expect(await grants.acquire(binding("a"), buyer)).toEqual(kept);
      });

      test("that is released is forgotten, its answer with it", async () => {
        const lease = await acquired("a");
        await lease.settling({ response: response(3) });
        await lease.discard();
        const next = await acquired("a", { fingerprint: "g" });
        expect([next.state, next.response, next.receipt]).toEqual([
          "claimed",
          undefined,
          undefined,
        ]);
        await next.settling();
        await next.unlock();
        const last = await acquired("a", { fingerprint: "g" });
        expect([last.state, last.response]).toEqual(["settling", undefined]);
      });

      test("listens to its holder only", async () => {
        const first = await acquired("a");
        expect(await first.unlock()).toBe(true);
        await acquired("a");
        expect(await first.settling()).toBe(false);
        expect(await first.paid(receipt)).toBe(false);
        expect(await first.discard()).toBe(false);
        expect(await first.complete(receipt)).toBe(false);
        expect(await kindOf("a")).toBe("busy");
      });

      test("wakes whoever waits, whatever its end", async () => {
        for (const end of ["unlock", "discard", "complete"] as const) {
          const lease = await acquired(end);
          await lease.paid(receipt);
          const waiting = grants.wait(end, minuteMs);
          await (end === "complete" ? lease.complete(receipt) : lease[end]());
          expect(await waiting).toBe(true);
        }
        expect(await grants.wait("unlock", minuteMs)).toBe(true);
        await acquired("unlock");
        expect(await grants.wait("unlock", 1)).toBe(false);
      });
    });

    repeatSuite(name, () => grants);

    describe(`${name}: memory ends`, () => {
      test("for an answer after ten minutes, for the fact after a day", async () => {
        await delivered("a", 3);
        nowMs = maxReplayMs - 1;
        const kept = { kind: "delivered", response: response(3) };
        expect(await grants.acquire(binding("a"), buyer)).toMatchObject(kept);
        nowMs = maxReplayMs;
        expect(await grants.acquire(binding("a"), buyer)).toEqual({ kind: "delivered", receipt });
        nowMs = dayMs;
        expect(await kindOf("a")).toBe("acquired");
      });

      test("for all of a record, whose place the next one takes with nothing of it", async () => {
        const settling = await acquired("settling");
        await settling.settling({ facilitator: "one", receipt: pending, response: response(3) });
        await settling.unlock();
        nowMs = minuteMs;
        await delivered("delivered", 3);
        nowMs = dayMs;
        const next = await acquired("settling");
        expect(next.state).toBe("claimed");
        await next.settling();
        await next.unlock();
        const { receipt: told, facilitator, response: kept } = await acquired("settling");
        expect([told, facilitator, kept]).toEqual([undefined, undefined, undefined]);
        nowMs += minuteMs;
        const again = await acquired("delivered");
        await again.settling({ response: response(5) });
        await acquired("another");
        await again.unlock();
        expect(await acquired("delivered")).toMatchObject({ response: response(5) });
      });

      test("for an answer when its authorization ends", async () => {
        await delivered("a", 3, { validBeforeMs: minuteMs });
        nowMs = minuteMs;
        const acquired = await grants.acquire(binding("a", { validBeforeMs: minuteMs }), buyer);
        expect(acquired).toEqual({ kind: "delivered", receipt });
      });

      test("not for an answer that nobody has had, while its authorization ends", async () => {
        const lease = await acquired("a", { validBeforeMs: minuteMs });
        await lease.settling({ response: response(3) });
        nowMs = minuteMs + 1;
        await lease.paid(receipt);
        await lease.unlock();
        expect(await acquired("a", { validBeforeMs: minuteMs })).toMatchObject({
          response: response(3),
        });
      });

      test("never for an open settlement before a day, soon for a claim to content", async () => {
        const settling = await acquired("settling");
        await settling.settling();
        await settling.unlock();
        const paid = await acquired("paid");
        await paid.paid(receipt);
        await paid.unlock();
        nowMs = maxUndeliveredMs - 1;
        await (await acquired("paid")).unlock();
        nowMs = dayMs - 1;
        expect(await acquired("settling")).toMatchObject({ state: "settling" });
        expect(await acquired("paid")).toMatchObject({ state: "claimed" });
      });

      test("at once for a body above the bound, and not for the fact", async () => {
        grants = create({ answerBytesMax: 6 });
        expect(grants.answerBytesMax).toBe(6);
        await delivered("a", 7);
        expect(await grants.acquire(binding("a"), buyer)).toEqual({ kind: "delivered", receipt });
      });
    });

    describe.runIf(kind.isBounded)(`${name}: when there is no room`, () => {
      test("the oldest delivered record goes, and no other", async () => {
        grants = create({ entriesMax: 2 });
        await acquired("held");
        await delivered("a", 1);
        await delivered("b", 1);
        expect(await kindOf("b")).toBe("delivered");
        await acquired("c");
        expect(await kindOf("d")).toBe("full");
        expect(await grants.has(binding("held"))).toBe(true);
        nowMs = dayMs;
        expect(await kindOf("d")).toBe("acquired");
      });

      test("open settlements go first of which nothing can come any more", async () => {
        grants = create({ entriesMax: 3 });
        const over = await acquired("over", { validBeforeMs: minuteMs });
        await over.settling();
        await over.unlock();
        const refused = await acquired("refused");
        await refused.settling({ isDispensable: true });
        await refused.unlock();
        await delivered("delivered", 1);
        await (await acquired("c")).settling();
        nowMs = minuteMs + 30_000 - 1;
        await (await acquired("d")).settling();
        expect(await grants.has(binding("refused"))).toBe(false);
        expect(await grants.has(binding("delivered"))).toBe(false);
        nowMs++;
        await acquired("e");
        const there = ["over", "c", "d", "e"].map((key) =>
          grants.has(binding(key, key === "over" ? { validBeforeMs: minuteMs } : {})),
        );
        expect(await Promise.all(there)).toEqual([false, true, true, true]);
      });

      test("an open settlement stays while a request works on it, however late it is", async () => {
        grants = create({ entriesMax: 1, leaseMs: 10 * minuteMs });
        const late = await acquired("late", { validBeforeMs: minuteMs });
        await late.settling();
        nowMs = 2 * minuteMs;
        expect(await kindOf("b")).toBe("full");
        expect(await late.paid(receipt)).toBe(true);
      });

      test("a body that nobody came for goes when its time is over", async () => {
        grants = create({ answerBytesMax: 6, totalBytesMax: 6 });
        const lease = await acquired("a");
        await lease.settling({ response: response(6) });
        await lease.paid(receipt);
        await lease.unlock();
        nowMs = maxUndeliveredMs;
        await delivered("b", 6);
        expect(await grants.acquire(binding("b"), buyer)).toMatchObject({ response: response(6) });
      });

      test("a body that is kept already needs no room of others", async () => {
        grants = create({ totalBytesMax: 10 });
        await delivered("a", 4);
        const lease = await acquired("b");
        await lease.settling({ response: response(6) });
        await lease.complete(receipt, response(6));
        for (const [key, bytes] of [
          ["a", 4],
          ["b", 6],
        ] as const) {
          const kept = await grants.acquire(binding(key), buyer);
          expect(kept).toMatchObject({ response: response(bytes) });
        }
      });

      test("the oldest bodies go, and none that nobody has had", async () => {
        grants = create({ answerBytesMax: 6, totalBytesMax: 10 });
        await delivered("a", 5);
        nowMs++;
        await delivered("b", 5);
        nowMs++;
        await delivered("c", 3);
        const hasAnswer = async (key: string) =>
          "response" in (await grants.acquire(binding(key), buyer));
        expect(await Promise.all(["a", "b", "c"].map(hasAnswer))).toEqual([false, true, true]);
        const open = await acquired("open");
        await open.settling({ response: response(6) });
        await delivered("d", 6);
        expect(await Promise.all(["b", "c", "d"].map(hasAnswer))).toEqual([false, false, false]);
        await open.unlock();
        expect((await acquired("open")).response).toEqual(response(6));
      });
    });

    describe.runIf(kind.isShared)(`${name}: a process that dies`, () => {
      const leaseMs = 10_000;

      test("leaves its record to the next when its lease has ended", async () => {
        const [dead, living] = [create({ leaseMs }), create({ leaseMs })];
        const lost = await acquired("a", {}, dead);
        await lost.settling({ response: response(3) });
        nowMs = leaseMs - 1;
        expect((await living.acquire(binding("a"), buyer)).kind).toBe("busy");
        nowMs = leaseMs;
        expect(await living.wait("a", minuteMs)).toBe(true);
        const found = await acquired("a", {}, living);
        expect(found).toMatchObject({ state: "settling", response: response(3) });
        // It was only slow, and hears that it is nobody any more.
        for (const step of [lost.settling(), lost.paid(receipt), lost.complete(receipt)]) {
          expect(await step).toBe(false);
        }
        expect(await found.complete(receipt)).toBe(true);
      });

      test("and is only slow keeps what nobody has taken", async () => {
        const lease = await acquired("a");
        nowMs = 10 * minuteMs;
        expect(await lease.paid(receipt)).toBe(true);
      });
    });
  });
}
