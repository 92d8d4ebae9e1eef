/** Blocks that vanish: what they confirmed is open again, and the money still moves once. */
import type { Devnet } from "@farthing/devnet";
import { isObject, type Hex, type JsonObject } from "@farthing/protocol";
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from "vitest";
import { createLog } from "@farthing/engine/base";
import { inspectStore } from "@farthing/engine/storage";
import { openStore, type ServiceStore } from "../../src/features/open-store.ts";
import { rememberIn } from "../support/lost-rows.testing.ts";
import { startRpcProxy, type NodeCall } from "@farthing/lab/rpc-proxy";
import {
  bodyOn,
  countOf,
  createSteeredClock,
  finalAfterBlocks,
  frontRun,
  newDatabaseUrl,
  oneCent,
  payerAndNonceOf,
  secondsFromNow,
  serveOn,
  startChain,
  usesOf,
  walletAt,
  type Served,
} from "../support/facilitator.testing.ts";

let devnet: Devnet;
let served: Served;
let patient: Served;
let second: Served;
const clock = createSteeredClock();
const lines: string[] = [];
const log = createLog("info", { write: (line) => void lines.push(line) });

beforeAll(async () => {
  devnet = await startChain({ relayers: 9 });
  served = await serveOn(devnet, { clock });
  second = await serveOn(devnet, { wallets: [2], log });
  patient = await serveOn(devnet, { wallets: [1], env: { FARTHING_CONFIRMATIONS: "3" } });
});
afterAll(async () => {
  await served?.stop();
  await patient?.stop();
  await second?.stop();
  await devnet?.stop();
});
afterEach(() => automine(true));

const automine = (isOn: boolean) => devnet.rpc("evm_setAutomine", [isOn]);
const async = { prefer: "respond-async" };

const soon = { interval: 500 };

const pageOf = async (at: Served, id: unknown, query = "") =>
  (await at.get(`/settlements/${String(id)}${query}`)).body;

const untilState = (at: Served, id: unknown, state: string) =>
  expect.poll(async () => (await pageOf(at, id))["state"], { ...soon, interval: 100 }).toBe(state);

/** A transaction's block and all after it vanish; empty ones take their place. */
async function loseBlockOf(hash: unknown, body: JsonObject): Promise<void> {
  await automine(false);
  const receipt = await devnet.rpc<{ blockNumber: Hex }>("eth_getTransactionReceipt", [hash]);
  const head = await devnet.rpc<Hex>("eth_blockNumber");
  const depth = Number(head) - Number(receipt.blockNumber) + 1;
  await devnet.rpc("anvil_reorg", [depth, []]);
  expect(await usesOf(devnet, body)).toEqual([]);
  await devnet.mine();
}

/** What is logged of a settlement. */
const linesOf = (id: unknown) =>
  lines.filter((line) => line.includes(String(id))).flatMap((line) => messageIn(line) ?? []);

function messageIn(line: string): unknown {
  const entry: unknown = JSON.parse(line);
  return isObject(entry) ? entry["msg"] : undefined;
}

const untilOpen = (at: Served, id: unknown) =>
  expect
    .poll(async () => (await pageOf(at, id))["status"], { ...soon, interval: 50 })
    .toBe("pending");

/** Settled again: one transfer, of this payment, and nothing left in the pool. */
async function expectPaidOnce(at: Served, body: JsonObject, id: unknown) {
  await automine(true);
  // What is lost is sent again after a few blocks; these come one by one, as on a real chain.
  const state = async () => {
    await devnet.mine();
    return (await pageOf(at, id))["state"];
  };
  await expect.poll(state, soon).toBe("confirmed");
  const page = await pageOf(at, id);
  expect(await usesOf(devnet, body)).toEqual([page["transaction"]]);
  const latest = await devnet.rpc<Hex>("eth_getTransactionCount", [at.relayer, "latest"]);
  expect(await countOf(devnet, at.relayer)).toBe(Number(latest));
  expect((await at.post("/settle", bodyOn(devnet), { prefer: "wait=1" })).status).toBe(200);
  return page;
}

test("of our transaction: the same bytes confirm again", async () => {
  const payer = walletAt(devnet.buyers, 1);
  const start = await devnet.usdc.balanceOf(payer.address);
  const body = bodyOn(devnet, { payer });
  const { body: answer } = await served.post("/settle", body);
  expect(answer).toMatchObject({ success: true });
  await loseBlockOf(answer["transaction"], body);
  await untilOpen(served, answer["id"]);
  expect(await pageOf(served, answer["id"])).toMatchObject({ success: false, status: "pending" });
  const page = await expectPaidOnce(served, body, answer["id"]);
  expect(page).toMatchObject({ transaction: answer["transaction"], settledBy: "relayer" });
  expect(await devnet.usdc.balanceOf(payer.address)).toBe(start - oneCent);
});

/** The service's own: where its clock differs by more, it judges windows by the chain's time. */
const clockSkewSecondsMax = 5;

/** Unix seconds by which a service judges windows. A reorganisation sets the node's clock back. */
async function judgingSeconds(at: Served): Promise<number> {
  const { networks } = (await at.get("/v1/status")).body;
  const [network] = Array.isArray(networks) ? networks : [];
  const skew = isObject(network) ? Number(network["clockSkewSeconds"]) : Number.NaN;
  const now = Math.floor(clock.nowMs() / 1_000);
  return Math.abs(skew) > clockSkewSecondsMax ? now - skew : now;
}

const latestBlockSeconds = async () =>
  Number(
    (await devnet.rpc<{ timestamp: Hex }>("eth_getBlockByNumber", ["latest", false])).timestamp,
  );

test("of a third party's transaction that was before ours: ours is sent", async () => {
  clock.frozenMs = clock.nowMs();
  // The window has just begun, so ours waits for as long as the clock stands still.
  const validAfter = BigInt(await judgingSeconds(served));
  const body = bodyOn(devnet, { authorization: { validAfter } });
  const { body: answer } = await served.post("/settle", body, async);
  expect(answer).toMatchObject({ status: "pending", transaction: "" });
  await devnet.setNextBlockTimestamp(Math.max(Number(validAfter), await latestBlockSeconds()) + 1);
  const hash = await frontRun(devnet, body);
  await untilState(served, answer["id"], "confirmed");
  expect(await pageOf(served, answer["id"])).toMatchObject({ settledBy: "other" });
  await loseBlockOf(hash, body);
  await untilOpen(served, answer["id"]);
  // The node's clock went back with the blocks; ours would be mined before its window begins.
  await devnet.setNextBlockTimestamp(Number(secondsFromNow(1)));
  clock.frozenMs = undefined;
  const page = await expectPaidOnce(served, body, answer["id"]);
  expect(page).toMatchObject({ settledBy: "relayer" });
});

test("of a block in which a third party's transaction made ours revert", async () => {
  await automine(false);
  const body = bodyOn(devnet);
  const { body: answer } = await second.post("/settle", body, async);
  const hash = await frontRun(devnet, body);
  await untilState(second, answer["id"], "confirmed");
  await loseBlockOf(hash, body);
  await untilOpen(second, answer["id"]);
  await expectPaidOnce(second, body, answer["id"]);
});

test("of the payer's cancellation: not failed before it stays, and the payment goes through", async () => {
  await automine(false);
  const payer = walletAt(devnet.buyers, 2);
  const body = bodyOn(devnet, { payer });
  const { body: answer } = await second.post("/settle", body, async);
  const other = bodyOn(devnet);
  const { body: witness } = await second.post("/settle", other, async);
  const { nonce } = payerAndNonceOf(body);
  await devnet.cancelAuthorization({ privateKey: payer.privateKey, nonce });
  await untilState(second, witness["id"], "confirmed");
  const { transaction } = await pageOf(second, witness["id"]);
  await loseBlockOf(transaction, other);
  await untilOpen(second, witness["id"]);
  await expectPaidOnce(second, body, answer["id"]);
  await expectPaidOnce(second, other, witness["id"]);
  expect(linesOf(answer["id"])).not.toContain("Settlement failed");
});

test("before it is deep enough to count: confirmed after three blocks that stay", async () => {
  const body = bodyOn(devnet);
  const { body: answer } = await patient.post("/settle", body, async);
  await devnet.mine();
  await loseBlockOf(answer["transaction"], body);
  expect((await pageOf(patient, answer["id"]))["state"]).toBe("submitted");
  await automine(true);
  // What is lost is sent again after a few blocks, and is in one of its own then: the newest.
  const uses = async () => {
    const found = await usesOf(devnet, body);
    if (found.length === 0) await devnet.mine();
    return found;
  };
  await expect.poll(uses, soon).toHaveLength(1);
  expect((await pageOf(patient, answer["id"]))["state"]).toBe("submitted");
  await devnet.mine(2);
  await expectPaidOnce(patient, body, answer["id"]);
});

/** A service of its own with a wallet, for which a payment counts after three blocks. */
const patientOn = (wallet: number) => ({
  wallets: [wallet],
  databaseUrl: newDatabaseUrl(),
  env: { FARTHING_CONFIRMATIONS: "3" },
});

test("while no process looked, before it was deep enough: the same bytes go out again", async () => {
  const options = patientOn(3);
  const before = await serveOn(devnet, options);
  const body = bodyOn(devnet);
  const { body: answer } = await before.post("/settle", body, async);
  await devnet.mine();
  await expect.poll(() => openIn(before), soon).toBe(0);
  expect((await pageOf(before, answer["id"]))["state"]).toBe("submitted");
  await before.stop();
  await loseBlockOf(answer["transaction"], body);

  const after = await serveOn(devnet, options);
  onTestFinished(() => after.stop());
  const page = await expectPaidOnce(after, body, answer["id"]);
  expect(page).toMatchObject({ transaction: answer["transaction"] });
  // This payment, and the one that was asked for just now.
  expect(await countOf(devnet, after.relayer)).toBe(2);
});

test("of a confirmed payment, while no process looked: it is never final, and the same bytes go out again", async () => {
  const options = { wallets: [8], databaseUrl: newDatabaseUrl() };
  const before = await serveOn(devnet, options);
  const body = bodyOn(devnet);
  const { body: answer } = await before.post("/settle", body);
  expect(answer).toMatchObject({ success: true });
  await before.stop();
  await loseBlockOf(answer["transaction"], body);

  const after = await serveOn(devnet, options);
  onTestFinished(() => after.stop());
  const told: unknown[] = [];
  const status = async () => {
    await devnet.mine();
    const page = await pageOf(after, answer["id"]);
    told.push(page["finalized"]);
    return page["status"];
  };
  await expect.poll(status, soon).toBe("pending");
  expect(told).not.toContain(true);
  const page = await expectPaidOnce(after, body, answer["id"]);
  expect(page).toMatchObject({ transaction: answer["transaction"] });
});

test("and the database loses that its nonce is open again: the payment gets no second nonce", async () => {
  const databaseUrl = newDatabaseUrl();
  const opened = await openStore(databaseUrl);
  let loseSince: (() => void) | undefined;
  const store: ServiceStore = {
    ...opened,
    recordReorganised: (...parameters) => {
      loseSince?.();
      loseSince = undefined;
      return opened.recordReorganised(...parameters);
    },
  };
  const at = await serveOn(devnet, { wallets: [4], databaseUrl, store });
  onTestFinished(() => at.stop());
  const body = bodyOn(devnet);
  const { body: answer } = await at.post("/settle", body);
  expect(answer).toMatchObject({ success: true });
  await expect.poll(() => openIn(at), soon).toBe(0);
  loseSince = rememberIn(databaseUrl);
  await loseBlockOf(answer["transaction"], body);
  await untilOpen(at, answer["id"]);
  const page = await expectPaidOnce(at, body, answer["id"]);
  expect(page).toMatchObject({ transaction: answer["transaction"] });
  const payment = { id: String(answer["id"]), createdAt: Date.now() };
  expect(await opened.listCarriers(payment)).toHaveLength(1);
});

test("found by a search, a payment counts no sooner than one that was seen", async () => {
  const options = patientOn(5);
  const before = await serveOn(devnet, options);
  const { body: answer } = await before.post("/settle", bodyOn(devnet), async);
  await before.stop();
  const after = await serveOn(devnet, options);
  onTestFinished(() => after.stop());
  await devnet.mine();
  await expect.poll(() => openIn(after), soon).toBe(0);
  expect((await pageOf(after, answer["id"]))["state"]).toBe("submitted");
  await devnet.mine();
  await untilState(after, answer["id"], "confirmed");
});

test("final before it counts: a service that starts in between leaves it with its transaction", async () => {
  const env = { FARTHING_CONFIRMATIONS: "8" };
  const options = { wallets: [6], databaseUrl: newDatabaseUrl(), env };
  const before = await serveOn(devnet, options);
  const { body: answer } = await before.post("/settle", bodyOn(devnet), async);
  await devnet.mine(finalAfterBlocks);
  await expect.poll(() => openIn(before), soon).toBe(0);
  const { transaction } = await pageOf(before, answer["id"]);
  await before.stop();
  const after = await serveOn(devnet, options);
  onTestFinished(() => after.stop());
  expect(await pageOf(after, answer["id"])).toMatchObject({ state: "submitted", transaction });
  await devnet.mine(8);
  await untilState(after, answer["id"], "confirmed");
});

const asksForLogsOf = ({ method, params: [filter] }: NodeCall) =>
  method === "eth_getLogs" && isObject(filter) && "blockHash" in filter;

test("while a second node is asked about the block: nothing is told of what has gone with it", async () => {
  const node = await startRpcProxy(devnet.rpcUrl);
  onTestFinished(() => node.stop());
  const at = await serveOn(devnet, { wallets: [7], rpcUrl: `${devnet.rpcUrl},${node.url}`, log });
  onTestFinished(() => at.stop());
  const [asked, noticed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  node.step = async (side, calls) => {
    if (side === "before" || !calls.some(asksForLogsOf)) return;
    asked.resolve();
    await noticed.promise;
  };
  const body = bodyOn(devnet);
  const { body: answer } = await at.post("/settle", body, async);
  await asked.promise;
  lines.length = 0;
  await loseBlockOf((await usesOf(devnet, body))[0], body);
  await expect
    .poll(() => lines.join("\n"), { ...soon, interval: 20 })
    .toContain("chain_reorganised");
  noticed.resolve();
  await expectPaidOnce(at, body, answer["id"]);
  const told = linesOf(answer["id"]).filter((line) => line === "Settlement confirmed");
  expect(told).toHaveLength(1);
});

/** Nonces that the process in charge of a database holds to be on their way. */
const openIn = async ({ databaseUrl, relayer }: Served) => {
  const { wallets } = await inspectStore(databaseUrl, Date.now());
  return wallets.find(({ wallet }) => wallet === relayer.toLowerCase())?.open;
};
