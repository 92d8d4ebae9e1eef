/** Versions that meet at one database: what a start says to each, and what it leaves as it is. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { hostname } from "node:os";
import { messageOf, systemClock } from "@farthing/engine/base";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { openStore } from "../../src/features/open-store.ts";
import { checkDatabase } from "../../src/operations/doctor-database.ts";
import { bothEngines, startSqlite } from "./store-benches.testing.ts";
import type { StoreBench } from "./store-values.testing.ts";

const wallet = `0x${"ab".repeat(20)}`;

/** A process that runs as long as the test, as a service of the version before. */
let other: ChildProcess;
beforeAll(async () => {
  other = spawn(process.execPath, ["-e", "process.stdin.resume()"], {
    stdio: ["pipe", "ignore", "ignore"],
  });
  await once(other, "spawn");
});
afterAll(() => other?.kill("SIGKILL"));

/** Makes the database that of a version which lacked a feature, and whose process has a wallet. */
async function makeEarlier(bench: StoreBench, holder: string, untilMs: number): Promise<void> {
  await (await bench.open()).close();
  await bench.query("drop table settlement_books");
  await bench.query("delete from feature_migration where name like 'books/%'");
  await bench.query("delete from lanes");
  await bench.query(`insert into lanes (chain_id, lane, next_nonce, lease_owner, lease_until, fence)
    values (51, '${wallet}', 7, '${holder}', ${untilMs}, 1)`);
}

const open = (bench: StoreBench) =>
  openStore(bench.databaseUrl).then((store) => store.close().then(() => "it opened"), messageOf);

const refusal = (pid: number | undefined, host: string) =>
  new RegExp(
    `^The database cannot be used \\(SQLite, .*\\): the version before works on this file \\(process ${pid} on ${host}\\), and this version would change it \\(books/.*\\); stop that process first$`,
  );

const inAMinute = () => Date.now() + 60_000;

test("beside a living process of the version before, a start on its SQLite file is refused and changes nothing", async () => {
  const bench = await startSqlite();
  onTestFinished(bench.stop);
  await makeEarlier(bench, `${hostname()}/${other.pid}/a`, inAMinute());
  const before = await bench.query("select name from feature_migration");
  expect(await open(bench)).toMatch(refusal(other.pid, hostname()));
  expect(await bench.query("select name from feature_migration")).toEqual(before);
  const { lines } = await checkDatabase(bench.databaseUrl, systemClock, []);
  expect(lines.map(({ text }) => text)).toContain(
    `${wallet} on chain 51: held by process ${other.pid} on ${hostname()}, 0 transactions open`,
  );
});

test("a process that has ended keeps nobody waiting", async () => {
  const bench = await startSqlite();
  onTestFinished(bench.stop);
  const ended = spawn(process.execPath, ["-e", ""]);
  await once(ended, "close");
  await makeEarlier(bench, `${hostname()}/${ended.pid}/a`, inAMinute());
  expect(await open(bench)).toBe("it opened");
});

test("in another container: refused once it renews its lease, opened once the lease has ended", async () => {
  const bench = await startSqlite();
  onTestFinished(bench.stop);
  await makeEarlier(bench, "container/1/a", inAMinute());
  const opening = open(bench);
  let untilMs = inAMinute();
  const renew = async () => {
    await bench.query(`update lanes set lease_until = ${++untilMs}`);
    return Promise.race([opening, Promise.resolve("not yet")]);
  };
  await expect.poll(renew, { interval: 100 }).toMatch(refusal(1, "container"));

  await bench.query(`update lanes set lease_until = ${Date.now() + 300}`);
  expect(await open(bench)).toBe("it opened");
});

describe.each(bothEngines())("%s", (name, startBench) => {
  test("the version before at work: an update of the server goes on beside it, one of a file does not", async () => {
    const bench = await startBench();
    onTestFinished(bench.stop);
    await makeEarlier(bench, `${hostname()}/${other.pid}/a`, inAMinute());
    const expected = bench.isConcurrent ? /^it opened$/ : refusal(other.pid, hostname());
    expect(await open(bench)).toMatch(expected);
  });

  test("an older version on a newer database names both versions", async () => {
    const bench = await startBench();
    onTestFinished(bench.stop);
    await (await bench.open()).close();
    const forget = () => bench.query("delete from kysely_migration where name = '9999-later'");
    onTestFinished(async () => void (await forget()));
    await bench.query(
      "insert into kysely_migration (name, timestamp) values ('9999-later', '2030')",
    );
    const sentence =
      /a newer version has changed it \(9999-later\); this version, which knows it up to \d{4}-[a-z-]+, does not start on it/;
    const said = await open(bench);
    expect(said).toMatch(new RegExp(`^The database cannot be used \\(${name}, `));
    expect(said).toMatch(sentence);
    expect(said).toMatch(/; start the newer version, or restore a backup from before it$/);
    const { lines } = await checkDatabase(bench.databaseUrl, systemClock, []);
    expect(lines.find((line) => line.name === "schema")?.text).toMatch(sentence);
    await forget();
  });
});
