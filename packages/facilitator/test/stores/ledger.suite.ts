/**
 * What the ledger promises on every database: a claim without credits is refused, nothing is taken
 * or given back twice, and the balance is the sum of the entries, whoever does what at once.
 */
import type { Address } from "@farthing/protocol";
import { afterEach, describe, expect, test } from "vitest";
import type { Claim } from "@farthing/engine";
import { storeForEach, type StoreAt } from "./store-benches.testing.ts";
import {
  chainId,
  claimOf,
  confirm,
  fail,
  fund,
  hex32,
  idOf,
  minedIn,
  next,
  refusalOf,
  type StoreBench,
  type ClaimChanges,
} from "./store-values.testing.ts";
import type { ServiceStore } from "../../src/features/open-store.ts";

const seller: Address = `0x${"33".repeat(20)}`;
const other: Address = `0x${"44".repeat(20)}`;

/** A claim that costs something. */
function priced(changes: ClaimChanges = {}): Claim {
  return claimOf({ account: seller, price: 1, ...changes });
}

/** The tests, on databases that `start` makes. */
export function ledgerSuite(start: () => Promise<StoreBench>): void {
  const at = storeForEach(start);
  afterEach(async () => {
    // Whatever a test did: the books agree.
    expect(await at().store.auditCredits(10)).toEqual([]);
  });

  describe("a claim", () => claimTests(at));
  describe("the life of a settlement", () => lifeTests(at));
  describe("the tables", () => tableTests(at));
  describe("the list", () => listTests(at));
}

function claimTests(at: StoreAt): void {
  test("takes its price from what is available", async () => {
    const { store } = at();
    await fund(store, seller, 10);
    const [result] = await store.claimSettlements([priced({ price: 4 })], 5);
    expect(result).toMatchObject({ kind: "created", settlement: { owner: seller, credits: 4 } });
    expect(await store.findCredits(seller)).toEqual({ available: 6, held: 4 });
  });

  test("that nobody can pay is refused, and nothing is stored", async () => {
    const { store } = at();
    const claim = priced();
    const results = await store.claimSettlements([claim], 5);
    expect(results.map(refusalOf)).toEqual(["insufficient_facilitator_credits"]);
    expect(await store.findSettlement(claim.id)).toBeUndefined();
    expect(await store.findSettlementsByKey([claim])).toEqual([undefined]);
  });

  test("in a group with others: they add up, each account for itself", async () => {
    const { store } = at();
    await fund(store, seller, 3);
    await fund(store, other, 1);
    const claims = [
      ...[2, 2, 1].map((price) => priced({ price })),
      ...[1, 1].map((price) => priced({ account: other, price })),
    ];
    const results = await store.claimSettlements(claims, 5);
    const short = "insufficient_facilitator_credits";
    // The second is too dear, the third is not.
    expect(results.map((result) => refusalOf(result) ?? result.kind)).toEqual([
      "created",
      short,
      "created",
      "created",
      short,
    ]);
    expect(await store.findCredits(seller)).toEqual({ available: 0, held: 3 });
    expect(await store.findCredits(other)).toEqual({ available: 0, held: 1 });
  });

  test("that is refused for another reason takes nothing from the rest of its group", async () => {
    const { store } = at();
    await fund(store, seller, 1);
    const results = await store.claimSettlements([priced({ keyId: "unknown" }), priced()], 5);
    expect(results.map((result) => refusalOf(result) ?? result.kind)).toEqual([
      "key_not_valid",
      "created",
    ]);
  });

  test("of the same authorization again, in whatever group: held once", async () => {
    const { store } = at();
    await fund(store, seller, 10);
    const nonce = hex32(next());
    await store.claimSettlements([priced({ nonce }), priced({ nonce })], 5);
    await store.claimSettlements([priced({ nonce })], 6);
    await store.claimSettlements([priced({ nonce, account: other })], 6);
    expect(await store.findCredits(seller)).toEqual({ available: 9, held: 1 });
  });

  test("without an account, or for nothing: no entry at all", async () => {
    const { bench, store } = at();
    const claims = [claimOf(), priced({ price: 0 })];
    const ids = (await store.claimSettlements(claims, 5)).map(idOf);
    const done = ids.map((id) => ({ id: String(id), mined: minedIn(100) }));
    await store.recordConfirmed(done, 6);
    await store.recordReorganised(chainId, 100, 7);
    expect(await bench.query("select * from credit_entries")).toEqual([]);
    expect(await bench.query("select * from credit_balances")).toEqual([]);
  });

  test("with a key of an account that was deactivated is refused, and holds nothing", async () => {
    const { store } = at();
    await fund(store, seller, 5);
    const key = { id: "key000000001", account: seller, mode: "test", label: "" } as const;
    const times = {
      createdAt: 1,
      createdBy: null,
      lastUsedAt: null,
      expiresAt: null,
      revokedAt: null,
    };
    await store.createApiKey({ ...key, hash: "h", lastFour: "last", ...times });
    await store.setPlan(seller, "inactive");
    const claim = () => priced({ keyId: key.id });
    expect((await store.claimSettlements([claim()], 5)).map(refusalOf)).toEqual([
      "seller_plan_inactive",
    ]);
    expect(await store.findCredits(seller)).toEqual({ available: 5, held: 0 });
    await store.setPlan(seller, "active");
    expect((await store.claimSettlements([claim()], 5)).map(refusalOf)).toEqual([undefined]);
  });
}

/** A settlement of the seller's, held; gives its id. */
async function claimed(store: ServiceStore, changes: ClaimChanges = {}): Promise<string> {
  const claim = priced(changes);
  const [result] = await store.claimSettlements([claim], 5);
  expect(result?.kind).toBe("created");
  return claim.id;
}

/** The kinds of a settlement's entries, the first first. */
async function kindsOf(store: ServiceStore, id: string): Promise<string[]> {
  const { items } = await store.listCreditEntries(seller, { limit: 1000 });
  return items
    .toReversed()
    .filter(({ settlementId }) => settlementId === id)
    .map(({ kind }) => kind);
}

function lifeTests(at: StoreAt): void {
  test("confirmed: charged once, whoever says it again", async () => {
    const { store } = at();
    await fund(store, seller, 3);
    const id = await claimed(store);
    await Promise.all([confirm(store, id), confirm(store, id)]);
    expect(await kindsOf(store, id)).toEqual(["hold", "charge"]);
    expect(await store.findCredits(seller)).toEqual({ available: 2, held: 0 });
  });

  test("failed: given back once", async () => {
    const { store } = at();
    await fund(store, seller, 3);
    const id = await claimed(store, { price: 3 });
    await Promise.all([fail(store, id), fail(store, id)]);
    expect(await kindsOf(store, id)).toEqual(["hold", "release"]);
    expect(await store.findCredits(seller)).toEqual({ available: 3, held: 0 });
    const { items } = await store.listCreditEntries(seller, { limit: 3 });
    expect(items.map(({ cost }) => cost)).toEqual([3, 3, null]);
  });

  test("reorganised away: a hold again, then charged or given back", async () => {
    const { store } = at();
    await fund(store, seller, 2);
    const [one, two] = [await claimed(store), await claimed(store)];
    await confirm(store, one, two);
    await store.recordReorganised(chainId, 90, 8);
    expect(await store.findCredits(seller)).toEqual({ available: 0, held: 2 });
    await confirm(store, one);
    await fail(store, two);
    expect(await kindsOf(store, one)).toEqual(["hold", "charge", "reopen", "charge"]);
    expect(await kindsOf(store, two)).toEqual(["hold", "charge", "reopen", "release"]);
    expect(await store.findCredits(seller)).toEqual({ available: 1, held: 0 });
  });

  test("confirmed after it had failed: held and charged again", async () => {
    const { store } = at();
    await fund(store, seller, 2);
    const id = await claimed(store);
    await fail(store, id);
    await confirm(store, id);
    expect(await kindsOf(store, id)).toEqual(["hold", "release", "hold", "charge"]);
    expect(await store.findCredits(seller)).toEqual({ available: 1, held: 0 });
  });

  test("confirmed after it had failed, without credits left: free, and it says so", async () => {
    const { store } = at();
    await fund(store, seller, 3);
    const ids = [await claimed(store), await claimed(store), await claimed(store)];
    await fail(store, ...ids);
    await claimed(store, { price: 2 });
    const moved = await confirm(store, ...ids);
    // In their order: the first can be paid.
    expect(moved.map(({ credits }) => credits)).toEqual([1, 0, 0]);
    expect(await store.findSettlement(String(ids[1]))).toMatchObject({ credits: 0 });
    const { items } = await store.listCreditEntries(seller, { limit: 1 });
    expect(items).toMatchObject([
      { kind: "charge", credits: 0, balanceAfter: 0, note: expect.stringMatching(/not charged/) },
    ]);
    // And stays free when its block vanishes.
    await store.recordReorganised(chainId, 90, 8);
    await confirm(store, ...ids);
    expect(await store.findCredits(seller)).toEqual({ available: 0, held: 2 });
  });

  test("queued again: the hold stays", async () => {
    const { store } = at();
    await fund(store, seller, 1);
    const id = await claimed(store);
    await store.requeueSettlements([id], 4, 0);
    expect(await store.findCredits(seller)).toEqual({ available: 0, held: 1 });
  });
}

/** A statement that adds an entry past the store. */
function insert(values: string): string {
  const columns = "account, kind, credits, settlement_id, step, purchase_id, created_at";
  return `insert into credit_entries (${columns}) values (${values})`;
}

function tableTests(at: StoreAt): void {
  test("entries are not changed, and not removed while what they are about is there", async () => {
    const { bench, store } = at();
    await fund(store, seller, 3);
    await claimed(store);
    const change = /only added/;
    const removal = /removed with its settlement only/;
    for (const [statement, refusal] of [
      ["update credit_entries set credits = 100", change],
      ["update credit_entries set note = 'x'", change],
      ["delete from credit_entries", removal],
      ["delete from credit_entries where kind = 'grant'", removal],
      ["delete from credit_entries where kind = 'hold'", removal],
    ] as const) {
      await expect(bench.query(statement), statement).rejects.toThrow(refusal);
    }
    expect(await store.findCredits(seller)).toEqual({ available: 2, held: 1 });
  });

  test("what a removed settlement's entries came to is in the account's closing, which only grows", async () => {
    const { bench, store } = at();
    await fund(store, seller, 9);
    const [gone, kept] = [await claimed(store, { price: 2 }), await claimed(store)];
    await confirm(store, gone, kept);
    await bench.query(`delete from settlements where id = '${gone}'`);
    await bench.query(`delete from credit_entries where settlement_id = '${gone}'`);
    const closings = "select credits, entries from credit_closings";
    const [closing] = await bench.query(closings);
    expect([closing?.["credits"], closing?.["entries"]].map(Number)).toEqual([-2, 2]);
    for (const statement of [
      "update credit_closings set credits = credits + 1",
      "update credit_closings set credits = 0, entries = 0",
      "delete from credit_closings",
    ]) {
      await expect(bench.query(statement), statement).rejects.toThrow(/only grows/);
    }
    expect(await store.findCredits(seller)).toEqual({ available: 6, held: 0 });
  });

  test("no balance is negative, by whatever entry", async () => {
    const { bench, store } = at();
    await fund(store, seller, 3);
    await expect(
      bench.query(insert(`'${seller}', 'adjustment', -4, null, null, null, 1`)),
    ).rejects.toThrow(/constraint/i);
    await expect(bench.query("update credit_balances set balance = -1")).rejects.toThrow(
      /constraint/i,
    );
    await bench.query(insert(`'${seller}', 'adjustment', -3, null, null, null, 1`));
    expect(await store.findCredits(seller)).toEqual({ available: 0, held: 0 });
  });

  test("a settlement's entries follow each other, and are its price", async () => {
    const { bench, store } = at();
    await fund(store, seller, 9);
    const id = await claimed(store, { price: 2 });
    const free = claimOf();
    await store.claimSettlements([free], 5);
    const wrong = [
      // Held twice, given back too much or too little, charged for more than was held.
      `'hold', -2, '${id}', 2`,
      `'release', 3, '${id}', 2`,
      `'release', 1, '${id}', 2`,
      `'reopen', 0, '${id}', 2`,
      // A step is there already, or none is before it.
      `'charge', 0, '${id}', 1`,
      `'charge', 0, '${id}', 3`,
      // No such settlement, and one that costs its account nothing.
      `'hold', -1, 'stl_nowhere', 1`,
      `'hold', -1, '${free.id}', 1`,
    ];
    for (const values of wrong) {
      const statement = insert(`'${seller}', ${values}, null, 1`);
      await expect(bench.query(statement), values).rejects.toThrow(/follow|constraint/i);
    }
    // Not from another account.
    await expect(
      bench.query(insert(`'${other}', 'release', 2, '${id}', 2, null, 1`)),
    ).rejects.toThrow(/follow/);
    await bench.query(insert(`'${seller}', 'release', 2, '${id}', 2, null, 1`));
    await expect(
      bench.query(insert(`'${seller}', 'release', 2, '${id}', 3, null, 1`)),
    ).rejects.toThrow(/follow/);
    // To the settlement it is still open; what was done by hand is done.
    await fail(store, id);
    expect(await store.findCredits(seller)).toEqual({ available: 9, held: 0 });
  });

  test("a purchase is credited once, and every kind has its sign", async () => {
    const { bench, store } = at();
    await fund(store, seller, 9);
    await bench.query(insert(`'${seller}', 'purchase', 5, null, null, 'pur_1', 1`));
    for (const values of [
      `'purchase', 5, null, null, 'pur_1'`,
      `'purchase', 5, null, null, null`,
      `'purchase', -5, null, null, 'pur_2'`,
      `'grant', 0, null, null, null`,
      `'grant', 1, null, null, 'pur_3'`,
      `'hold', 1, null, null, null`,
      `'gift', 1, null, null, null`,
    ]) {
      await expect(bench.query(insert(`'${seller}', ${values}, 1`)), values).rejects.toThrow(
        /constraint/i,
      );
    }
    expect(await store.findCredits(seller)).toEqual({ available: 14, held: 0 });
  });
}

function listTests(at: StoreAt): void {
  test("newest first, in pages, with what was available after each entry", async () => {
    const { store } = at();
    expect(await store.listCreditEntries(seller, { limit: 5 })).toEqual({ items: [], next: null });
    await fund(store, seller, 10);
    await fund(store, other, 5);
    const id = await claimed(store, { price: 4 });
    await confirm(store, id);
    const failed = await claimed(store, { price: 6 });
    await fail(store, failed);
    const lines: [string, number, number][] = [];
    let from: Parameters<ServiceStore["listCreditEntries"]>[1]["from"];
    for (let pages = 0; pages < 10; pages++) {
      const { items, next: following } = await store.listCreditEntries(seller, { from, limit: 2 });
      lines.push(
        ...items.map(({ kind, credits, balanceAfter }): [string, number, number] => [
          kind,
          credits,
          balanceAfter,
        ]),
      );
      // What happens meanwhile changes nothing about the pages that follow.
      await fund(store, seller, 1);
      if (!following) break;
      from = following;
    }
    expect(lines).toEqual([
      ["release", 6, 6],
      ["hold", -6, 0],
      ["charge", 0, 6],
      ["hold", -4, 6],
      ["grant", 10, 10],
    ]);
  });

  test("an adjustment takes what is there, and not more", async () => {
    const { store } = at();
    const adjustment = { account: seller, kind: "adjustment", actor: "op", note: "n" } as const;
    await fund(store, seller, 3);
    expect(await store.grantCredits({ ...adjustment, credits: -4 }, 1)).toBeUndefined();
    expect(await store.grantCredits({ ...adjustment, credits: -3 }, 1)).toEqual({
      available: 0,
      held: 0,
    });
    const { items } = await store.listCreditEntries(seller, { limit: 1 });
    expect(items).toMatchObject([{ kind: "adjustment", credits: -3, actor: "op", note: "n" }]);
  });
}
