/** What a payment costs in questions to the node, and which contracts the answers need: none. */
import type { Devnet } from "@farthing/devnet";
import type { Hex } from "@farthing/protocol";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  bodyOn,
  frontRun,
  newDatabaseUrl,
  serveOn,
  startChain,
  walletAt,
  type Served,
} from "./facilitator.testing.ts";
import { startRpcProxy, type ProxiedCall, type RpcProxy } from "./rpc-proxy.testing.ts";
import { openStore } from "./storage/open-store.ts";
import type { Store } from "./storage/store.ts";

let devnet: Devnet;
let proxy: RpcProxy;
let served: Served;
let arrived = 0;

beforeAll(async () => {
  devnet = await startChain({ buyers: 20 });
  proxy = await startRpcProxy(devnet.rpcUrl);
  const databaseUrl = newDatabaseUrl();
  const opened = await openStore(databaseUrl);
  const store: Store = {
    ...opened,
    // Every verify looks its payment up here, in the moment in which it asks the chain.
    findSettlementsByPair: (pairs) => {
      arrived += pairs.length;
      return opened.findSettlementsByPair(pairs);
    },
  };
  served = await serveOn(devnet, { rpcUrl: proxy.url, databaseUrl, store });
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
    const { promise, resolve } = Promise.withResolvers<void>();
    arrived = 0;
    proxy.gate = promise;
    const verdicts = Array.from({ length: 100 }, () => verify());
    // As many as may be on their way at once have left; the others gather behind them.
    await expect.poll(() => [proxy.countOf("eth_call"), arrived]).toEqual([16, 100]);
    proxy.gate = undefined;
    resolve();
    expect((await Promise.all(verdicts)).every(({ isValid }) => isValid === true)).toBe(true);
    expect(proxy.countOf("eth_call")).toBe(16 + 2);
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

/** Calls that the follower of blocks does not make. */
function isOfVerify({ method }: ProxiedCall): boolean {
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
  expect(await verify(used)).toMatchObject({ invalidReason: "nonce_already_used" });
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
