/** What a running service removes: signed bytes of final blocks, and settlements by the setting. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Devnet } from "@farthing/devnet";
import type { JsonObject } from "@farthing/protocol";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
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
} from "../support/facilitator.testing.ts";
import { startRpcProxy } from "@farthing/lab/rpc-proxy";

/** Blocks that signed bytes outlive the finality of their block. */
const bytesKeptBlocks = 128;

const clock = createSteeredClock();
const databaseUrl = newDatabaseUrl();
const path = databaseUrl.slice("sqlite:".length);
const folder = join(dirname(path), "removed");
let devnet: Devnet;
let served: Served;

beforeAll(async () => {
  devnet = await startChain({ relayers: 2 });
  clock.hurryFromMs = bytesEveryMs;
  const env = { FARTHING_RETENTION_DAYS: "40", FARTHING_RETENTION_DIR: folder };
  served = await serveOn(devnet, { databaseUrl, clock, env });
});
afterAll(async () => {
  await served?.stop();
  await devnet?.stop();
});

function query(statement: string, file = path) {
  const database = new DatabaseSync(file, { timeout: 5_000 });
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

const withBytes = "select id from relayer_transactions where raw is not null or data <> ''";

/** The pause between looks for signed bytes. */
const bytesEveryMs = 10_000;

/** Waits until it has been looked for signed bytes: the second pause from now ends after a look. */
async function untilLookedFor({ waits } = clock): Promise<void> {
  const pauses = () => waits.filter((ms) => ms === bytesEveryMs).length;
  const before = pauses();
  await expect.poll(pauses).toBeGreaterThan(before + 3);
}

/** Settles a payment. The clock hurries waits for an outcome too, so it is asked for until it is there. */
async function settleWith(at: Served, body: JsonObject): Promise<JsonObject> {
  let answer: JsonObject = {};
  const settle = async () => {
    ({ body: answer } = await at.post("/settle", body));
    return answer;
  };
  await expect.poll(settle).toMatchObject({ success: true });
  return answer;
}

test("signed bytes stay while blocks cannot be read, however final they are", async () => {
  const own = newDatabaseUrl();
  const bytes = () => query(withBytes, own.slice("sqlite:".length));
  const steered = createSteeredClock();
  steered.hurryFromMs = bytesEveryMs;
  const proxy = await startRpcProxy(devnet.rpcUrl);
  onTestFinished(() => proxy.stop());
  const blind = await serveOn(devnet, {
    rpcUrl: proxy.url,
    databaseUrl: own,
    clock: steered,
    wallets: [1],
  });
  onTestFinished(() => blind.stop());
  await settleWith(blind, bodyOn(devnet));
  proxy.react = ({ method }) =>
    method === "eth_getLogs" ? { error: { code: -32000, message: "internal error" } } : undefined;
  // Somebody waits for the blocks that come now.
  await blind.post("/settle", bodyOn(devnet), { prefer: "respond-async" });
  await devnet.mine(finalAfterBlocks + 2 * bytesKeptBlocks);
  const status = async () => {
    steered.aheadMs += 5_000;
    return (await blind.get("/ready")).status;
  };
  await expect.poll(status).toBe(503);
  await untilLookedFor(steered);
  expect(bytes()).toHaveLength(2);
  proxy.react = () => undefined;
  await devnet.mine(finalAfterBlocks + bytesKeptBlocks);
  await expect.poll(bytes).toEqual([]);
});

test("signed bytes go when final; a settlement goes after its days, exported for its owner alone", async () => {
  const body = bodyOn(devnet, { authorization: { validBefore: secondsFromNow(300) } });
  const settled = await settleWith(served, body);
  const id = textAt(settled, "id");
  await devnet.mine(bytesKeptBlocks - finalAfterBlocks);
  await untilLookedFor();
  expect(query(withBytes)).toHaveLength(1);
  await devnet.mine(2 * finalAfterBlocks);
  await expect.poll(() => query(withBytes)).toEqual([]);
  expect(query("select signature from settlements")).toEqual([{ signature: "0x" }]);
  // The settlement is what it was.
  const { body: page } = await served.get(`/settlements/${id}`);
  expect(page).toMatchObject({ status: "confirmed", transaction: settled["transaction"] });
  expect(files()).toEqual([]);

  const days = 24 * 60 * 60 * 1000;
  clock.aheadMs += 39 * days;
  // A pass that finds nothing old enough: the look for signed bytes comes before and after it.
  await untilLookedFor();
  expect((await served.get(`/settlements/${id}`)).status).toBe(200);
  clock.aheadMs += 2 * days;
  const status = async () => (await served.get(`/settlements/${id}`)).status;
  await expect.poll(status).toBe(404);

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
