/** Money that moves after a failure: told, also days and restarts later, without reading each block. */
import type { JsonObject } from "@farthing/protocol";
import { expect, onTestFinished, test } from "vitest";
import {
  bodyOn,
  createSteeredClock,
  finalAfterBlocks,
  frontRun,
  newDatabaseUrl,
  oneCent,
  secondsFromNow,
  serveOn,
  startChain,
  usesOf,
  walletAt,
} from "../support/facilitator.testing.ts";
import { startRpcProxy } from "@farthing/lab/rpc-proxy";

/** Longer than anything here takes, on a machine that is busy. */
const soon = { timeout: 60_000 };

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const prefer = { prefer: "respond-async" };

async function prepare() {
  const devnet = await startChain({ blockTimeSeconds: 86_400 });
  onTestFinished(() => devnet.stop());
  const proxy = await startRpcProxy(devnet.rpcUrl);
  onTestFinished(() => proxy.stop());
  const clock = createSteeredClock();
  const databaseUrl = newDatabaseUrl();
  const payer = walletAt(devnet.buyers, 0);
  async function start() {
    const served = await serveOn(devnet, { rpcUrl: proxy.url, databaseUrl, clock });
    onTestFinished(() => served.stop());
    return served;
  }
  /** A payment, valid for years, whose payer has nothing when it is mined. */
  async function fail(served: Awaited<ReturnType<typeof start>>): Promise<JsonObject> {
    const validBefore = secondsFromNow(1_000 * 86_400);
    const body = bodyOn(devnet, { payer, authorization: { validBefore } });
    await served.post("/settle", body, prefer);
    await devnet.usdc.setBalance(payer.address, 0n);
    await devnet.mine(finalAfterBlocks);
    const { body: answer } = await served.post("/settle", body);
    expect(answer).toMatchObject({ success: false, errorReason: "insufficient_funds" });
    return body;
  }
  async function payAfterAll(body: JsonObject): Promise<string> {
    await devnet.usdc.setBalance(payer.address, oneCent);
    return frontRun(devnet, body);
  }
  return { devnet, proxy, clock, start, fail, payAfterAll };
}

test("after a minute no block is read for a failure, however long its authorization is valid", async () => {
  const { devnet, proxy, clock, start, fail } = await prepare();
  const served = await start();
  await fail(served);
  clock.aheadMs += minuteMs;
  const headBlock = async () => {
    const { body } = await served.get("/v1/status");
    return Object(Object(body)["networks"][0])["headBlock"];
  };
  async function passBlocks(count: number): Promise<void> {
    for (let block = 0; block < count; block++) {
      await devnet.mine();
      const head = Number(await devnet.rpc("eth_blockNumber"));
      await expect.poll(headBlock, soon).toBe(head);
    }
  }
  // With nothing open a look comes every 15 s, and after it what a minute makes due.
  clock.hurryFromMs = 10_000;
  const logsOfBlocks = async (count: number) => {
    proxy.reset();
    await passBlocks(count);
    return proxy.countOf("eth_getLogs");
  };
  // The block on which waiting ends is still read, and so are those until its nonce is closed.
  await expect.poll(() => logsOfBlocks(1), soon).toBe(0);
  // Whether blocks can be read is looked at once a minute.
  expect(await logsOfBlocks(10)).toBeLessThan(5);
});

test("submitted by somebody else two days later: told as paid, with nobody else being served", async () => {
  const { clock, start, fail, payAfterAll } = await prepare();
  const served = await start();
  const body = await fail(served);
  clock.aheadMs += 2 * dayMs;
  const hash = await payAfterAll(body);
  await expect
    .poll(async () => (await served.post("/settle", body)).body, soon)
    .toMatchObject({ success: true, transaction: hash });
});

test("submitted by somebody else while no process ran for three days: told after the start", async () => {
  const { clock, start, fail, payAfterAll } = await prepare();
  const before = await start();
  const body = await fail(before);
  await before.stop();
  clock.aheadMs += 3 * dayMs;
  const hash = await payAfterAll(body);
  const served = await start();
  await expect
    .poll(async () => (await served.post("/settle", body)).body, soon)
    .toMatchObject({ success: true, transaction: hash });
});

test("a third party pays it in a block that is reorganised out: it has failed again, and the service does not send it", async () => {
  const { devnet, start, fail, payAfterAll } = await prepare();
  const served = await start();
  const body = await fail(served);
  const answer = async () => (await served.post("/settle", body)).body;
  const hash = await payAfterAll(body);
  await expect.poll(answer, soon).toMatchObject({ success: true, transaction: hash });
  await devnet.rpc("anvil_reorg", [1, []]);
  await devnet.usdc.setBalance(walletAt(devnet.buyers, 0).address, oneCent);
  await devnet.mine();
  await expect.poll(answer, soon).toMatchObject({ errorReason: "insufficient_funds" });
  // Once a later payment is confirmed, the service would have sent this one as well.
  const next = bodyOn(devnet, { payer: walletAt(devnet.buyers, 1) });
  await served.post("/settle", next, prefer);
  await devnet.mine(finalAfterBlocks);
  await expect
    .poll(async () => (await served.post("/settle", next)).body, soon)
    .toMatchObject({ success: true });
  expect(await usesOf(devnet, body)).toEqual([]);
  const again = await payAfterAll(body);
  await expect.poll(answer, soon).toMatchObject({ success: true, transaction: again });
});
