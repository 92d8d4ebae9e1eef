/** Transactions that a database has lost while nodes have them, and that are in no block yet. */
import type { Devnet } from "@farthing/devnet";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  bodyOn,
  newDatabaseUrl,
  serveOn,
  startChain,
  walletAt,
  type Served,
} from "../support/facilitator.testing.ts";
import { rememberIn, settleEvaluated } from "../support/lost-rows.testing.ts";

const databaseUrl = newDatabaseUrl();
const soon = { timeout: 60_000, interval: 100 };

let devnet: Devnet;
let served: Served;
beforeAll(async () => {
  devnet = await startChain({ buyers: 2 });
  served = await serveOn(devnet, { databaseUrl, env: { FARTHING_ID_SECRET: "0f".repeat(32) } });
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
