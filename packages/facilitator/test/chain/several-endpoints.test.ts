/**
 * A facilitator with two endpoints, one of which is down, silent, on another chain, behind, or
 * lying: it goes on with the other one, and what decides about money is what both say.
 */
import type { Devnet } from "@farthing/devnet";
import { isObject, networkOfChain, type Hex, type JsonObject } from "@farthing/protocol";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type Chain, createChain, createRpcEndpoint } from "@farthing/engine";
import { compareEvents } from "@farthing/engine/source/chain/logs/authorization-logs";
import { readAuthorizationEvents } from "@farthing/engine/source/chain/contracts/authorization-events";
import { createAuthorizationStates } from "@farthing/engine/source/chain/reads/authorization-states";
import { type Clock, type Log, Secret, silentLog, systemClock } from "@farthing/engine/base";
import {
  bodyOn,
  createSteeredClock,
  finalAfterBlocks,
  frontRun,
  oneCent,
  payerAndNonceOf,
  serveOn,
  startChain,
  usesOf,
  type Served,
} from "../support/facilitator.testing.ts";
import { startRpcProxy, type NodeCall, type RpcProxy } from "@farthing/lab/rpc-proxy";

let devnet: Devnet;
let first: RpcProxy;
let second: RpcProxy;
let served: Served;
beforeAll(async () => {
  devnet = await startChain();
  [first, second] = await Promise.all([startRpcProxy(devnet.rpcUrl), startRpcProxy(devnet.rpcUrl)]);
});
afterAll(async () => {
  await Promise.all([first?.stop(), second?.stop()]);
  await devnet?.stop();
});
afterEach(async () => {
  for (const proxy of [first, second]) proxy.react = () => undefined;
  await automine(true);
  await devnet.mine();
  await served?.stop();
  // A service that stops may still ask.
  for (const proxy of [first, second]) proxy.reset();
});

const automine = (isOn: boolean) => devnet.rpc("evm_setAutomine", [isOn]);

async function serve(options: { log?: Log; clock?: Clock } = {}): Promise<void> {
  served = await serveOn(devnet, { ...options, rpcUrl: `${first.url},${second.url}` });
}

/** A chain by itself, with these for endpoints. */
function chainOf(
  proxies: readonly RpcProxy[],
  { timeoutMs = 5_000, clock = systemClock }: { timeoutMs?: number; clock?: Clock } = {},
): Chain {
  const network = networkOfChain(devnet.chainId);
  const endpoints = proxies.map(({ url }, index) =>
    createRpcEndpoint({ url: new Secret(url), index, timeoutMs }),
  );
  return createChain({ network, endpoints, log: silentLog, clock });
}

const settle = async (body: JsonObject) =>
  (await served.post("/settle", body, { prefer: "respond-async" })).body;
const pageOf = async ({ id }: JsonObject) => (await served.get(`/settlements/${String(id)}`)).body;

/** Makes blocks, one by one, until a settlement is confirmed. */
const untilConfirmed = (answer: JsonObject) =>
  untilBlocksShow(async () => (await pageOf(answer))["state"], "confirmed");

async function untilBlocksShow(look: () => Promise<unknown>, wanted: unknown): Promise<void> {
  const lookAfterBlock = async () => {
    await devnet.mine();
    return look();
  };
  await expect.poll(lookAfterBlock, { interval: 200 }).toEqual(wanted);
}

const isSend = ({ method }: NodeCall) => method === "eth_sendRawTransaction";

/** Signed transactions that came to an endpoint, in order. */
const sentTo = (proxy: RpcProxy) => proxy.calls.filter(isSend).map(({ params }) => params[0]);

/** What is asked of an endpoint beside its chain and head. */
const askedOf = (proxy: RpcProxy) =>
  proxy.calls.filter(({ method }) => method !== "eth_chainId" && method !== "eth_blockNumber");

const questionsOf = (proxy: RpcProxy) =>
  askedOf(proxy).map(({ method, params }) => JSON.stringify([method, params]));

const limited = { error: { code: -32_005, message: "slow down" } };
const fullPool = { error: { code: -32_000, message: "txpool is full" } };

describe("one endpoint is ill", () => {
  test.each([
    ["down", () => "down" as const],
    ["limits the rate, inside HTTP 200", () => limited],
  ])("%s: payments are verified and settled through the other", async (_, react) => {
    await serve();
    first.react = react;
    expect((await served.post("/verify", bodyOn(devnet))).body).toMatchObject({ isValid: true });
    const body = bodyOn(devnet);
    await untilConfirmed(await settle(body));
    expect(await usesOf(devnet, body)).toHaveLength(1);
    expect(sentTo(second).length).toBeGreaterThan(0);
  });

  test("what a wallet has on its way moves as a whole, lowest nonce first", async () => {
    await serve();
    await automine(false);
    // Accepted by the first, as it seems, and told to nobody.
    const unclear = { error: { code: -32_000, message: "something went wrong" } };
    first.react = (call) => (isSend(call) ? unclear : undefined);
    const bodies = [bodyOn(devnet), bodyOn(devnet), bodyOn(devnet)];
    const answers: JsonObject[] = [];
    for (const body of bodies) answers.push(await settle(body));
    const given = [...new Set(sentTo(first))];
    expect(given).toHaveLength(3);
    first.react = () => "down";
    for (const answer of answers) await untilConfirmed(answer);
    expect(sentTo(second).slice(0, 3)).toEqual(given);
    for (const body of bodies) expect(await usesOf(devnet, body)).toHaveLength(1);
  });

  test("silent: it is not waited for any longer than it may take", async () => {
    const clock = createSteeredClock();
    clock.frozenMs = clock.nowMs();
    // It has a minute, which nobody waits while there is another one.
    clock.hurryFromMs = 2_500;
    const chain = chainOf([first, second], { timeoutMs: 60_000, clock });
    const { promise, resolve } = Promise.withResolvers<void>();
    first.gate = promise;
    const [answer] = await chain.read([{ method: "eth_chainId", params: [] }]);
    // Of what was sent to it nothing is known then.
    await expect(chain.send(0, ["0x00"])).rejects.toMatchObject({ code: "rpc_unavailable" });
    first.gate = undefined;
    resolve();
    // Nor does a wallet send to it while it rests.
    expect([chain.betterThan(0), chain.betterThan(1)]).toEqual([1, undefined]);
    expect(answer).toEqual({ ok: true, result: `0x${devnet.chainId.toString(16)}` });
    // The next question goes to the one that answered.
    first.reset();
    await chain.read([{ method: "eth_chainId", params: [] }]);
    expect(first.requests).toBe(0);
  });

  test("silent, with a wallet pinned to it: new payments go through the other", async () => {
    const clock = createSteeredClock();
    await serve({ clock });
    await untilConfirmed(await settle(bodyOn(devnet)));
    const { promise, resolve } = Promise.withResolvers<void>();
    first.gate = promise;
    // Nobody's patience lasts long, so that the test does not.
    clock.hurryFromMs = 2_500;
    const bodies = [bodyOn(devnet), bodyOn(devnet)];
    const answers = await Promise.all(bodies.map(settle));
    for (const answer of answers) await untilConfirmed(answer);
    expect(sentTo(second).length).toBeGreaterThan(0);
    first.gate = undefined;
    resolve();
    for (const body of bodies) expect(await usesOf(devnet, body)).toHaveLength(1);
  });

  test("behind the other: nothing is read from it", async () => {
    await serve();
    const old = await devnet.rpc<JsonObject>("eth_getBlockByNumber", ["latest", false]);
    first.react = ({ method, params: [tag] }) => {
      if (method === "eth_blockNumber") return { result: old["number"] };
      return method === "eth_getBlockByNumber" && tag === "latest" ? { result: old } : undefined;
    };
    await devnet.mine(10);
    const readsOfFirst = async () => {
      first.reset();
      await served.post("/verify", bodyOn(devnet));
      return askedOf(first).length;
    };
    // Every endpoint's head is looked at every four seconds.
    await expect.poll(readsOfFirst, { interval: 500 }).toBe(0);
    await untilConfirmed(await settle(bodyOn(devnet)));
  });

  test("on another chain: it is asked for nothing, also when nobody else answers", async () => {
    // With more blocks than ours has: beside it, the right one must not look as if it lagged.
    second.react = ({ method }) => {
      if (method === "eth_chainId") return { result: "0x1" };
      return method === "eth_blockNumber" ? { result: "0xffffff" } : undefined;
    };
    await serve();
    await expect.poll(() => second.countOf("eth_chainId")).toBeGreaterThan(0);
    first.react = () => "down";
    const { status } = await served.post("/verify", bodyOn(devnet));
    expect(status).toBe(503);
    first.react = () => undefined;
    expect((await served.post("/verify", bodyOn(devnet))).body).toMatchObject({ isValid: true });
    await untilConfirmed(await settle(bodyOn(devnet)));
    expect(askedOf(second)).toEqual([]);
  });

  test("on another chain, beside two that are right: they are compared all the same", async () => {
    second.react = ({ method }) => {
      if (method === "eth_chainId") return { result: "0x1" };
      return method === "eth_blockNumber" ? { result: "0xffffff" } : undefined;
    };
    const chain = chainOf([first, second, first]);
    await chain.probe();
    const asked = [{ method: "eth_chainId", params: [] }];
    const result = `0x${devnet.chainId.toString(16)}`;
    const replies = [{ ok: true, result }];
    expect(await chain.readTwice(asked, 0)).toEqual({ here: replies, elsewhere: replies });
  });

  test("found to be on another chain: a wallet sends nothing more to it", async () => {
    const errors: string[] = [];
    await serve({ log: { ...silentLog, error: (_fields, message) => errors.push(message) } });
    first.react = ({ method }) => (method === "eth_chainId" ? { result: "0x1" } : undefined);
    // While payments are verified, endpoints are looked at every four seconds.
    const errorsWhileVerifying = async () => {
      await served.post("/verify", bodyOn(devnet));
      return errors;
    };
    await expect.poll(errorsWhileVerifying).toContain(wrongChain);
    await untilConfirmed(await settle(bodyOn(devnet)));
    expect(sentTo(first)).toEqual([]);
    expect(sentTo(second).length).toBeGreaterThan(0);
  });
});

const wrongChain = "RPC endpoint serves another chain";

describe("one endpoint lies", () => {
  test("about what was sent: the wallet goes to the other, and so do questions", async () => {
    await serve();
    await automine(false);
    first.react = (call) => (isSend(call) ? { result: `0x${"11".repeat(32)}` } : undefined);
    const body = bodyOn(devnet);
    const answer = await settle(body);
    expect(answer).toMatchObject({ status: "pending" });
    await untilBlocksShow(async () => sentTo(second), sentTo(first));
    await untilConfirmed(answer);
    first.reset();
    second.reset();
    expect((await served.post("/verify", bodyOn(devnet))).body).toMatchObject({ isValid: true });
    await untilConfirmed(await settle(bodyOn(devnet)));
    // On a slow machine the other's answer may be late; both are then asked the same.
    const ofOther = questionsOf(second);
    expect(questionsOf(first).filter((question) => !ofOther.includes(question))).toEqual([]);
  });

  test("that a payment is made: it is not confirmed", async () => {
    await serve();
    await automine(false);
    // Nobody takes the transfer.
    second.react = (call) => (isSend(call) ? fullPool : undefined);
    const body = bodyOn(devnet);
    const forged = forgedLogs(body);
    let lies = 0;
    let head: unknown;
    const noteHead = (block: unknown) => {
      head = Object(block)["number"];
      return block;
    };
    first.react = (call) => {
      const [place] = call.params;
      if (isSend(call)) return fullPool;
      if (place === "latest") return { rewrite: noteHead };
      if (!isObject(place) || !("blockHash" in place)) return undefined;
      lies++;
      return { result: forged({ blockHash: place["blockHash"], blockNumber: head }) };
    };
    const answer = await settle(body);
    await untilBlocksShow(async () => lies > 2, true);
    expect(await pageOf(answer)).toMatchObject({ status: "pending", state: "submitted" });
    first.react = () => undefined;
    second.react = () => undefined;
    await untilConfirmed(answer);
    const page = await pageOf(answer);
    expect(await usesOf(devnet, body)).toEqual([page["transaction"]]);
  });

  test("that a payment is made, while the other is silent or asked first: it is no proof", async () => {
    const clock = createSteeredClock();
    clock.frozenMs = clock.nowMs();
    const chain = chainOf([first, second], { clock });
    const latest = ["latest", false];
    const block = await devnet.rpc<{ hash: Hex; number: Hex }>("eth_getBlockByNumber", latest);
    const blockHash = block.hash;
    const logs = forgedLogs(bodyOn(devnet))({ blockHash, blockNumber: block.number });
    first.react = ({ method }) => (method === "eth_getLogs" ? { result: logs } : undefined);
    const events = readAuthorizationEvents(logs);
    const compare = () => compareEvents(chain, blockHash, events);
    expect(await compare()).toBe("denied");

    second.react = () => "down";
    expect(await compare()).toBe("unanswered");
    clock.frozenMs += 9_999;
    expect(await compare()).toBe("unanswered");
    clock.frozenMs += 1;
    expect(await compare()).toBe("alone");

    // The next question goes to the second, and the first must not confirm what it said itself.
    second.react = () => undefined;
    const lie = first.react;
    first.react = () => "down";
    await chain.read([{ method: "eth_chainId", params: [] }]);
    first.react = lie;
    clock.frozenMs += 10_000;
    expect(await compare()).toBe("denied");
  });

  test.each([
    ["of how much", { data: word("0x1") }],
    ["to whom", { topics: [transferTopic, word("0x11"), word("0x22")] }],
  ])("%s a payment was made: what both say differs", async (_what, lie) => {
    const chain = chainOf([first, second]);
    const latest = ["latest", false];
    const block = await devnet.rpc<{ hash: Hex; number: Hex }>("eth_getBlockByNumber", latest);
    const logs = forgedLogs(bodyOn(devnet))({ blockHash: block.hash, blockNumber: block.number });
    const others = logs.map((log, at) => (at === 1 ? { ...log, ...lie } : log));
    first.react = saying(logs);
    second.react = saying(logs);
    const compare = () => compareEvents(chain, block.hash, readAuthorizationEvents(logs));
    expect(await compare()).toBe("agreed");
    second.react = saying(others);
    expect(await compare()).toBe("denied");
  });

  test("that an authorization is unused: both have to say so", async () => {
    const chain = chainOf([first, second]);
    const body = bodyOn(devnet);
    const head = async () => Number(await devnet.rpc<Hex>("eth_blockNumber"));
    const areUsed = createAuthorizationStates(chain);
    expect(await areUsed([payerAndNonceOf(body)], await head())).toEqual([false]);
    await frontRun(devnet, body);
    await devnet.mine(finalAfterBlocks);
    first.react = ({ method }) =>
      method === "eth_call" ? { result: `0x${"0".repeat(64)}` } : undefined;
    expect(await areUsed([payerAndNonceOf(body)], await head())).toEqual([true]);
    // Nor does it decide in a moment in which the other one does not reply.
    second.react = () => "down";
    const asked = areUsed([payerAndNonceOf(body)], await head());
    await expect(asked).rejects.toMatchObject({ code: "rpc_unavailable" });
  });

  test("with nothing about what is used: it is no second word, and not asked again", async () => {
    const chain = chainOf([first, second]);
    const name = payerAndNonceOf(bodyOn(devnet));
    const head = Number(await devnet.rpc<Hex>("eth_blockNumber"));
    second.react = ({ method }) => (method === "eth_call" ? { result: "0x" } : undefined);
    const areUsed = createAuthorizationStates(chain);
    expect(await areUsed([name], head)).toEqual([false]);
    second.reset();
    expect(await areUsed([name], head)).toEqual([false]);
    expect(second.countOf("eth_call")).toBe(0);
  });
});

/** AuthorizationUsed and Transfer of a payment as if they stood in whatever block is named. */
function forgedLogs(body: JsonObject) {
  const { payer, nonce } = payerAndNonceOf(body);
  const topics = [
    [usedTopic, word(payer), nonce],
    [transferTopic, word(payer), word(devnet.seller.address)],
  ];
  const data = ["0x", word(`0x${oneCent.toString(16)}`)];
  const facts = { address: devnet.token, transactionHash: word("0x5e") };
  return (block: JsonObject) =>
    topics.map((named, at) => ({
      ...facts,
      ...block,
      topics: named,
      data: data[at],
      logIndex: `0x${at}`,
    }));
}

/** Answers every question for logs with these. */
const saying = (result: unknown) => (call: NodeCall) =>
  call.method === "eth_getLogs" ? { result } : undefined;

const word = (hex: string) => `0x${hex.slice(2).toLowerCase().padStart(64, "0")}`;

/** Topics 0 of AuthorizationUsed(address,bytes32) and Transfer(address,address,uint256). */
const usedTopic = "0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5";
const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
