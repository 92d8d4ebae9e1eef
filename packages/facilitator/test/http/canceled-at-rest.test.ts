/** Cancellations at a service at rest, which reads finality once a minute and when an answer depends on it. */
import type { Devnet } from "@farthing/devnet";
import { startRpcProxy, type RpcProxy } from "@farthing/lab/rpc-proxy";
import type { JsonObject } from "@farthing/protocol";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import {
  bodyOn,
  finalAfterBlocks,
  payerAndNonceOf,
  serveOn,
  startChain,
  walletAt,
  type Answer,
  type Served,
} from "../support/facilitator.testing.ts";

let devnet: Devnet;
let proxy: RpcProxy;
let served: Served;

beforeAll(async () => {
  devnet = await startChain({ buyers: 2 });
  proxy = await startRpcProxy(devnet.rpcUrl);
  served = await serveOn(devnet, { rpcUrl: proxy.url });
});
afterAll(async () => {
  await served?.stop();
  await proxy?.stop();
  await devnet?.stop();
});
afterEach(() => void (proxy.react = () => undefined));

/** A payment that its payer has just canceled. */
async function canceled(buyer: number): Promise<JsonObject> {
  const payer = walletAt(devnet.buyers, buyer);
  const body = bodyOn(devnet, { payer });
  const { nonce } = payerAndNonceOf(body);
  await devnet.cancelAuthorization({ privateKey: payer.privateKey, nonce });
  return body;
}

const ask = (body: JsonObject): Promise<Answer> => served.post("/verify", body);

/** The first answer; none is given before the head is read, which is seconds old as well. */
async function firstAnswer(body: JsonObject): Promise<Answer> {
  const answers: Answer[] = [];
  const status = async () => answers.push(await ask(body)) && answers.at(-1)?.status;
  await expect.poll(status, { timeout: 20_000 }).toBe(200);
  const [answer] = answers.slice(-1);
  if (!answer) throw new Error("The poll has an answer.");
  return answer;
}

/** Counts the reads of the newest final block. */
function countFinalityReads() {
  const reads = { count: 0 };
  proxy.react = ({ method, params }) => {
    if (method === "eth_getBlockByNumber" && params?.[0] === "finalized") reads.count += 1;
    return undefined;
  };
  return reads;
}

test("a cancellation that is final is told so with the first answer, and not read again", async () => {
  const body = await canceled(0);
  await devnet.mine(finalAfterBlocks);
  const { body: said } = await firstAnswer(body);
  expect(said).toMatchObject({ isValid: false, invalidReason: "authorization_canceled" });
  const reads = countFinalityReads();
  for (let asked = 0; asked < 5; asked++) await ask(body);
  // The minute of the follower may be over.
  expect(reads.count).toBeLessThanOrEqual(1);
});

test("one that is not final costs one read a block period, and is final soon after it is", async () => {
  const body = await canceled(1);
  await firstAnswer(body);
  const reads = countFinalityReads();
  const startedMs = Date.now();
  for (let asked = 0; asked < 20; asked++) {
    expect((await ask(body)).body).toMatchObject({ invalidReason: "nonce_already_used" });
  }
  const periods = Math.ceil((Date.now() - startedMs) / 2_000);
  // And one of the follower.
  expect(reads.count).toBeLessThanOrEqual(periods + 1);
  await devnet.mine(finalAfterBlocks);
  await expect
    .poll(async () => (await ask(body)).body, { timeout: 10_000 })
    .toMatchObject({ invalidReason: "authorization_canceled" });
});
