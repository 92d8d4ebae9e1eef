/** What a payment costs in questions to the node, and which contracts the answers need: none. */
import type { Devnet } from "@farthing/devnet";
import { networkOfChain, type Hex } from "@farthing/protocol";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createChain, createRpcEndpoint } from "@farthing/engine";
import { Secret, silentLog } from "@farthing/engine/base";
import { createPaymentReader } from "@farthing/engine/source/chain/payments/payment-reader";
import {
  authorizationOn,
  bodyOn,
  frontRun,
  serveOn,
  signOn,
  startChain,
  walletAt,
  type Served,
} from "../support/facilitator.testing.ts";
import { startRpcProxy, type NodeCall, type RpcProxy } from "@farthing/lab/rpc-proxy";

let devnet: Devnet;
let proxy: RpcProxy;
let served: Served;

beforeAll(async () => {
  devnet = await startChain({ buyers: 20 });
  proxy = await startRpcProxy(devnet.rpcUrl);
  served = await serveOn(devnet, { rpcUrl: proxy.url });
});
afterAll(async () => {
  await served?.stop();
  await proxy?.stop();
  await devnet?.stop();
});
beforeEach(() => proxy.reset());
afterEach(() => {
  proxy.react = () => undefined;
});

const verify = async (body = bodyOn(devnet)) => (await served.post("/verify", body)).body;

describe("questions to the node", () => {
  test("one for a verify", async () => {
    expect(await verify()).toMatchObject({ isValid: true });
    expect(proxy.countOf("eth_call")).toBe(1);
    expect(proxy.countOf("eth_getCode")).toBe(0);
  });

  test("a few for a hundred verifies at once, while the node takes its time", async () => {
    const endpoints = [createRpcEndpoint({ url: new Secret(proxy.url), index: 0 })];
    const network = networkOfChain(devnet.chainId);
    const read = createPaymentReader(createChain({ network, endpoints, log: silentLog }));
    const { promise, resolve } = Promise.withResolvers<void>();
    proxy.gate = promise;
    const ask = () => {
      const authorization = authorizationOn(devnet);
      const { privateKey } = walletAt(devnet.buyers, 0);
      return read({ authorization, signature: signOn(devnet, authorization, privateKey) });
    };
    const first = ask();
    await expect.poll(() => proxy.countOf("eth_call")).toBe(1);
    const readings = Promise.all(Array.from({ length: 100 }, ask));
    // Two that are full leave at once, the last four wait a moment for company.
    await expect.poll(() => proxy.countOf("eth_call")).toBe(1 + 3);
    proxy.gate = undefined;
    resolve();
    expect(await first).toMatchObject({ isTransferable: true });
    expect((await readings).every(({ isTransferable }) => isTransferable)).toBe(true);
    expect(proxy.countOf("eth_call")).toBe(1 + 3);
  });

  test("for a settle: one look, one send, and what following its block takes", async () => {
    const { body } = await served.post("/settle", bodyOn(devnet));
    expect(body).toMatchObject({ success: true });
    expect(proxy.countOf("eth_call")).toBe(1);
    expect(proxy.countOf("eth_sendRawTransaction")).toBe(1);
    expect(proxy.countOf("eth_getTransactionReceipt")).toBe(0);
    expect(proxy.requests).toBeLessThanOrEqual(7);
  });

  test("shared by many settles at once", async () => {
    const bodies = devnet.buyers.map((payer) => bodyOn(devnet, { payer }));
    const answers = await Promise.all(bodies.map((body) => served.post("/settle", body)));
    expect(answers.map(({ body }) => body["success"])).toEqual(answers.map(() => true));
    expect(proxy.requests / bodies.length).toBeLessThanOrEqual(3);
  });

  test("still one after the node failed once", async () => {
    proxy.react = ({ method }) =>
      method === "eth_call" ? { error: { code: -32_603, message: "internal error" } } : undefined;
    expect((await served.post("/verify", bodyOn(devnet))).status).toBe(503);
    proxy.react = () => undefined;
    proxy.reset();
    expect(await verify()).toMatchObject({ isValid: true });
    expect(proxy.calls.filter(isOfVerify)).toHaveLength(1);
  });
});

describe("a verify where the combined read is refused without a reason", () => {
  const internal = { error: { code: -32_603, message: "internal error" } };

  test("is one call again after that happened to one payment", async () => {
    let left = attempts;
    proxy.react = (call) => (isCombined(call) && left-- > 0 ? internal : undefined);
    expect(await verify()).toMatchObject({ isValid: true });
    expect(left).toBe(0);
    proxy.reset();
    expect(await verify()).toMatchObject({ isValid: true });
    expect(proxy.calls.filter(isOfVerify)).toHaveLength(1);
  });

  test("asks for the parts at once after that happened twice in a row", async () => {
    proxy.react = (call) => (isCombined(call) ? internal : undefined);
    for (let asked = 0; asked < 2; asked++) expect(await verify()).toMatchObject({ isValid: true });
    proxy.reset();
    expect(await verify()).toMatchObject({ isValid: true });
    expect(proxy.calls.filter(isCombined)).toHaveLength(0);
  });
});

/** All questions about a payment in one call of code that is not deployed. */
function isCombined({ method, params: [call] }: NodeCall): boolean {
  return method === "eth_call" && Object(call).to === undefined;
}

/** A read that fails at once is repeated so often. */
const attempts = 6;

/** Calls that the follower of blocks does not make. */
function isOfVerify({ method }: NodeCall): boolean {
  return method === "eth_call" || method === "eth_getCode";
}

async function expectCauses() {
  const poor = walletAt(devnet.buyers, 19);
  await devnet.usdc.setBalance(poor.address, 1n);
  expect(await verify(bodyOn(devnet, { payer: poor }))).toMatchObject({
    invalidReason: "insufficient_funds",
  });
  const used = bodyOn(devnet);
  await frontRun(devnet, used);
  expect(await verify(used)).toMatchObject({ invalidReason: "already_settled" });
  expect(await verify(bodyOn(devnet, { alter: flipped }))).toMatchObject({
    invalidReason: "invalid_signature",
  });
  expect(await verify()).toMatchObject({ isValid: true });
}

describe("the cause has its own code", () => {
  test("without a Multicall3 contract", async () => {
    const code = await devnet.rpc<Hex>("eth_getCode", [devnet.multicall3, "latest"]);
    await devnet.rpc("anvil_setCode", [devnet.multicall3, "0x"]);
    try {
      await expectCauses();
    } finally {
      await devnet.rpc("anvil_setCode", [devnet.multicall3, code]);
    }
  });

  test("at a node that takes no call without an address", async () => {
    proxy.react = ({ method, params }) =>
      method === "eth_call" && !("to" in Object(params[0]))
        ? { error: { code: -32_602, message: "missing to" } }
        : undefined;
    await expectCauses();
    const { body } = await served.post("/settle", bodyOn(devnet));
    expect(body).toMatchObject({ success: true });
  });
});

/** The same signature with its first byte changed. */
function flipped(signature: Hex): Hex {
  return `0x${signature.startsWith("0x0") ? "1" : "0"}${signature.slice(3)}`;
}
