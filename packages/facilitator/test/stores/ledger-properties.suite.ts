/**
 * The ledger under whatever happens, in any order and at once: the books agree, no balance is
 * negative, and nothing is held, charged or given back twice.
 */
import type { Address } from "@farthing/protocol";
import * as fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { storeForEach, type StoreAt } from "./store-benches.testing.ts";
import {
  chainId,
  claimOf,
  confirm,
  fail,
  fund,
  idOf,
  type StoreBench,
} from "./store-values.testing.ts";
import { entryTransitions } from "../../src/features/credits/model.ts";
import type { ServiceStore } from "../../src/features/open-store.ts";

const seller: Address = `0x${"33".repeat(20)}`;

/** The tests, on databases that `start` makes. */
export function ledgerPropertiesSuite(start: () => Promise<StoreBench>): void {
  const at = storeForEach(start);
  afterEach(async () => {
    expect(await at().store.auditCredits(10)).toEqual([]);
  });

  propertyTests(at);

  test("the triggers let those entries follow each other that the table of the model names", async () => {
    const { bench } = at();
    const inSqlite =
      "select sql as rules from sqlite_master where name = 'credit_entries_in_order'";
    const inPostgres =
      "select prosrc as rules from pg_proc where proname = 'credit_entries_counted'";
    const [found] = await bench.query(inSqlite).catch(() => bench.query(inPostgres));
    const pairs = [...String(found?.["rules"]).matchAll(/'([a-z]+ [a-z]+)'/g)].map(
      ([, pair]) => pair,
    );
    const named = Object.entries(entryTransitions).flatMap(([before, after]) =>
      after.map((kind) => `${before} ${kind}`),
    );
    expect(new Set(pairs)).toEqual(new Set(named));
  });
}

/** What may happen to accounts and settlements; numbers choose which. */
type Step =
  | { readonly do: "grant"; readonly account: number; readonly credits: number }
  | { readonly do: "claim"; readonly of: readonly { account: number; price: number }[] }
  | { readonly do: "confirm" | "fail"; readonly of: readonly number[] }
  | { readonly do: "reorganise" | "finalize"; readonly block: number };

const some = <T>(of: fc.Arbitrary<T>) => fc.array(of, { minLength: 1, maxLength: 6 });
const account = fc.nat({ max: 1 });
const steps: fc.Arbitrary<Step>[] = [
  fc.record({ do: fc.constant("grant"), account, credits: fc.integer({ min: 1, max: 6 }) }),
  fc.record({
    do: fc.constant("claim"),
    of: some(fc.record({ account, price: fc.integer({ min: 0, max: 3 }) })),
  }),
  fc.record({ do: fc.constantFrom("confirm", "fail"), of: some(fc.nat({ max: 40 })) }),
  fc.record({
    do: fc.constantFrom("reorganise", "finalize"),
    block: fc.integer({ min: 90, max: 110 }),
  }),
];

/** Rounds of steps; those of a round happen at once. */
const story = fc.array(fc.array(fc.oneof(...steps), { minLength: 1, maxLength: 4 }), {
  minLength: 1,
  maxLength: 10,
});

/** Claims of accounts in an order, which fail and are confirmed after all. */
async function turn(store: ServiceStore, order: readonly Address[]): Promise<void> {
  const claims = order.map((of) => claimOf({ account: of, price: 1 }));
  const made = (await store.claimSettlements(claims, 5)).map(idOf).map(String);
  await fail(store, ...made);
  await confirm(store, ...made);
}

function propertyTests(at: StoreAt): void {
  test("the books agree and no balance is negative", async () => {
    const { bench, store } = at();
    const stores = [store, bench.isConcurrent ? await bench.open() : store];
    let told = 0;
    try {
      await fc.assert(
        fc.asyncProperty(story, async (rounds) => {
          const accounts = [accountOf(++told), accountOf(++told)] as const;
          const granted = new Map<Address, number>(accounts.map((of) => [of, 0]));
          const ids: string[] = [];
          for (const round of rounds) {
            const known = [...ids];
            await Promise.all(
              round.map((step, index) =>
                take(stores[index % 2] ?? store, step, { accounts, granted, known, ids }),
              ),
            );
            await checkBooks(store, granted, ids);
          }
        }),
        { numRuns: bench.isConcurrent ? 25 : 60 },
      );
    } finally {
      if (stores[1] !== store) await stores[1]?.close();
    }
  });

  test("many claim against one balance: as many as it pays", async () => {
    const { bench, store } = at();
    const stores = bench.isConcurrent
      ? [store, await bench.open(), await bench.open(), await bench.open()]
      : [store];
    try {
      await fund(store, seller, 70);
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          (stores[index % stores.length] ?? store).claimSettlements(
            Array.from({ length: 10 }, () => claimOf({ account: seller, price: 1 })),
            5,
          ),
        ),
      );
      expect(results.flat().filter(({ kind }) => kind === "created")).toHaveLength(70);
      expect(await store.findCredits(seller)).toEqual({ available: 0, held: 70 });
    } finally {
      for (const opened of stores.slice(1)) await opened.close();
    }
  });

  test("groups about the same accounts in any order do not block each other", async () => {
    const { bench, store } = at();
    const second = bench.isConcurrent ? await bench.open() : store;
    try {
      const accounts = Array.from({ length: 20 }, (_, index) => accountOf(1000 + index));
      for (const of of accounts) await fund(store, of, 40);
      const turns = Array.from({ length: 10 }, (_, index) =>
        index % 2 === 0 ? turn(store, accounts) : turn(second, accounts.toReversed()),
      );
      await Promise.all(turns);
      for (const of of accounts) {
        expect(await store.findCredits(of)).toEqual({ available: 30, held: 0 });
      }
    } finally {
      if (second !== store) await second.close();
    }
  });
}

function accountOf(number: number): Address {
  return `0x${number.toString(16).padStart(40, "0")}`;
}

interface WorkerMessage {
  readonly accounts: readonly [Address, Address];
  readonly granted: Map<Address, number>;
  /** Settlements of earlier rounds. */
  readonly known: readonly string[];
  /** All of them. */
  readonly ids: string[];
}

async function take(store: ServiceStore, step: Step, told: WorkerMessage): Promise<void> {
  const { accounts, granted, known, ids } = told;
  switch (step.do) {
    case "grant": {
      const of = accounts[step.account] ?? accounts[0];
      granted.set(of, (granted.get(of) ?? 0) + step.credits);
      await fund(store, of, step.credits);
      return;
    }
    case "claim": {
      const claims = step.of.map(({ account: index, price }) =>
        claimOf({ account: accounts[index] ?? accounts[0], price }),
      );
      const results = await store.claimSettlements(claims, 5);
      ids.push(...results.flatMap((result) => idOf(result) ?? []));
      return;
    }
    case "confirm":
    case "fail": {
      const chosen = step.of.flatMap((index) => known[index % Math.max(1, known.length)] ?? []);
      await (step.do === "confirm" ? confirm(store, ...chosen) : fail(store, ...chosen));
      return;
    }
    case "reorganise":
      await store.recordReorganised(chainId, step.block, 8);
      return;
    case "finalize":
      await store.recordFinalized(chainId, step.block, 9);
      return;
    default:
      step satisfies never;
  }
}

/** Counts everything from the settlements, by a way of its own. */
async function checkBooks(
  store: ServiceStore,
  granted: ReadonlyMap<Address, number>,
  ids: readonly string[],
): Promise<void> {
  expect(await store.auditCredits(10)).toEqual([]);
  const settlements = await Promise.all(ids.map((id) => store.findSettlement(id)));
  for (const [of, credits] of granted) {
    let [held, charged] = [0, 0];
    for (const settlement of settlements) {
      if (settlement?.owner?.toLowerCase() !== of || settlement.state === "failed") continue;
      if (settlement.state === "confirmed") charged += settlement.credits;
      else held += settlement.credits;
    }
    const available = credits - held - charged;
    expect(available).toBeGreaterThanOrEqual(0);
    expect(await store.findCredits(of)).toEqual({ available, held });
  }
}
