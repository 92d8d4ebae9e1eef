/** Transactions that a database has lost while nodes have them, and that are in no block yet. */
import type { Devnet } from "@farthing/devnet";
import { createLog } from "@farthing/engine/base";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  bodyOn,
  createSteeredClock,
  newDatabaseUrl,
  serveOn,
  startChain,
  walletAt,
  type Served,
} from "../support/facilitator.testing.ts";
import { rememberIn, settleEvaluated } from "../support/lost-rows.testing.ts";

const databaseUrl = newDatabaseUrl();
const soon = { timeout: 60_000, interval: 100 };
const clock = createSteeredClock();
const lines: string[] = [];
const log = createLog("info", { write: (line) => void lines.push(line) });

let devnet: Devnet;
let served: Served;
beforeAll(async () => {
  devnet = await startChain({ buyers: 4 });
  const env = { FARTHING_ID_SECRET: "0f".repeat(32) };
  served = await serveOn(devnet, { databaseUrl, log, clock, env });
});
afterAll(async () => {
  await served?.stop();
  await devnet?.stop();
});

const paymentOf = (buyer: number) => bodyOn(devnet, { payer: walletAt(devnet.buyers, buyer) });

test("while nodes may have a transaction that was lost, its payment is not refused", async () => {
  const loseSince = rememberIn(databaseUrl);
  const body = paymentOf(0);
  const { address } = walletAt(devnet.buyers, 0);
  const balance = await devnet.usdc.balanceOf(address);
  await devnet.rpc("evm_setIntervalMining", [0]);
  const { id } = (await served.post("/settle", body, { prefer: "wait=0" })).body;
  await expect.poll(() => devnet.rpc("txpool_status", [])).toMatchObject({ pending: "0x1" });
  loseSince();
  // The payer has nothing now, and has the amount again in the block of the transaction.
  await devnet.usdc.setBalance(address, 0n);
  const behind = { status: 503, body: { error: "service_unavailable", retryable: true } };
  expect(await served.post("/settle", body)).toMatchObject(behind);
  expect(await served.post("/verify", body)).toMatchObject(behind);
  // Others pay as before.
  const other = served.post("/settle", paymentOf(1), { prefer: "wait=20" });
  await devnet.usdc.setBalance(address, balance);
  await devnet.rpc("evm_setIntervalMining", [1]);
  const page = async () => (await served.get(`/settlements/${String(id)}`)).body;
  await expect.poll(page, soon).toMatchObject({ state: "confirmed" });
  expect((await other).body).toMatchObject({ success: true });
  // Once a final block has the nonce, a payment without money is refused again.
  await devnet.usdc.setBalance(address, 0n);
  expect(await settleEvaluated(served, paymentOf(0))).toMatchObject({
    errorReason: "insufficient_funds",
  });
  await devnet.usdc.setBalance(address, balance);
});

test("nor is another one refused that was claimed, and whose payer has no money for a moment", async () => {
  const loseSince = rememberIn(databaseUrl);
  await devnet.rpc("evm_setIntervalMining", [0]);
  await served.post("/settle", paymentOf(2), { prefer: "wait=0" });
  await expect.poll(() => devnet.rpc("txpool_status", [])).toMatchObject({ pending: "0x1" });
  loseSince();
  const payer = walletAt(devnet.buyers, 3);
  const balance = await devnet.usdc.balanceOf(payer.address);
  let id: unknown;
  // Its window has just begun, so it waits in the queue for as long as the clock stands still.
  clock.frozenMs = clock.nowMs();
  const authorization = { validAfter: BigInt(Math.floor(clock.nowMs() / 1_000)) };
  const claim = async () => {
    const body = bodyOn(devnet, { payer, authorization });
    const answer = await served.post("/settle", body, { prefer: "respond-async" });
    id = answer.body["id"];
    return answer.status;
  };
  await expect.poll(claim, soon).toBe(200);
  await devnet.usdc.setBalance(payer.address, 0n);
  clock.frozenMs += 4_000;
  const state = async () => (await served.get(`/settlements/${String(id)}`)).body["state"];
  const isDecided = async () =>
    lines.some((line) => /settlement_deferred/.test(line)) || (await state()) !== "queued";
  await expect.poll(isDecided, soon).toBe(true);
  expect(await state()).toBe("queued");
  await devnet.usdc.setBalance(payer.address, balance);
  clock.frozenMs = undefined;
  await devnet.rpc("evm_setIntervalMining", [1]);
  await expect.poll(state, soon).toBe("confirmed");
});
