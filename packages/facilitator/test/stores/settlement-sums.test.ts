/**
 * The sums of an account's days and of what was sold at a price are those of its settlements, after
 * whatever happened in whatever order, in one process or two, also while a history of an earlier
 * version is still being added.
 */
import { apothem, xdc, type Address, type ChainId } from "@farthing/protocol";
import * as fc from "fast-check";
import { Client } from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Log, silentLog } from "@farthing/engine/base";
import { openStore, type ServiceStore } from "../../src/features/open-store.ts";
import { dayMs } from "../../src/features/history/participant.ts";
import { bothEngines } from "./store-benches.testing.ts";
import { claimOf, fund, hex32, idOf, next, type StoreBench } from "./store-values.testing.ts";

const sellers: readonly Address[] = [`0x${"33".repeat(20)}`, `0x${"44".repeat(20)}`];
const payers: readonly Address[] = [`0x${"55".repeat(20)}`, `0x${"66".repeat(20)}`];
const chainIds: readonly ChainId[] = [apothem.chainId, xdc.chainId];
const amounts = [10n, 11n];

/** Days on which settlements are claimed. */
const days = [20_000, 20_001, 20_002];

/** What may happen; numbers choose to whom. */
type Step =
  | { readonly do: "claim"; readonly of: readonly (readonly number[])[] }
  | { readonly do: "confirm"; readonly of: readonly number[] }
  | { readonly do: "fail"; readonly of: readonly number[] }
  | { readonly do: "reorganise"; readonly block: number }
  | { readonly do: "finalize"; readonly block: number };

const some = <T>(of: fc.Arbitrary<T>) => fc.array(of, { minLength: 1, maxLength: 6 });
const choices = fc.array(fc.nat({ max: 2 }), { minLength: 5, maxLength: 5 });
const block = fc.integer({ min: 90, max: 110 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant("claim"), of: some(choices) }),
  fc.record({ do: fc.constant("confirm"), of: some(fc.nat({ max: 60 })) }),
  fc.record({ do: fc.constant("fail"), of: some(fc.nat({ max: 60 })) }),
  fc.record({ do: fc.constant("reorganise"), block }),
  fc.record({ do: fc.constant("finalize"), block }),
);

/** Rounds of steps; those of a round happen at once. */
const story = fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { maxLength: 8 });

const chosen = <T>(from: readonly T[], index = 0): T => {
  const one = from[index % from.length];
  if (one === undefined) throw new Error("nothing to choose from");
  return one;
};

async function take(store: ServiceStore, made: Step, known: string[]): Promise<void> {
  if (made.do === "claim") {
    const ids = made.of.map(async ([seller, payer, chain, amount, day = 0]) => {
      const claim = claimOf({
        account: chosen(sellers, seller),
        payer: chosen(payers, payer),
        chainId: chosen(chainIds, chain),
        asset: chosen(chainIds, chain) === xdc.chainId ? xdc.usdc : apothem.usdc,
        amount: chosen(amounts, amount),
        price: day,
      });
      const [result] = await store.claimSettlements([claim], chosen(days, day) * dayMs + next());
      return idOf(result) ?? [];
    });
    known.push(...(await Promise.all(ids)).flat());
    return;
  }
  if (made.do === "reorganise" || made.do === "finalize") {
    for (const chainId of chainIds) {
      if (made.do === "finalize") await store.recordFinalized(chainId, made.block - 15, 9);
      else await store.recordReorganised(chainId, made.block, 8);
    }
    return;
  }
  const ids = made.of.flatMap((index) => known[index % Math.max(1, known.length)] ?? []);
  if (made.do === "confirm") await confirm(store, ids);
  else await fail(store, ids);
}

async function confirm(store: ServiceStore, ids: readonly string[]): Promise<void> {
  const confirmations = ids.map((id, index) => {
    const blockNumber = 90 + (index % 20);
    const blockHash = hex32(blockNumber);
    const place = { transaction: hex32(next()), blockNumber, blockHash, logIndex: 0 };
    return { id, mined: { ...place, settledBy: "relayer" as const } };
  });
  await store.recordConfirmed(confirmations, days[0] ?? 0);
}

async function fail(store: ServiceStore, ids: readonly string[]): Promise<void> {
  const why = { code: "transaction_reverted", message: "m", transaction: null } as const;
  await store.recordFailed(
    ids.map((id) => ({ id, ...why })),
    7,
  );
}

const outcome = "case when state in ('queued', 'submitted') then 'pending' else state end" as const;

/** The sums over the settlements beside those that are kept, as text that can be compared. */
async function expectEqualSums({ query }: StoreBench): Promise<void> {
  const compared: readonly (readonly [string, string])[] = [
    [
      `select account, created_at / ${dayMs} as day, chain_id, ${outcome} as outcome, count(*) as settlements, sum(case when state = 'confirmed' then cast(amount as bigint) else 0 end) as units, sum(credits) as credits from settlements where account is not null group by 1, 2, 3, 4 order by 1, 2, 3, 4`,
      "select account, day, chain_id, outcome, settlements, units, credits from usage_days where settlements <> 0 or units <> 0 or credits <> 0 order by 1, 2, 3, 4",
    ],
    [
      `select account, chain_id, amount, payer, created_at / ${dayMs} as day, count(*) as settlements from settlements where account is not null and state = 'confirmed' group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5`,
      "select account, chain_id, amount, payer, day, settlements from sales_by_payer where settlements <> 0 order by 1, 2, 3, 4, 5",
    ],
    [
      `select account, chain_id, amount, created_at / ${dayMs} as day, count(*) as settlements from settlements where account is not null and state = 'confirmed' group by 1, 2, 3, 4 order by 1, 2, 3, 4`,
      "select account, chain_id, amount, day, settlements from sales_by_day where settlements <> 0 order by 1, 2, 3, 4",
    ],
    // Each payer on the last day on which they bought.
    [
      `select account, chain_id, amount, day, count(*) as payers from (select account, chain_id, amount, payer, max(created_at / ${dayMs}) as day from settlements where account is not null and state = 'confirmed' group by 1, 2, 3, 4) as last group by 1, 2, 3, 4 order by 1, 2, 3, 4`,
      "select account, chain_id, amount, day, payers from sales_by_day where payers <> 0 order by 1, 2, 3, 4",
    ],
  ];
  for (const [settlements, sums] of compared) {
    expect(textOf(await query(sums))).toEqual(textOf(await query(settlements)));
  }
}

/** PostgreSQL returns sums as text. */
function textOf(rows: readonly Record<string, unknown>[]) {
  return rows.map((row) => Object.values(row).map(String).join(" "));
}

/** Settlements as an earlier version has left them: confirmed, failed and open ones, not in the sums. */
async function fillEarlierVersion({ query, isConcurrent }: StoreBench, rows: number) {
  const series = isConcurrent
    ? `generate_series(1, ${rows}) as given(n)`
    : `(with recursive given(n) as (select 1 union all select n + 1 from given where n < ${rows}) select n from given) as given`;
  const account = `case when n % 2 = 0 then '${sellers[0]}' else '${sellers[1]}' end`;
  for (const seller of sellers) {
    await query(
      `insert into accounts (address, plan, created_at) values ('${seller}', 'active', 1)`,
    );
  }
  const state = "case n % 3 when 0 then 'failed' when 1 then 'confirmed' else 'queued' end";
  await query(
    `insert into settlements (id, chain_id, asset, payer, nonce, pay_to, amount, valid_after, valid_before, signature, payer_has_code, seen_unused_at, network_name, state, block_number, block_hash, credits, created_at, confirmed_at, failed_at, account) select 'old_' || n, ${apothem.chainId}, '${apothem.usdc.toLowerCase()}', '${payers[0]}', 'n' || n, '${payers[1]}', '10', '0', '9', '0x', 0, 1, 'x', ${state}, case when n % 3 = 1 then 100 end, case when n % 3 = 1 then 'h' end, 0, ${20_000 * dayMs} + n * 60000, case when n % 3 = 1 then 5 end, case when n % 3 = 0 then 5 end, ${account} from ${series}`,
  );
  for (const table of ["usage_days", "sales_by_payer", "sales_by_day"]) {
    await query(`delete from ${table}`);
  }
  await query("update sums_progress set account = '', created_at = 0, id = '', is_complete = 0");
}

async function isComplete({ query }: StoreBench): Promise<boolean> {
  const [row] = await query("select is_complete from sums_progress");
  return row?.["is_complete"] === 1;
}

/** Two processes where there can be two at once. */
async function openTwo(bench: StoreBench): Promise<readonly [ServiceStore, ServiceStore]> {
  const store = await bench.open();
  onTestFinished(() => store.close());
  if (!bench.isConcurrent) return [store, store];
  const second = await bench.open();
  onTestFinished(() => second.close());
  return [store, second];
}

describe.each(bothEngines())("sums on %s", (_name, start) => {
  async function prepare(): Promise<StoreBench> {
    const bench = await start();
    onTestFinished(() => bench.stop());
    return bench;
  }

  test("are those of the settlements, whatever happened to these", async () => {
    const bench = await prepare();
    const stores = await openTwo(bench);
    for (const seller of sellers) await fund(stores[0], seller, 40);
    const known: string[] = [];
    await fc.assert(
      fc.asyncProperty(story, async (rounds) => {
        for (const round of rounds) {
          const before = [...known];
          const fresh: string[] = [];
          await Promise.all(
            round.map(async (made, index) => {
              const ids = made.do === "claim" ? fresh : before;
              await take(chosen(stores, index), made, ids);
            }),
          );
          known.push(...fresh);
        }
        await expectEqualSums(bench);
      }),
      { numRuns: bench.isConcurrent ? 12 : 30 },
    );
    expect(known.length).toBeGreaterThan(20);
  });

  test("are told as usage and as what a listing has sold", async () => {
    const bench = await prepare();
    const [store] = await openTwo(bench);
    const [seller] = sellers;
    const [first, second] = days;
    if (!seller || !first || !second) return;
    await fund(store, seller, 10);
    const claims = [0, 0, 1].map((of) => claimOf({ account: seller, payer: chosen(payers, of) }));
    await store.claimSettlements(claims.slice(0, 1), first * dayMs);
    await store.claimSettlements(claims.slice(1), second * dayMs);
    await confirm(
      store,
      claims.map(({ id }) => id),
    );
    const price = { chainId: apothem.chainId, amount: 10n };
    expect(await store.readListingStats(seller, price, first * dayMs)).toMatchObject({
      settlements: 3,
      payers: 2,
    });
    expect(await store.readListingStats(seller, price, second * dayMs)).toMatchObject({
      settlements: 2,
      payers: 2,
    });
    expect(
      await store.listUsage(seller, {
        since: first * dayMs,
        before: (second + 1) * dayMs,
        chainId: apothem.chainId,
      }),
    ).toMatchObject([
      { day: first, settled: 1, units: 10n },
      { day: second, settled: 2, units: 20n },
    ]);
    // What is forgotten is what is not shown any more.
    expect(await store.forgetSales(second * dayMs, 10)).toBe(1);
    expect(await store.readListingStats(seller, price, second * dayMs)).toMatchObject({
      settlements: 2,
      payers: 2,
    });
  });

  test("of an earlier version's history are added while settlements move", async () => {
    const bench = await prepare();
    await (await bench.open()).close();
    await fillEarlierVersion(bench, 3_000);
    const stores = await openTwo(bench);
    const [seller] = sellers;
    if (!seller) return;
    // Before, during and after: what is told is right at any time.
    const span = { since: 19_999 * dayMs, before: 20_010 * dayMs };
    const told = async () => {
      const spans = chainIds.map((chainId) => stores[0].listUsage(seller, { ...span, chainId }));
      return (await Promise.all(spans)).flat().reduce((sum, day) => sum + day.settled, 0);
    };
    expect(await told()).toBe(500);
    const known = Array.from({ length: 3_000 }, (_, index) => `old_${index + 1}`);
    for (let turn = 0; turn < 60; turn++) {
      const at = (turn * 49) % known.length;
      const ids = known.slice(at, at + 8);
      await Promise.all([
        take(chosen(stores, turn), { do: "claim", of: [[turn, 1, 0, 1, 0]] }, known),
        turn % 2 === 0 ? fail(chosen(stores, turn + 1), ids) : confirm(chosen(stores, turn), ids),
      ]);
      if (turn % 20 === 0) await stores[1].recordReorganised(apothem.chainId, 95, 8);
    }
    await expect.poll(() => isComplete(bench)).toBe(true);
    await expectEqualSums(bench);
    const [row] = await bench.query(
      `select count(*) as count from settlements where state = 'confirmed' and account = '${seller}'`,
    );
    expect(await told()).toBe(Number(row?.["count"]));
  });

  test("wait for processes of an earlier version, and say so", async () => {
    const bench = await prepare();
    await (await bench.open()).close();
    await fillEarlierVersion(bench, 30);
    if (!bench.isConcurrent) return;
    // As versions before 0011 call themselves.
    const older = new Client({
      connectionString: bench.databaseUrl,
      application_name: "farthing",
    });
    await older.connect();
    const events: unknown[] = [];
    const note = (fields: object) => void events.push(Reflect.get(fields, "event"));
    const log: Log = { ...silentLog, info: note, warn: note };
    const store = await openStore(bench.databaseUrl, { log });
    onTestFinished(() => store.close());
    await expect.poll(() => events).toContain("usage_sums_wait");
    // It counts nothing of what it does; what is told has it all the same.
    await older.query("update settlements set state = 'confirmed' where id = 'old_2'");
    const { chainId } = apothem;
    const span = { since: 19_999 * dayMs, before: 20_010 * dayMs, chainId };
    const told = await store.listUsage(sellers[0] ?? "0x", span);
    expect(told).toMatchObject([{ settled: 6 }]);
    expect(await isComplete(bench)).toBe(false);
    // Nothing is removed before it is in the sums.
    const over = { madeBefore: 20_100 * dayMs, endedBefore: 1_000_000, limit: 100 };
    const prune = () => store.pruneSettlements(apothem.chainId, over, async () => {});
    expect(await prune()).toMatchObject({ removed: 0 });
    await older.end();
    await expect.poll(() => isComplete(bench)).toBe(true);
    await expectEqualSums(bench);
    expect(events).toContain("usage_sums_completed");
    expect(await prune()).toMatchObject({ removed: 10 });
  });
});
