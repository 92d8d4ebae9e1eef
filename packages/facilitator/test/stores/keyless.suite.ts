/**
 * The limits of callers without a key on every database: what they count, what gives back, how the
 * budget refills, and that two processes cannot both take the last of it.
 */
import { refundNonce, type Address } from "@farthing/protocol";
import { describe, expect, test } from "vitest";
import { type Claim, hourMs } from "@farthing/engine";
import { storeForEach, type StoreAt } from "./store-benches.testing.ts";
import {
  chainId,
  claimOf,
  fail,
  hex32,
  minedIn,
  next,
  type StoreBench,
  type ClaimChanges,
} from "./store-values.testing.ts";
import type { ServiceStore } from "../../src/features/open-store.ts";

const dayMs = 24 * hourMs;

/** A time in the middle of an hour and a day. */
const noon = 500 * dayMs + 12 * hourMs + hourMs / 2;

/**
 * Each half holds 100 payments: a network waits beyond 5 and stops at 10, questions stop at 95. An
 * hour brings 5 back (rounded up from 4.17), and one to a network.
 */
const gas = { budgetGwei: 200, plainGwei: 1, contractGwei: 4 };

const seller: Address = `0x${"33".repeat(20)}`;

const keyMembers = {
  mode: "test",
  label: "",
  lastFour: "last",
  createdAt: 1,
  createdBy: null,
  lastUsedAt: null,
  expiresAt: null,
  revokedAt: null,
} as const;

/** A claim of a payer of its own through a caller's network. */
function open(callerNetwork: string, changes: ClaimChanges = {}): Claim {
  const payer: Address = `0x${next().toString(16).padStart(40, "0")}`;
  return claimOf({ payer, keyless: { callerNetwork, payerCountMax: null, gas }, ...changes });
}

const many = (count: number, make: (index: number) => Claim) =>
  Array.from({ length: count }, (_, index) => make(index));

/** How often each result came: `created`, or the reason of a refusal. */
async function claimAll(store: ServiceStore, claims: readonly Claim[], now = noon) {
  const results = await store.claimSettlements(claims, now);
  const names = results.map((one) => (one.kind === "refused" ? one.reason : one.kind));
  return Object.fromEntries(
    Object.entries(Object.groupBy(names, (name) => name)).map(([name, all]) => [name, all?.length]),
  );
}

/** Uses a part of the open half up, each network its free share only. */
async function useUp(store: ServiceStore, count: number, now = noon) {
  const claims = many(count, (index) => open(`used ${now} ${Math.floor(index / 5)}`));
  expect(await claimAll(store, claims, now)).toEqual({ created: count });
}

/** The tests, on databases that `start` makes. */
export function keylessSuite(start: () => Promise<StoreBench>): void {
  const at = storeForEach(start);
  describe("what is counted", () => countTests(at));
  describe("the gas budget", () => budgetTests(at));
  describe("proven payees", () => payeeTests(at));
  describe("two processes", () => raceTests(at));
}

function countTests(at: StoreAt): void {
  test("a payer's settlements of a day, to the hour; others and keyed ones are not", async () => {
    const { store } = at();
    const payer: Address = `0x${"5a".repeat(20)}`;
    const keyless = { callerNetwork: "n", payerCountMax: 3, gas: null };
    const claims = () => many(4, () => claimOf({ payer, keyless }));
    expect(await claimAll(store, claims())).toEqual({ created: 3, payer_count_reached: 1 });
    expect(await claimAll(store, [claimOf({ payer })])).toEqual({ created: 1 });
    expect(await claimAll(store, [claimOf({ keyless })])).toEqual({ created: 1 });
    expect(await claimAll(store, claims(), noon + 23 * hourMs)).toEqual({ payer_count_reached: 4 });
    expect(await claimAll(store, claims(), noon + dayMs)).toEqual({
      created: 3,
      payer_count_reached: 1,
    });
  });

  test("what failed without a transaction gives all back; what was carried keeps its gas", async () => {
    const { store } = at();
    const keyless = { callerNetwork: "n", payerCountMax: 1, gas };
    const payers = many(2, () => open("n", { keyless }));
    expect(await claimAll(store, payers)).toEqual({ created: 2 });
    const [unsent, sent] = payers;
    if (!unsent || !sent) throw new Error("two were made");
    await fail(store, unsent.id);
    const code = "transaction_reverted" as const;
    await store.recordFailed([{ id: sent.id, code, message: "m", transaction: hex32(9) }], noon);
    expect(await store.readKeylessGas(chainId, noon)).toEqual({ open: 1, proven: 0 });
    const again = payers.map((claim) => open("n", { keyless, payer: claim.payer }));
    expect(await claimAll(store, again)).toEqual({ created: 1, payer_count_reached: 1 });
  });

  test("a contract payer counts for what it may burn, and a repeat counts nothing", async () => {
    const { store } = at();
    const claim = open("n", { payerHasCode: true });
    expect(await claimAll(store, [claim])).toEqual({ created: 1 });
    expect(await claimAll(store, [{ ...claim, id: "stl_again" }])).toEqual({ existing: 1 });
    expect(await store.readKeylessGas(chainId, noon)).toEqual({ open: 4, proven: 0 });
    expect(await store.readKeylessGas(50, noon)).toEqual({ open: 0, proven: 0 });
  });

  test("a refund that is signed again counts again, with a key and without", async () => {
    const { store } = at();
    const key = { id: `key${next()}`, hash: `hash${next()}`, account: seller };
    await store.ensureAccount(seller, 1);
    await store.createApiKey({ ...key, ...keyMembers });
    for (const [index, keyId] of [null, key.id].entries()) {
      const sale = claimOf({ payTo: seller });
      await store.claimSettlements([sale], noon);
      await store.recordConfirmed([{ id: sale.id, mined: minedIn(index + 1) }], noon);
      await store.recordFinalized(chainId, index + 1, noon);
      const nonce = refundNonce(sale, 0);
      const terms = { payTo: sale.payer, nonce, refund: { of: sale.id, unitsMin: 1n } };
      const refund = open(`n${index}`, { payer: seller, account: seller, keyId, ...terms });
      expect(await claimAll(store, [refund])).toEqual({ created: 1 });
      const code = "transaction_reverted" as const;
      const failure = { id: refund.id, code, message: "m", transaction: hex32(9) };
      await store.recordFailed([failure], noon);
      const before = (await store.readKeylessGas(chainId, noon)).open;
      expect(await claimAll(store, [refund])).toEqual({ created: 1 });
      expect((await store.readKeylessGas(chainId, noon)).open).toBe(before + 1);
    }
  });

  test("counters are removed after their window, some at a time", async () => {
    const { store } = at();
    await useUp(store, 10);
    // Two networks and the half.
    expect(await store.pruneKeyless(noon + dayMs, 10)).toBe(0);
    expect(await store.pruneKeyless(noon + 2 * dayMs, 2)).toBe(2);
    expect(await store.pruneKeyless(noon + 2 * dayMs, 10)).toBe(1);
  });
}

function budgetTests(at: StoreAt): void {
  test("one network stops at a tenth of a half, whoever pays; others go on", async () => {
    const { store } = at();
    expect(
      await claimAll(
        store,
        many(30, () => open("one")),
      ),
    ).toEqual({
      created: 10,
      caller_gas_share_used: 20,
    });
    expect(
      await claimAll(
        store,
        many(5, () => open("two")),
      ),
    ).toEqual({ created: 5 });
    // An hour later a tenth of a day's share is back.
    expect(
      await claimAll(
        store,
        many(3, () => open("one")),
        noon + hourMs,
      ),
    ).toMatchObject({
      created: 1,
    });
  });

  test("a network beyond a twentieth waits behind all others once half of it is used", async () => {
    const { store } = at();
    expect(
      await claimAll(
        store,
        many(6, () => open("greedy")),
      ),
    ).toEqual({ created: 6 });
    await useUp(store, 50);
    expect(await claimAll(store, [open("greedy")])).toEqual({ caller_gas_share_used: 1 });
    expect(await claimAll(store, [open("modest")])).toEqual({ created: 1 });
  });

  test("closes to new payments at 95 %, to those found valid when it is empty; refills", async () => {
    const { store } = at();
    await useUp(store, 90);
    const noted = many(20, (index) => open(`late ${Math.floor(index / 5)}`));
    expect(await store.checkKeyless(noted.slice(0, 1), noon)).toEqual([
      { refusal: null, isTight: true },
    ]);
    await store.noteKeyless(noted, noon);
    const fresh = (name: string) => many(10, (index) => open(`${name} ${Math.floor(index / 5)}`));
    expect(await claimAll(store, fresh("first"))).toEqual({ created: 5, keyless_gas_exhausted: 5 });
    const closed = { refusal: "keyless_gas_exhausted", isTight: true };
    expect(await store.checkKeyless([open("asks")], noon)).toEqual([closed]);
    expect(await claimAll(store, noted)).toEqual({ created: 5, keyless_gas_exhausted: 15 });
    expect(await store.readKeylessGas(chainId, noon)).toEqual({ open: 100, proven: 0 });
    // Each hour brings back a twenty-fourth, rounded up.
    const later = noon + 2 * hourMs;
    expect(await store.readKeylessGas(chainId, later)).toEqual({ open: 90, proven: 0 });
    expect(await claimAll(store, fresh("second"), later)).toEqual({
      created: 5,
      keyless_gas_exhausted: 5,
    });
    expect(await store.readKeylessGas(chainId, noon + dayMs)).toEqual({ open: 0, proven: 0 });
  });

  test("keyed claims never touch it", async () => {
    const { store } = at();
    await useUp(store, 95);
    expect(await claimAll(store, [open("stranger")])).toEqual({ keyless_gas_exhausted: 1 });
    expect(await claimAll(store, [claimOf()])).toEqual({ created: 1 });
    expect(await store.readKeylessGas(chainId, noon)).toEqual({ open: 95, proven: 0 });
  });
}

/** Payments to a payee that become final, each by a payer of its own. */
async function sell(
  store: ServiceStore,
  payTo: Address,
  payers: number,
  now: number,
): Promise<void> {
  const claims = many(payers, () => open(`buyers ${now}`, { payTo }));
  expect(await claimAll(store, claims, now)).toEqual({ created: payers });
  const mined = minedIn(next());
  await store.recordConfirmed(
    claims.map(({ id }) => ({ id, mined })),
    now,
  );
  await store.recordFinalized(chainId, mined.blockNumber, now);
}

async function openHalfIsUsedUp(store: ServiceStore, now: number): Promise<void> {
  await useUp(store, 95, now);
  expect(await claimAll(store, [open("stranger")], now)).toEqual({ keyless_gas_exhausted: 1 });
}

function payeeTests(at: StoreAt): void {
  const shop: Address = `0x${"77".repeat(20)}`;

  test("have been paid by five payers on three earlier days, and draw on a half of their own", async () => {
    const { store } = at();
    for (const [day, payers] of [2, 2, 1].entries()) {
      await sell(store, shop, payers, noon + day * dayMs);
    }
    // The third day is not over.
    const third = noon + 2 * dayMs + hourMs;
    await openHalfIsUsedUp(store, third);
    expect(await claimAll(store, [open("buyer", { payTo: shop })], third)).toEqual({
      keyless_gas_exhausted: 1,
    });
    const fourth = noon + 4 * dayMs;
    await openHalfIsUsedUp(store, fourth);
    expect(
      await claimAll(
        store,
        many(12, () => open("buyer", { payTo: shop })),
        fourth,
      ),
    ).toEqual({
      created: 10,
      keyless_gas_exhausted: 2,
    });
    expect(await store.readKeylessGas(chainId, fourth)).toEqual({ open: 95, proven: 10 });
    expect(await claimAll(store, [open("other buyer", { payTo: shop })], fourth)).toEqual({
      created: 1,
    });
  });

  test.each([
    ["four payers", [2, 1, 1]],
    ["two days", [4, 4]],
  ])("are none with %s", async (_, perDay) => {
    const { store } = at();
    for (const [day, payers] of perDay.entries()) {
      await sell(store, shop, payers, noon + day * dayMs);
    }
    const later = noon + 5 * dayMs;
    await openHalfIsUsedUp(store, later);
    expect(await claimAll(store, [open("buyer", { payTo: shop })], later)).toEqual({
      keyless_gas_exhausted: 1,
    });
  });

  test("are none by what is refunded to them", async () => {
    const { store } = at();
    for (const [day, payers] of [2, 2].entries())
      await sell(store, shop, payers, noon + day * dayMs);
    const third = noon + 2 * dayMs;
    const merchant: Address = `0x${"88".repeat(20)}`;
    const finalIn = async (claim: Claim) => {
      expect(await claimAll(store, [claim], third)).toEqual({ created: 1 });
      const mined = minedIn(next());
      await store.recordConfirmed([{ id: claim.id, mined }], third);
      await store.recordFinalized(chainId, mined.blockNumber, third);
    };
    const payment = open("shop", { payer: shop, payTo: merchant });
    await finalIn(payment);
    const refund = { of: payment.id, unitsMin: 0n };
    const nonce = refundNonce(payment, 0);
    await finalIn(open("merchant", { payer: merchant, payTo: shop, nonce, refund }));
    const later = noon + 5 * dayMs;
    await openHalfIsUsedUp(store, later);
    expect(await claimAll(store, [open("buyer", { payTo: shop })], later)).toEqual({
      keyless_gas_exhausted: 1,
    });
  });
}

function raceTests(at: StoreAt): void {
  test("that want the last of the budget at once get what there is, no more", async () => {
    const { store, bench } = at();
    const other = await bench.open();
    try {
      await useUp(store, 85);
      const claims = many(40, (index) => open(`racer ${Math.floor(index / 4)}`));
      const results = await Promise.all(
        claims.map((claim, index) => claimAll(index % 2 === 0 ? store : other, [claim])),
      );
      expect(results.filter((one) => one["created"] === 1)).toHaveLength(10);
      expect(results.filter((one) => one["keyless_gas_exhausted"] === 1)).toHaveLength(30);
      expect(await other.readKeylessGas(chainId, noon)).toEqual({ open: 95, proven: 0 });
    } finally {
      await other.close();
    }
  });
}
