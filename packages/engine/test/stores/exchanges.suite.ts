/** What stores promise about exchanges: counts, the claiming call, and a success that is told once. */
import { describe, expect, test } from "vitest";
import type { Claim, Settlement } from "../../src/index.ts";
import type { ClaimingCall } from "../../src/model/settlement.ts";
import { payerPaymentsMax } from "../../src/storage/exchange-store.ts";
import { storeForEach } from "./store-benches.testing.ts";
import {
  claimOf,
  confirm,
  hex32,
  next,
  type StoreBench,
  type TestStore,
} from "./store-values.testing.ts";

const hourMs = 3_600_000;

const call: ClaimingCall = {
  caller: "network:192.0.2.1",
  idempotencyKey: null,
  isUpfront: false,
  successWriter: null,
};

/** The tests, on databases that `start` makes. */
export function exchangesSuite(start: () => Promise<StoreBench>): void {
  const at = storeForEach(start);
  const store = () => at().store;
  describe("counts", () => countTests(store, at));
  describe("facts", () => factTests(store));
  describe("the success", () => successTests(store, at));
}

async function claimed(
  store: TestStore,
  changes: Partial<Claim> = {},
  now = 1,
): Promise<Settlement> {
  const [result] = await store.claimSettlements([claimOf({ claimingCall: call, ...changes })], now);
  if (result?.kind !== "created") throw new Error("the claim is new");
  return result.settlement;
}

function open(store: TestStore, claims: readonly Claim[], now = 1) {
  const openings = claims.map((claim) => ({ ...claim, forgetAt: now + hourMs }));
  return store.openExchanges(openings, now);
}

async function factsOf(
  store: TestStore,
  settlement: Settlement,
  idempotencyKey: string | null = null,
) {
  const [facts] = await store.findExchangeFacts([
    { settlement, caller: call.caller, idempotencyKey },
  ]);
  return facts;
}

const many = (count: number) => Array.from({ length: count }, () => claimOf());

function countTests(store: () => TestStore, at: () => { readonly bench: StoreBench }): void {
  test("one verification is one exchange, two are several, also in one group and other processes", async () => {
    const [once, twice, together] = [claimOf(), claimOf(), claimOf()];
    const other = await at().bench.open();
    expect(await open(store(), [once, twice, together, together])).toEqual(
      Array.from({ length: 4 }, () => ({ kind: "opened" })),
    );
    await open(other, [twice]);
    await other.close();
    for (const [claim, hasSeveral] of [
      [once, false],
      [twice, true],
      [together, true],
    ] as const) {
      expect(await factsOf(store(), await claimed(store(), claim))).toMatchObject({ hasSeveral });
    }
  });

  test("what is claimed opens none, and what nobody received is taken back", async () => {
    const settlement = await claimed(store());
    const claim = claimOf();
    expect(await open(store(), [claimOf(settlement), claim])).toMatchObject([
      { kind: "claimed", settlement: { id: settlement.id } },
      { kind: "opened" },
    ]);
    await open(store(), [claim]);
    await store().cancelExchanges([claim]);
    expect(await factsOf(store(), settlement)).toMatchObject({ hasSeveral: false });
    expect(await factsOf(store(), await claimed(store(), claim))).toMatchObject({
      hasSeveral: false,
    });
  });

  test("the count is read when it is asked for, not when the payment was claimed", async () => {
    const claim = claimOf();
    await open(store(), [claim]);
    // A verdict that was reached before the claim and noted while it was made.
    const openings = [claim, claim].map((one) => ({ ...one, forgetAt: hourMs }));
    const [results, settlement] = await Promise.all([
      store().openExchanges(openings, 1),
      claimed(store(), claim),
    ]);
    const hasSeveral = results.some(({ kind }) => kind === "opened");
    expect(await factsOf(store(), settlement)).toMatchObject({ hasSeveral });
  });

  test("a note is dropped when its time is over; what it says of a settlement stays", async () => {
    const [sold, expired] = [claimOf(), claimOf()];
    await open(store(), [sold, sold, expired, expired]);
    const settlement = await claimed(store(), sold);
    await store().forgetExpired(1 + hourMs, 100);
    expect(await factsOf(store(), settlement)).toMatchObject({ hasSeveral: true });
    // Its exchanges were over before it was claimed.
    const late = await claimed(store(), expired, 2 + hourMs);
    expect(await factsOf(store(), late)).toMatchObject({ hasSeveral: false });
  });

  test("a note whose time is over counts no more, dropped or not", async () => {
    const [again, once] = [claimOf(), claimOf()];
    await open(store(), [again, again, once, once]);
    await open(store(), [again], 1 + hourMs);
    for (const claim of [again, once]) {
      const settlement = await claimed(store(), claim, 2 + hourMs);
      expect(await factsOf(store(), settlement)).toMatchObject({ hasSeveral: false });
    }
  });

  test("an authorization of the same nonce that ends earlier ends no note of another", async () => {
    const claim = claimOf();
    await open(store(), [claim, claim]);
    // The payer signs the nonce again, for seven seconds, and asks about that one.
    await store().openExchanges([{ ...claim, forgetAt: 7_000 }], 2);
    await store().forgetExpired(8_000, 100);
    const settlement = await claimed(store(), claim, 9_000);
    expect(await factsOf(store(), settlement)).toMatchObject({ hasSeveral: true });
  });

  test("a payer has a bound, which others do not feel and which ends with the hour", async () => {
    for (let left = payerPaymentsMax; left > 0; left -= 2_000) await open(store(), many(2_000));
    const [known] = many(1);
    const other = claimOf({ payer: `0x${"77".repeat(20)}`, nonce: hex32(next()) });
    expect(await open(store(), [...many(1), other])).toEqual([
      { kind: "too_many" },
      { kind: "opened" },
    ]);
    await store().forgetExpired(1 + hourMs, 1);
    expect(await open(store(), [known ?? claimOf()])).toEqual([{ kind: "opened" }]);
  });
}

function factTests(store: () => TestStore): void {
  test("the claiming caller and its key are known again, and no others", async () => {
    const settlement = await claimed(store(), {
      claimingCall: { ...call, idempotencyKey: "key of the call", isUpfront: true },
    });
    const ask = async (caller: string, idempotencyKey: string | null) =>
      (await store().findExchangeFacts([{ settlement, caller, idempotencyKey }]))[0];
    expect(await ask(call.caller, "key of the call")).toEqual({
      isClaimant: true,
      hasSameKey: true,
      isUpfront: true,
      hasSeveral: false,
      successWriter: null,
      successMovedAt: null,
    });
    expect(await ask("network:192.0.2.2", "another key")).toMatchObject({
      isClaimant: false,
      hasSameKey: false,
    });
  });

  test("a settlement that no call claimed has no claimant", async () => {
    const settlement = await claimed(store(), { claimingCall: null });
    expect(await factsOf(store(), settlement, "key")).toEqual({
      isClaimant: false,
      hasSameKey: false,
      isUpfront: false,
      hasSeveral: false,
      successWriter: null,
      successMovedAt: null,
    });
  });
}

function successTests(store: () => TestStore, at: () => { readonly bench: StoreBench }): void {
  test("goes to one of twenty that take it at once, in whatever group or process", async () => {
    const { id: settlementId } = await claimed(store());
    await confirm(store(), settlementId);
    const other = await at().bench.open();
    const writers = Array.from({ length: 20 }, (_, index) => `writer ${index}`);
    const groups = [writers.slice(0, 8), writers.slice(8, 10), writers.slice(10)];
    const taken = await Promise.all(
      groups.map((group, index) =>
        (index === 1 ? other : store()).takeSuccess(
          group.map((writer) => ({ settlementId, writer })),
          1,
        ),
      ),
    );
    await other.close();
    expect(taken.flat().filter(Boolean)).toHaveLength(1);
  });

  test("is given back by its writer alone, and then taken by another one", async () => {
    const settlement = await claimed(store(), {
      claimingCall: { ...call, successWriter: "one" },
    });
    const { id: settlementId } = settlement;
    const take = async (writer: string) => store().takeSuccess([{ settlementId, writer }], 1);
    expect(await take("two")).toEqual([false]);
    await store().releaseSuccess([{ settlementId, writer: "two" }], 2);
    expect(await factsOf(store(), settlement)).toMatchObject({ successWriter: "one" });
    await store().releaseSuccess([{ settlementId, writer: "one" }], 3);
    expect(await take("two")).toEqual([true]);
    expect(await take("one")).toEqual([false]);
  });

  test("is known with the time at which it moved, or a call ended without it", async () => {
    const settlement = await claimed(store());
    const { id: settlementId } = settlement;
    expect(await factsOf(store(), settlement)).toMatchObject({ successMovedAt: null });
    await store().releaseSuccess([{ settlementId, writer: "claiming" }], 20);
    expect(await factsOf(store(), settlement)).toMatchObject({ successMovedAt: 20 });
    await store().takeSuccess([{ settlementId, writer: "repeat" }], 30);
    await store().releaseSuccess([{ settlementId, writer: "claiming" }], 40);
    expect(await factsOf(store(), settlement)).toMatchObject({
      successWriter: "repeat",
      successMovedAt: 30,
    });
  });

  test("can be taken of a settlement that an older version claimed", async () => {
    const { id: settlementId } = await claimed(store(), { claimingCall: null });
    const report = { settlementId, writer: "one" };
    expect(await store().takeSuccess([report, { ...report, writer: "two" }], 1)).toEqual([
      true,
      false,
    ]);
  });
}
