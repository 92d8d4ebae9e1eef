/**
 * The issuer pauses USDC for a while: what was accepted waits and is paid when the pause has ended,
 * and every surface says what the service waits for.
 */
import type { Devnet } from "@farthing/devnet";
import type { JsonObject } from "@farthing/protocol";
import { startRpcProxy } from "@farthing/lab/rpc-proxy";
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from "vitest";
import {
  bodyOn,
  finalAfterBlocks,
  serveOn,
  startChain,
  textAt,
  usesOf,
  walletAt,
  type Served,
} from "../support/facilitator.testing.ts";

let devnet: Devnet;
let served: Served;

beforeAll(async () => {
  devnet = await startChain({ buyers: 15 });
  served = await serveOn(devnet, { env: { FARTHING_METRICS_PORT: "0" } });
});
afterEach(async () => {
  await automine(true);
  await devnet.usdc.unpause();
});
afterAll(async () => {
  await served?.stop();
  await devnet?.stop();
});

const automine = (isOn: boolean) => devnet.rpc("evm_setAutomine", [isOn]);

let payers = 0;
const fresh = () => bodyOn(devnet, { payer: walletAt(devnet.buyers, payers++) });

/** Payments that wait for their block, all but the first in one transaction. */
async function settleBatch() {
  await automine(false);
  const bodies = [fresh(), fresh(), fresh(), fresh()];
  const answers = await Promise.all(
    bodies.map((body) => served.post("/settle", body, { prefer: "wait=1" })),
  );
  const hashes = new Set(answers.map(({ body }) => textAt(body, "transaction")));
  expect(hashes.size).toBeLessThan(bodies.length);
  return { bodies, ids: answers.map(({ body }) => textAt(body, "id")) };
}

const statusesOf = (ids: readonly string[]) =>
  Promise.all(ids.map(async (id) => (await served.get(`/settlements/${id}`)).body["status"]));

/** Makes blocks, one by one, until something is so. */
const untilBlocksShow = (look: () => Promise<unknown>, wanted: unknown) =>
  expect
    .poll(
      async () => {
        await devnet.mine();
        return look();
      },
      { interval: 200 },
    )
    .toEqual(wanted);

async function expectPaidOnce(bodies: readonly JsonObject[], ids: readonly string[]) {
  await untilBlocksShow(
    () => statusesOf(ids),
    ids.map(() => "confirmed"),
  );
  for (const body of bodies) expect(await usesOf(devnet, body)).toHaveLength(1);
}

const readyOf = async () => {
  const { status, body } = await served.get("/ready");
  return { status, says: JSON.stringify(body) };
};

async function pausedMetric(): Promise<string | undefined> {
  const text = await (await fetch(`${served.metricsUrl}/metrics`)).text();
  return /^x402_token_paused\{.*\} (\d)$/m.exec(text)?.[1];
}

/** What payments wait for, as the metrics tell it. */
async function waitsFor(): Promise<string[]> {
  const text = await (await fetch(`${served.metricsUrl}/metrics`)).text();
  return [...text.matchAll(/^x402_waiting\{.*for="(\w+)".*\} 1$/gm)].map(([, what = ""]) => what);
}

test("a batch that the pause caught waits, is seen everywhere, and is paid after the pause", async () => {
  expect(await pausedMetric()).toBe("0");
  expect(await waitsFor()).not.toContain("token_pause");
  const { bodies, ids } = await settleBatch();
  // The block has the pause first, and then the payments, which revert.
  await devnet.usdc.pause();
  await devnet.mine(finalAfterBlocks);
  await untilBlocksShow(async () => (await readyOf()).status, 503);
  expect(await statusesOf(ids)).toEqual(ids.map(() => "pending"));
  expect((await readyOf()).says).toMatch(/USDC is paused by its issuer since 20.*wait for the end/);
  expect((await served.get("/v1/status")).body).toMatchObject({
    networks: [{ isTokenPaused: true }],
  });
  expect(await pausedMetric()).toBe("1");
  expect(await waitsFor()).toContain("token_pause");
  expect((await served.post("/verify", fresh())).body).toMatchObject({
    isValid: false,
    invalidReason: "token_paused",
  });

  await automine(true);
  await devnet.usdc.unpause();
  // Whoever pays next shows that the pause has ended.
  expect((await served.post("/verify", fresh())).body).toMatchObject({ isValid: true });
  await expectPaidOnce(bodies, ids);
  expect((await readyOf()).status).toBe(200);
  expect(await pausedMetric()).toBe("0");
});

test("a pause that is over before its block is final fails no payment either", async () => {
  const { bodies, ids } = await settleBatch();
  await devnet.usdc.pause();
  await devnet.usdc.unpause();
  await automine(true);
  await expectPaidOnce(bodies, ids);
});

test("a payment that failed before a pause began is not sent again because of it", async () => {
  await automine(false);
  const payer = walletAt(devnet.buyers, payers);
  const { body } = await served.post("/settle", fresh(), { prefer: "wait=1" });
  const units = await devnet.usdc.balanceOf(payer.address);
  // The cause is gone when it is looked for, and the pause is over.
  await devnet.usdc.setBalance(payer.address, 0n);
  await devnet.mine();
  await devnet.usdc.setBalance(payer.address, units);
  await devnet.usdc.pause();
  await devnet.mine();
  await devnet.usdc.unpause();
  const outcome = async () => {
    const { status, errorReason } = (await served.get(`/settlements/${textAt(body, "id")}`)).body;
    return { status, errorReason };
  };
  await untilBlocksShow(outcome, { status: "failed", errorReason: "transaction_reverted" });
});

test("the end of a pause is also found at a node that gives the logs of one block at a time", async () => {
  const proxy = await startRpcProxy(devnet.rpcUrl);
  onTestFinished(() => proxy.stop());
  proxy.react = ({ method, params: [filter] }) => {
    const { fromBlock, toBlock } = Object(filter);
    if (method !== "eth_getLogs" || fromBlock === toBlock) return undefined;
    return { error: { code: -32_005, message: "block range too large, max is 1" } };
  };
  await served.stop();
  served = await serveOn(devnet, { rpcUrl: proxy.url });
  const { bodies, ids } = await settleBatch();
  await devnet.usdc.pause();
  await devnet.usdc.unpause();
  await automine(true);
  await expectPaidOnce(bodies, ids);
});
