/** `farthing upgrade --check` on databases of this version, of an earlier one and of a later one. */
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { examineUpgrade, openStore } from "@farthing/facilitator";
import { farthing } from "farthing/testing";
import { startPostgres } from "@farthing/engine/testing";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { gather } from "./gather.testing.ts";

let folder: string;
let file: string;
let environment: Record<string, string>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "farthing-upgrade-"));
  file = join(folder, "farthing.db");
  environment = { FARTHING_RPC_51: "http://127.0.0.1:1", DATABASE_URL: `sqlite:${file}` };
  await (await openStore(`sqlite:${file}`)).close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function check(settings: Record<string, string> = {}, rehearseOn?: string) {
  const env = { ...environment, ...settings };
  const sections = await gather(examineUpgrade({ env, rehearseOn }));
  return sections.flatMap(({ title, lines }) =>
    lines.map(({ name, status, text }) => `${title} / ${name}: ${status} ${text}`),
  );
}

function change(statement: string): void {
  const database = new DatabaseSync(file);
  database.exec(statement);
  database.close();
}

const contentOf = (path: string) => createHash("sha256").update(readFileSync(path)).digest("hex");

test("a database of this version: nothing would change", async () => {
  const { code, stdout } = await farthing(["upgrade", "--check"], { environment });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^configuration\n {2}ok {4}settings /m);
  expect(stdout).toMatch(/^ {2}ok {4}schema {3}this version's; no migration will run$/m);
  expect(stdout).toMatch(/^ {2}ok {4}indexes {2}none to create$/m);
  expect(stdout).toMatch(/stop the old version, then start this one$/m);
  expect(stdout).toMatch(/Nothing must be fixed/);
});

test("an earlier one: names what would run, changes nothing, and times it on a copy", async () => {
  // As a version before them left it: a migration of a feature, and an index of a large table.
  change("drop table settlement_books");
  change("delete from feature_migration where name like 'books/%'");
  change("drop index settlements_by_payer");
  // The version before works on it.
  change(`insert into lanes (chain_id, lane, next_nonce, lease_owner, lease_until, fence)
    values (51, '0x${"ab".repeat(20)}', 7, 'pay-1/4711/a', ${Date.now() + 60_000}, 1)`);
  const before = contentOf(file);
  const copy = join(folder, "rehearsal.db");
  const lines = await check({}, copy);
  expect(lines).toContainEqual(
    expect.stringMatching(/^database \/ schema: warn the next start runs 2 migrations: books\//),
  );
  expect(lines).toContainEqual(
    expect.stringMatching(
      /indexes: warn .* creates 1 before .*: settlements_by_payer on settlements/,
    ),
  );
  expect(lines).toContain(
    "running processes / running: ok process 4711 on pay-1 holds relayer wallets",
  );
  expect(lines).toContainEqual(
    expect.stringMatching(/order: ok .*, then start this one, which does not start beside it$/),
  );
  expect(lines.at(-1)).toMatch(/^rehearsal \/ update: ok the update of the copy .* took \d+\.\d s/);
  expect(contentOf(file)).toBe(before);
  expect(await check({ DATABASE_URL: `sqlite:${copy}` })).toContainEqual(
    "database / schema: ok this version's; no migration will run",
  );
});

test("a newer one, and a setting that this version does not have: 3, and no rehearsal", async () => {
  change("insert into kysely_migration (name, timestamp) values ('9999-later', '2027-01-01')");
  const copy = join(folder, "never.db");
  const lines = await check({ FARTHING_OF_BEFORE: "1" }, copy);
  expect(lines[0]).toMatch(/^configuration \/ settings: fail FARTHING_OF_BEFORE is no setting/);
  const run = await farthing(["upgrade", "--check", "--json"], { environment });
  expect(run.code).toBe(3);
  expect(JSON.parse(run.stdout)).toMatchObject({ ok: false });
  expect(lines).toContainEqual(expect.stringMatching(/schema: fail a newer version .*9999-later/));
  expect(existsSync(copy)).toBe(false);
});

test("SQLite has one table of each kind, which --partition leaves as it is", async () => {
  const url = `sqlite:${join(folder, "undivided.db")}`;
  await (await openStore(url)).close();
  const own = { environment: { ...environment, DATABASE_URL: url } };
  const { code, stderr } = await farthing(["upgrade", "--partition"], own);
  expect(code).toBe(9);
  expect(stderr).toMatch(/nothing to divide/);
});

test("PostgreSQL: --partition says first what there is to move, then moves it, and again", async () => {
  const server = await startPostgres();
  onTestFinished(() => server.stop());
  const store = await openStore(server.databaseUrl);
  await store.close();
  const own = { environment: { ...environment, DATABASE_URL: server.databaseUrl } };
  const dry = await farthing(["upgrade", "--partition", "--dry-run"], own);
  expect(dry).toMatchObject({ code: 0 });
  expect(dry.stdout).toMatch(/^About 0 transactions and 0 webhook deliveries/);
  expect(dry.stdout).toMatch(/Nothing was changed/);
  const run = await farthing(["upgrade", "--partition"], own);
  expect(run).toMatchObject({ code: 0, stdout: expect.stringContaining("Done.") });
});
