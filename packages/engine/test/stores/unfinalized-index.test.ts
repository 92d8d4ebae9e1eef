/**
 * Each block asks the store what is confirmed and not final yet. That must not cost more the more
 * was ever settled, also on a database that an earlier version has filled.
 */
import { DatabaseSync } from "node:sqlite";
import { Client } from "pg";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { bothEngines } from "./store-benches.testing.ts";
import {
  chainId,
  claimOf,
  minedIn,
  type StoreBench,
  type TestStore,
} from "./store-values.testing.ts";

const index = "settlements_unfinalized";

/** Final settlements in the database: enough for a planner to avoid reading them all. */
const finalRows = 3_000;

/** A statement as the driver got it. */
interface Statement {
  readonly text: string;
  readonly values: unknown[];
}

afterEach(() => void vi.restoreAllMocks());

/** Collects the statements about settlements that the store runs from now on. */
function collectStatements(): Statement[] {
  const statements: Statement[] = [];
  const note = (text: unknown, values: unknown) => {
    if (typeof text !== "string" || !text.includes("settlements")) return;
    statements.push({ text, values: Array.isArray(values) ? values : [] });
  };
  const { prepare } = DatabaseSync.prototype;
  vi.spyOn(DatabaseSync.prototype, "prepare").mockImplementation(function (this: unknown, text) {
    note(text, []);
    return Reflect.apply(prepare, this, [text]);
  });
  const query: unknown = Reflect.get(Client.prototype, "query");
  vi.spyOn(Client.prototype, "query").mockImplementation(function (this: unknown, ...given) {
    note(given[0], given[1]);
    return typeof query === "function" ? Reflect.apply(query, this, given) : undefined;
  });
  return statements;
}

/** What each block asks for, and writes, about settlements that are not final. */
async function everyBlock(store: TestStore): Promise<void> {
  await store.listUnfinalizedBlocks(chainId);
  await store.recordFinalized(chainId, 5, 9);
  await store.recordReorganised(chainId, 8, 9, [`0x${"ab".repeat(32)}`]);
}

async function fillWithFinal(bench: StoreBench): Promise<void> {
  const series = bench.isConcurrent
    ? `generate_series(1, ${finalRows}) as given(n)`
    : `(with recursive given(n) as (select 1 union all select n + 1 from given where n < ${finalRows}) select n from given) as given`;
  const columns =
    "id, chain_id, asset, payer, nonce, pay_to, amount, valid_after, valid_before, signature, payer_has_code, seen_unused_at, network_name, state, block_number, block_hash, created_at, finalized_at";
  await bench.query(
    `insert into settlements (${columns}) select 'old_' || n, ${chainId}, 'a', 'p', 'n' || n, 't', '1', '0', '9', '0x', 0, 1, 'x', 'confirmed', n, 'h' || n, 1, 2 from ${series}`,
  );
  await bench.query("analyze settlements");
}

/** The plan of a statement, as the database would carry it out now. */
async function planOf(bench: StoreBench, { text, values }: Statement): Promise<string> {
  if (!bench.isConcurrent) {
    return JSON.stringify(await bench.query(`explain query plan ${text}`));
  }
  const client = new Client({ connectionString: bench.databaseUrl });
  await client.connect();
  const { rows } = await client.query(`explain ${text}`, values);
  await client.end();
  return JSON.stringify(rows);
}

describe.each(bothEngines())("what is not final, on %s", (_name, start) => {
  async function open(): Promise<{ bench: StoreBench; store: TestStore }> {
    const bench = await start();
    const store = await bench.open();
    onTestFinished(async () => {
      await store.close();
      await bench.stop();
    });
    return { bench, store };
  }

  test("is found, made final and taken back by its block", async () => {
    const { store } = await open();
    const claims = [claimOf(), claimOf()];
    await store.claimSettlements(claims, 1);
    const [old, young] = claims.map(({ id }) => id);
    await store.recordConfirmed([{ id: String(old), mined: minedIn(5) }], 2);
    await store.recordConfirmed([{ id: String(young), mined: minedIn(8) }], 2);
    const blocks = [{ number: 5 }, { number: 8 }];
    expect(await store.listUnfinalizedBlocks(chainId)).toMatchObject(blocks);
    expect(await store.recordFinalized(chainId, 5, 9)).toMatchObject([{ id: old }]);
    expect(await store.recordReorganised(chainId, 8, 9)).toMatchObject([{ id: young }]);
    expect(await store.listUnfinalizedBlocks(chainId)).toEqual([]);
  });

  test("is read by its index, however much is final", async () => {
    const { bench, store } = await open();
    await fillWithFinal(bench);
    const statements = collectStatements();
    await everyBlock(store);
    vi.restoreAllMocks();
    expect(statements.length).toBeGreaterThanOrEqual(3);
    for (const statement of statements) {
      const plan = await planOf(bench, statement);
      expect(plan, statement.text).toContain(index);
      expect(plan, statement.text).not.toMatch(/Seq Scan on settlements|SCAN settlements/);
    }
  });

  test("a database of an earlier version gets the index while it is used", async () => {
    const { bench, store } = await open();
    await fillWithFinal(bench);
    await bench.query(`drop index ${index}`);
    // Left behind by a creation that was cut short.
    if (bench.isConcurrent) {
      await bench.query(`create index ${index} on settlements (chain_id)`);
      await bench.query(
        `update pg_index set indisvalid = false where indexrelid = '${index}'::regclass`,
      );
    }
    const second = await bench.open();
    onTestFinished(() => second.close());
    await store.claimSettlements([claimOf()], 1);
    const isThere = async () => {
      const rows = bench.isConcurrent
        ? await bench.query(
            `select pg_get_indexdef(indexrelid) as sql from pg_index where indisvalid and indexrelid = to_regclass('${index}')`,
          )
        : await bench.query(`select sql from sqlite_master where name = '${index}'`);
      return String(rows[0]?.["sql"]);
    };
    await expect.poll(isThere).toMatch(/finalized_at is null/i);
  });
});
