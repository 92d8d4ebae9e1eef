/** The free credits of a month: added with its first claim, once, on both databases. */
import type { Address } from "@farthing/protocol";
import type { Claim } from "@farthing/engine";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { bothEngines } from "../../../test/stores/store-benches.testing.ts";
import {
  claimOf,
  fund,
  next,
  refusalOf,
  type ClaimChanges,
  type StoreBench,
} from "../../../test/stores/store-values.testing.ts";
import type { ServiceStore } from "../open-store.ts";

const newAccount = (): Address => `0x${next().toString(16).padStart(40, "0")}`;

describe.each(bothEngines())("on %s", (_, start) => {
  let bench: StoreBench;
  let store: ServiceStore;
  let seller: Address;
  let other: Address;
  beforeAll(async () => {
    bench = await start();
    store = await bench.open();
    [seller, other] = [newAccount(), newAccount()];
  });
  afterAll(async () => {
    await store?.close();
    await bench?.stop();
  });
  afterEach(async () => {
    expect(await store.auditCredits(10)).toEqual([]);
  });

  const priced = (changes: ClaimChanges): Claim =>
    claimOf({ account: seller, price: 1, ...changes });

  test("a claim gets the free credits of its account's month, once, and each account for itself", async () => {
    await store.ensureAccount(other, 1);
    await fund(store, seller, 1);
    const november = Date.UTC(2026, 10, 30, 23, 59, 59, 999);
    const terms = { freeCredits: 3 };
    const claims = [seller, seller, other].map((account) => priced({ account, price: 2, terms }));
    const first = await store.claimSettlements(claims, november);
    expect(first.map(({ kind }) => kind)).toEqual(["created", "created", "created"]);
    expect(await store.findCredits(seller)).toEqual({ available: 0, held: 4 });
    expect(await store.findCredits(other)).toEqual({ available: 1, held: 2 });
    const short = await store.claimSettlements([priced({ price: 1, terms })], november);
    expect(short.map(refusalOf)).toEqual(["insufficient_facilitator_credits"]);
    await store.claimSettlements([priced({ price: 1, terms })], november + 1);
    expect(await store.findCredits(seller)).toEqual({ available: 2, held: 5 });
    // An earlier time, of another process's clock, is not another month.
    await store.claimSettlements([priced({ price: 1, terms })], november);
    expect(await store.findCredits(seller)).toEqual({ available: 1, held: 6 });
    const { items } = await store.listCreditEntries(seller, { limit: 10 });
    expect(items.filter(({ kind }) => kind === "grant").map(({ note }) => note)).toEqual([
      "Free credits of 2026-12",
      "Free credits of 2026-11",
      null,
    ]);
  });

  test("ten claims of one account at once get its free credits once", async () => {
    const account = newAccount();
    await store.ensureAccount(account, 1);
    const terms = { freeCredits: 4 };
    const calls = Array.from({ length: 10 }, () =>
      store.claimSettlements([priced({ account, terms })], 5),
    );
    const results = (await Promise.all(calls)).flat();
    expect(results.filter(({ kind }) => kind === "created")).toHaveLength(4);
  });
});
