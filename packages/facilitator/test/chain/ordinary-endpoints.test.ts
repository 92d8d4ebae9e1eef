/**
 * A facilitator whose endpoint is an ordinary one: limited in every style, without batches, with
 * short ranges of logs, with reverts as results, or with a key that has expired.
 */
import type { Devnet } from "@farthing/devnet";
import { startOrdinaryNode, type NodeConditions } from "@farthing/lab/ordinary-node";
import type { JsonObject } from "@farthing/protocol";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type Log, silentLog } from "@farthing/engine/base";
import {
  bodyOn,
  frontRun,
  serveOn,
  startChain,
  usesOf,
  walletAt,
  type Served,
  type ServeOptions,
} from "../support/facilitator.testing.ts";
import { createHastenedClock } from "@farthing/engine/testing/hastened-clock";
import { startRpcProxy, type RpcProxy } from "@farthing/lab/rpc-proxy";

/** How fast time runs for a limited endpoint and for what asks it: most of the test is waiting. */
const speed = 4;

let devnet: Devnet;
let node: Awaited<ReturnType<typeof startOrdinaryNode>>;
let proxy: RpcProxy;
let served: Served | undefined;
beforeAll(async () => {
  devnet = await startChain({ buyers: 20 });
  node = await startOrdinaryNode(devnet.rpcUrl, {}, createHastenedClock(speed));
  proxy = await startRpcProxy(devnet.rpcUrl);
});
afterAll(async () => {
  await node?.stop();
  await proxy?.stop();
  await devnet?.stop();
});
afterEach(async () => {
  node.conditions = {};
  node.record.reset();
  proxy.react = () => undefined;
  await served?.stop();
  served = undefined;
});

/** The machine may be busy. */
const timeouts = { timeout: 60_000, interval: 250 };

async function serve(conditions: NodeConditions, options: ServeOptions = {}): Promise<Served> {
  node.conditions = conditions;
  served = await serveOn(devnet, { rpcUrl: node.url, ...options });
  return served;
}

const settle = async (at: Served, body: JsonObject) =>
  (await at.post("/settle", body, { prefer: "respond-async" })).body;

const stateOf = async (at: Served, { id }: JsonObject) =>
  (await at.get(`/settlements/${String(id)}`)).body["state"];

/** Waits until a settlement is told as confirmed. */
async function expectTold(at: Served, answer: JsonObject): Promise<void> {
  await expect.poll(() => stateOf(at, answer), timeouts).toBe("confirmed");
}

/** What /v1/status says of the first endpoint. */
async function limitsOf(at: Served): Promise<unknown> {
  const { networks } = (await at.get("/v1/status")).body;
  return Array.isArray(networks) ? networks[0].endpoints[0] : undefined;
}

const rateLimits = [
  ["429 with a page", { perSecond: 5, style: "html_429" }],
  ["429 with JSON", { perSecond: 5, style: "json_429" }],
  ["429, and when to come back", { perSecond: 5, style: "json_429", retryAfterSeconds: 2 }],
  ["-32005 in HTTP 200", { perSecond: 5, style: "error_in_200" }],
  ["5 calls, whole requests refused", { perSecond: 5, counts: "calls", style: "json_429" }],
  ["5 calls, late ones refused", { perSecond: 5, counts: "calls", style: "late_calls_in_200" }],
] as const;

/** Refusals from which a limit is learned; without a limiter there are dozens a second. */
const lessonsMax = 12;

describe("an endpoint of five requests a second", () => {
  test.each(rateLimits)("%s: payments are settled and told", async (_, rateLimit) => {
    const at = await serve({ rateLimit }, { clock: createHastenedClock(speed) });
    for (let payment = 0; payment < 3; payment++) {
      const body = bodyOn(devnet);
      await expectTold(at, await settle(at, body));
      expect(await usesOf(devnet, body)).toHaveLength(1);
    }
    expect(node.record.refused("rate")).toBeLessThanOrEqual(lessonsMax);
  });

  const suddenLimits = rateLimits.filter(([name]) => !/page|come back|whole/.test(name));
  test.each(suddenLimits)("%s, from when a payment is sent: it is told", async (_, rateLimit) => {
    const at = await serve({}, { clock: createHastenedClock(speed) });
    await devnet.rpc("evm_setAutomine", [false]);
    const answer = await settle(at, bodyOn(devnet));
    node.conditions = { rateLimit: { ...rateLimit, burst: 1 } };
    // Long enough for whoever asks without a limit to use up more than there is.
    const isRefused = () => node.record.requests() > 12;
    await expect.poll(isRefused, timeouts).toBe(true);
    await devnet.rpc("evm_setAutomine", [true]);
    await devnet.mine();
    await expectTold(at, answer);
    expect(node.record.refused("rate")).toBeLessThanOrEqual(lessonsMax);
  });
});

describe("an endpoint that takes few calls in a request", () => {
  test.each(["one_error", "array_with_one_error", "http_413"] as const)("%s", async (style) => {
    const at = await serve({ batchLimit: { maxCalls: 3, style } });
    await expectTold(at, await settle(at, bodyOn(devnet)));
    expect(await limitsOf(at)).toMatchObject({ batchCalls: expect.any(Number) });
    node.record.reset();
    await expectTold(at, await settle(at, bodyOn(devnet)));
    expect(node.record.refused()).toBe(0);
  });
});

test("an endpoint that takes short requests: payments are read in smaller groups", async () => {
  const at = await serve({ maxBodyBytes: 10_000 });
  // As many as meet in one request, which on a busy machine takes more than one round.
  const limitsAfterRound = async () => {
    const bodies = devnet.buyers.slice(0, 18).map((payer) => bodyOn(devnet, { payer }));
    const answers = await Promise.all(bodies.map((body) => at.post("/verify", body)));
    expect(answers.map(({ body }) => body["isValid"])).toEqual(bodies.map(() => true));
    return limitsOf(at);
  };
  await expect.poll(limitsAfterRound, timeouts).toMatchObject({ bodyBytes: expect.any(Number) });
  await limitsAfterRound();
  node.record.reset();
  await expectTold(at, await settle(at, bodyOn(devnet)));
  expect(node.record.refused()).toBe(0);
});

describe("an endpoint that gives the logs of few blocks", () => {
  test.each(["limited_to", "exceeds", "too_many_results"] as const)("%s", async (rangeStyle) => {
    const at = await serve({ logs: { maxRangeBlocks: 100, rangeStyle } });
    const body = bodyOn(devnet);
    const transaction = await frontRun(devnet, body);
    await devnet.mine(700);
    const { body: answer } = await at.post("/settle", body);
    expect(answer).toMatchObject({ success: false, errorReason: "already_settled" });
    expect(JSON.stringify(answer)).toContain(transaction);
    expect(await limitsOf(at)).toMatchObject({ logRangeBlocks: expect.any(Number) });
  });
});

describe("one of two endpoints is of no use", () => {
  test.each([
    ["its key has expired, 401", { expiredKey: 401 }],
    ["its key has expired, 403", { expiredKey: 403 }],
    ["an error of its own for every eth_call", { internalErrors: ["eth_call"] }],
  ] satisfies [string, NodeConditions][])("%s: the other is asked", async (_, conditions) => {
    await expectWorking(await serve(conditions, { rpcUrl: `${node.url},${proxy.url}` }));
  });

  test("an error about its key for every call: the other is asked", async () => {
    proxy.react = () => ({ error: { code: -32_000, message: "invalid api key" } });
    await expectWorking(await serve({}, { rpcUrl: `${proxy.url},${node.url}` }));
  });
});

async function expectWorking(at: Served): Promise<void> {
  expect((await at.post("/verify", bodyOn(devnet))).body).toMatchObject({ isValid: true });
  const answer = await settle(at, bodyOn(devnet));
  // Its wallet may have begun at the first one; it moves as blocks go by.
  const stateAfterBlock = () => devnet.mine().then(() => stateOf(at, answer));
  await expect.poll(stateAfterBlock, timeouts).toBe("confirmed");
}

/** Refuses the call that reads many payments at once. */
function refuseDeployless(): void {
  proxy.react = ({ method, params }) =>
    method === "eth_call" && !("to" in Object(params[0]))
      ? { error: { code: -32_602, message: "missing to" } }
      : undefined;
}

describe("payments read one by one", () => {
  test("reverts as results, or without a text: bad payments are not valid", async () => {
    node.conditions = { revertsAsResults: true };
    const behind = await startRpcProxy(node.url);
    try {
      const at = await serve(node.conditions, { rpcUrl: behind.url });
      behind.react = ({ method, params }) =>
        method === "eth_call" && !("to" in Object(params[0]))
          ? { error: { code: -32_602, message: "missing to" } }
          : undefined;
      await expectEvaluated(at);
      // A node that says nothing at all about why, and calls everything a success.
      const transferSelector = "0xcf092995";
      behind.react = ({ method, params }) => {
        const [call] = params;
        if (method !== "eth_call") return undefined;
        const { to, data } = Object(call);
        if (to === undefined) return { error: { code: -32_602, message: "missing to" } };
        return String(data).startsWith(transferSelector) ? { result: "0x" } : undefined;
      };
      await expectEvaluated(at);
    } finally {
      await served?.stop();
      served = undefined;
      await behind.stop();
    }
  });

  test("one whose answer cannot be read spoils no other", async () => {
    refuseDeployless();
    const at = await serve({}, { rpcUrl: proxy.url });
    const bodies = devnet.buyers.slice(0, 12).map((payer) => bodyOn(devnet, { payer }));
    const odd = walletAt(devnet.buyers, 5).address.slice(2).toLowerCase();
    proxy.react = ({ method, params }) => {
      const { to, data } = Object(params[0]);
      if (method !== "eth_call") return undefined;
      if (to === undefined) return { error: { code: -32_602, message: "missing to" } };
      const isOdd = String(data).startsWith("0xcf092995") && String(data).includes(odd);
      return isOdd ? { error: { code: -32_000, message: "something odd" } } : undefined;
    };
    const answers = await Promise.all(bodies.map((body) => at.post("/verify", body)));
    const valid = answers.map(({ body }) => body["isValid"]);
    expect(valid).toEqual(bodies.map((_, index) => index !== 5));
    expect(answers[5]?.status).toBe(503);
  });
});

async function expectEvaluated(at: Served): Promise<void> {
  const verify = async (body: JsonObject) => (await at.post("/verify", body)).body;
  expect(await verify(bodyOn(devnet))).toMatchObject({ isValid: true });
  const poor = walletAt(devnet.buyers, 19);
  await devnet.usdc.setBalance(poor.address, 1n);
  expect(await verify(bodyOn(devnet, { payer: poor }))).toMatchObject({
    isValid: false,
    invalidReason: "insufficient_funds",
  });
  const used = bodyOn(devnet);
  await frontRun(devnet, used);
  expect(await verify(used)).toMatchObject({
    isValid: false,
    invalidReason: "already_settled",
  });
}

/** Endpoint errors for what is asked of the contract, and nothing else. */
function refuseMulticall(): void {
  proxy.react = ({ method, params }) =>
    method === "eth_call" && Object(params[0])["to"] === devnet.multicall3
      ? { error: { code: -32_603, message: "internal error" } }
      : undefined;
}
async function batchingOf(at: Served): Promise<unknown> {
  const { networks } = (await at.get("/v1/status")).body;
  return Array.isArray(networks) ? networks[0].batching : undefined;
}
describe("whether payments can share a transaction", () => {
  test("a refused question is asked again, and said meanwhile", async () => {
    const events: unknown[] = [];
    const note = (fields: object) => void events.push(Object(fields)["event"]);
    const log: Log = { ...silentLog, info: note, warn: note };
    refuseMulticall();
    const at = await serve({}, { rpcUrl: proxy.url, log, clock: createHastenedClock(speed) });
    expect(await batchingOf(at)).toBe("unknown");
    expect(events).toContain("batching_unknown");
    proxy.react = () => undefined;
    await expect.poll(() => batchingOf(at), timeouts).toBe("on");
    expect(events).toContain("batching_on");
  });

  test("an empty answer is one", async () => {
    const code = await devnet.rpc<string>("eth_getCode", [devnet.multicall3, "latest"]);
    await devnet.rpc("anvil_setCode", [devnet.multicall3, "0x"]);
    try {
      expect(await batchingOf(await serve({}))).toBe("no_multicall3");
    } finally {
      await devnet.rpc("anvil_setCode", [devnet.multicall3, code]);
    }
  });
});

test("an endpoint that cannot be reached is named by its number, with the cause", async () => {
  const problems: string[] = [];
  const note = (fields: object) => void problems.push(String(Object(fields)["problem"]));
  const gone = await startRpcProxy(devnet.rpcUrl);
  await gone.stop();
  const log: Log = { ...silentLog, warn: note };
  const rpcUrl = `${gone.url}/v2/a-key-that-nobody-may-see,${proxy.url}`;
  await serve({}, { rpcUrl, log });
  expect(problems).toContain("RPC endpoint 0: no answer (ECONNREFUSED)");
  expect(problems.join()).not.toMatch(/127\.0\.0\.1|a-key/);
});
