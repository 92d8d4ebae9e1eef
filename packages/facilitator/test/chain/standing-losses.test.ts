/** A database that loses its last commits while the service goes on and keeps its connection. */
import type { Devnet } from "@farthing/devnet";
import type { JsonObject } from "@farthing/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  bodyOn,
  newDatabaseUrl,
  serveOn,
  startChain,
  walletAt,
  type Answer,
  type Served,
} from "../support/facilitator.testing.ts";
import { rememberIn } from "../support/lost-rows.testing.ts";

let devnet: Devnet;
let served: Served;
let databaseUrl: string;
beforeAll(async () => {
  devnet = await startChain({ buyers: 2 });
  databaseUrl = newDatabaseUrl();
  served = await serveOn(devnet, { databaseUrl, env: { FARTHING_ID_SECRET: "0f".repeat(32) } });
});
afterAll(async () => {
  await served?.stop();
  await devnet?.stop();
});

const paymentOf = (buyer: number) => bodyOn(devnet, { payer: walletAt(devnet.buyers, buyer) });
const remember = () => rememberIn(databaseUrl);

/** As callers do, it repeats what was not evaluated because a loss is being looked at. */
async function settle(body: JsonObject): Promise<JsonObject> {
  let answer: Answer | undefined;
  const status = async () => (answer = await served.post("/settle", body)).status;
  await expect.poll(status, { interval: 100 }).not.toBe(503);
  return answer?.body ?? {};
}

test("a call that waited while its payment was lost is told the success, and no later call is", async () => {
  const loseSince = remember();
  const body = paymentOf(0);
  await devnet.rpc("evm_setIntervalMining", [0]);
  const waiting = served.post("/settle", body, { prefer: "wait=20" });
  await expect.poll(() => devnet.rpc("txpool_status", [])).toMatchObject({ pending: "0x1" });
  loseSince();
  await devnet.rpc("evm_setIntervalMining", [1]);
  // The nonce that it is given shows the service what its database has lost.
  expect(await settle(paymentOf(1))).toMatchObject({ success: true });
  const told = (await waiting).body;
  expect(told).toMatchObject({ success: true, status: "confirmed" });
  expect(await settle(body)).toMatchObject({ success: false, transaction: told["transaction"] });
});
