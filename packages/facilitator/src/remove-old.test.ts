/** What a running service removes: signed bytes of final blocks, and settlements by the setting. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Devnet } from "@farthing/devnet";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  bodyOn,
  createSteeredClock,
  finalAfterBlocks,
  newDatabaseUrl,
  payerAndNonceOf,
  secondsFromNow,
  serveOn,
  startChain,
  textAt,
  usesOf,
  type Served,
} from "./facilitator.testing.ts";

const clock = createSteeredClock();
const databaseUrl = newDatabaseUrl();
const path = databaseUrl.slice("sqlite:".length);
const folder = join(dirname(path), "removed");
let devnet: Devnet;
let served: Served;

beforeAll(async () => {
  devnet = await startChain();
  const env = { FARTHING_RETENTION_DAYS: "40", FARTHING_RETENTION_DIR: folder };
  served = await serveOn(devnet, { databaseUrl, clock, env });
});
afterAll(async () => {
  await served?.stop();
  await devnet?.stop();
});

function query(statement: string) {
  const database = new DatabaseSync(path, { timeout: 5_000 });
  try {
    return database.prepare(statement).all();
  } finally {
    database.close();
  }
}

const files = () => {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
};

test("signed bytes go when final; a settlement goes after its days, exported for its owner alone", async () => {
  const body = bodyOn(devnet, { authorization: { validBefore: secondsFromNow(300) } });
  const { body: settled } = await served.post("/settle", body);
  expect(settled).toMatchObject({ success: true });
  const id = textAt(settled, "id");
  // The pauses between looks.
  clock.hurryFromMs = 10_000;
  await devnet.mine(finalAfterBlocks);
  const withBytes = "select id from relayer_transactions where raw is not null or data <> ''";
  await expect.poll(() => query(withBytes), { timeout: 30_000 }).toEqual([]);
  expect(query("select signature from settlements")).toEqual([{ signature: "0x" }]);
  // The settlement is what it was.
  const { body: page } = await served.get(`/settlements/${id}`);
  expect(page).toMatchObject({ status: "confirmed", transaction: settled["transaction"] });
  expect(files()).toEqual([]);

  const days = 24 * 60 * 60 * 1000;
  clock.aheadMs += 39 * days;
  // A pass that finds nothing old enough: the look for signed bytes comes before and after it.
  const looks = clock.waits.length;
  await expect.poll(() => clock.waits.length, { timeout: 30_000 }).toBeGreaterThan(looks + 20);
  expect((await served.get(`/settlements/${id}`)).status).toBe(200);
  clock.aheadMs += 2 * days;
  const status = async () => (await served.get(`/settlements/${id}`)).status;
  await expect.poll(status, { timeout: 30_000 }).toBe(404);

  const [name = "", ...others] = files();
  expect([others, statSync(join(folder, name)).mode & 0o777]).toEqual([[], 0o600]);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  const lines = readFileSync(join(folder, name), "utf8").trimEnd().split("\n");
  const { nonce } = payerAndNonceOf(body);
  expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
    { settlement: { id, nonce, state: "confirmed", amount: "10000" }, entries: [] },
  ]);
  expect(await usesOf(devnet, body)).toHaveLength(1);
  // The authorization is long over: nothing can be settled with it again.
  const { body: again } = await served.post("/settle", body);
  expect(again).toMatchObject({ success: false });
});
