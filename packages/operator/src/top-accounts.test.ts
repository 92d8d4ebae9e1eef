/** `farthing accounts --top` as an operator runs it. */
import { mkdtempSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore, type ServiceStore } from "@farthing/facilitator";
import type { Address } from "@farthing/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { farthing } from "farthing/testing";

const [busy, failing, quiet]: Address[] = [1, 2, 3].map(
  (number): Address => `0x${String(number).repeat(40)}`,
);
const today = Math.floor(Date.now() / 86_400_000);

let folder: string;
let path: string;
let store: ServiceStore;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "farthing-top-"));
  path = join(folder, "farthing.db");
  store = await openStore(`sqlite:${path}`);
  for (const account of [busy, failing, quiet]) await store.ensureAccount(account ?? "0x", 1);
  // More accounts than a page has.
  const database = new DatabaseSync(path);
  const insert = database.prepare("insert into usage_days values (?, ?, ?, ?, ?, ?, 0)");
  for (let number = 0; number < 600; number++) {
    const address = `0x${number.toString(16).padStart(40, "0")}`;
    database.exec(
      `insert into accounts (address, plan, created_at) values ('${address}', 'active', 1)`,
    );
    insert.run(address, today, 51, "confirmed", 1, 1_000);
  }
  const rows = [
    [busy, today, 51, "confirmed", 70, 7_000_000],
    [busy, today - 6, 51, "confirmed", 30, 3_000_000],
    [busy, today - 7, 51, "confirmed", 900, 1],
    [busy, today, 50, "confirmed", 40, 40_000],
    [busy, today, 51, "failed", 2, 0],
    [failing, today - 1, 51, "failed", 50, 0],
    [failing, today - 1, 51, "confirmed", 5, 500],
    [quiet, today - 40, 51, "confirmed", 8, 8],
  ] as const;
  for (const [account = "", ...values] of rows) insert.run(account, ...values);
  database.close();
});
afterAll(async () => {
  await store?.close();
  rmSync(folder, { recursive: true, force: true });
});

const run = (...args: string[]) =>
  farthing(["accounts", ...args], { environment: { DATABASE_URL: `sqlite:${path}` } });

async function topOf(...args: string[]): Promise<unknown[]> {
  const { code, stdout, stderr } = await run("--top", "--json", ...args);
  expect([code, stderr]).toEqual([0, ""]);
  const rows: unknown = JSON.parse(stdout);
  return Array.isArray(rows) ? rows : [];
}

test("the busiest accounts of a week, live and test money apart", async () => {
  expect(await topOf("--limit", "3")).toEqual([
    { account: busy, network: "eip155:51", settled: 100, failed: 2, usdc: "10.000000" },
    { account: busy, network: "eip155:50", settled: 40, failed: 0, usdc: "0.040000" },
    { account: failing, network: "eip155:51", settled: 5, failed: 50, usdc: "0.000500" },
  ]);
  expect(await topOf()).toHaveLength(10);
});

test("those with most failures, and a longer period", async () => {
  expect(await topOf("--by", "failed")).toMatchObject([
    { account: failing, failed: 50 },
    { account: busy, failed: 2 },
  ]);
  expect(await topOf("--days", "8", "--limit", "1")).toMatchObject([{ settled: 1_000 }]);
  expect(await topOf("--days", "41", "--limit", "4")).toContainEqual(
    expect.objectContaining({ account: quiet, settled: 8 }),
  );
});

test("a table for people, and nothing to show is said", async () => {
  const { code, stdout } = await run("--top", "--limit", "1");
  expect([code, stdout]).toEqual([0, expect.stringMatching(new RegExp(`${busy}.* 100 `))]);
  const database = new DatabaseSync(path);
  database.exec(`delete from usage_days where account = '${busy}' and outcome = 'failed'`);
  database.close();
  const none = await run("--top", "--by", "failed", "--days", "1");
  expect(none).toMatchObject({
    code: 0,
    stdout: "",
    stderr: "No account has failed payments in the last 1 days.\n",
  });
});

test.each([["--top", "--days", "0"], ["--top", "--limit", "1001"], ["--top", "--by", "name"], []])(
  "what makes no sense is usage: %s %s %s",
  async (...args) => {
    expect(await run(...args)).toMatchObject({ code: 2, stdout: "" });
  },
);

test("the list has its own --json", async () => {
  const { code, stdout } = await run("list", "--json");
  expect([code, JSON.parse(stdout)]).toEqual([0, expect.any(Array)]);
});

test("sums that are not complete are not shown", async () => {
  const database = new DatabaseSync(path);
  database.exec("update sums_progress set is_complete = 0");
  database.close();
  const { code, stderr } = await run("--top");
  expect([code, stderr]).toEqual([9, expect.stringContaining("still being added up")]);
});
