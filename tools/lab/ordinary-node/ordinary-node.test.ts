/** The emulator by what a client of it sees; time stands still unless a test moves it. */
import { startDevnet, type Devnet } from "@farthing/devnet";
import { isObject } from "@farthing/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hexOf } from "./call-answers.ts";
import { batchRefusals, rangeRefusals, rateRefusals, type NodeConditions } from "./conditions.ts";
import { startOrdinaryNode } from "./node-server.ts";
import type { RunningNode } from "./node-server.ts";

let devnet: Devnet;
let node: RunningNode;
let nowMs = 0;
let sleptMs = 0;

beforeAll(async () => {
  devnet = await startDevnet({ blockTimeSeconds: 0, buyers: 1, relayers: 1 });
  const clock = {
    nowMs: () => nowMs,
    sleep: async (ms: number) => {
      sleptMs += ms;
    },
  };
  node = await startOrdinaryNode(devnet.rpcUrl, {}, clock);
});
afterAll(async () => {
  await node.stop();
  await devnet.stop();
});

function set(conditions: NodeConditions): void {
  node.conditions = conditions;
  node.record.reset();
}

const head = { jsonrpc: "2.0", id: 7, method: "eth_blockNumber", params: [] };

async function ask(body: unknown) {
  const response = await fetch(node.url, { method: "POST", body: JSON.stringify(body) });
  const text = await response.text();
  const isJson = response.headers.get("content-type") === "application/json";
  const parsed: unknown = isJson ? JSON.parse(text) : text;
  return { status: response.status, body: parsed, retryAfter: response.headers.get("retry-after") };
}

async function call(method: string, ...params: unknown[]): Promise<unknown> {
  const { body } = await ask({ ...head, method, params });
  return isObject(body) ? (body["error"] ?? body["result"]) : body;
}

const answered = { status: 200, body: { id: 7, result: expect.stringMatching(/^0x/) } };

test("without conditions it answers as the node does, single calls and batches", async () => {
  set({});
  expect(await ask(head)).toMatchObject(answered);
  const { body } = await ask([head, { ...head, id: 8, method: "eth_chainId" }]);
  expect(body).toMatchObject([{ id: 7 }, { id: 8, result: "0x33" }]);
  expect([node.record.requests(), node.record.calls(), node.record.refused()]).toEqual([2, 3, 0]);
});

describe("rate limits", () => {
  const refusals = {
    html_429: { status: 429, body: expect.stringContaining("<html>") },
    json_429: { status: 429, body: { id: null, error: { code: -32_005 } } },
    error_in_200: { status: 200, body: { id: 7, error: { code: -32_005 } } },
    late_calls_in_200: { status: 200, body: { id: 7, error: { code: -32_005 } } },
  };

  test.each(rateRefusals)("%s beyond a burst, and not later", async (style) => {
    const refusal = refusals[style];
    set({ rateLimit: { perSecond: 2, burst: 3, style } });
    for (let asked = 0; asked < 3; asked++) expect(await ask(head)).toMatchObject(answered);
    expect(await ask(head)).toMatchObject(refusal);
    nowMs += 500;
    expect(await ask(head)).toMatchObject(answered);
    expect(await ask(head)).toMatchObject(refusal);
    expect([node.record.requests(), node.record.refused("rate")]).toEqual([6, 2]);
    expect(node.record.mostPerSecond()).toBe(6);
    nowMs += 10_000;
  });

  test("counted by requests, a batch costs one; counted by calls, its size", async () => {
    set({ rateLimit: { perSecond: 4, style: "error_in_200" } });
    for (let asked = 0; asked < 4; asked++) expect((await ask([head, head])).status).toBe(200);
    expect(node.record.refused()).toBe(0);
    set({ rateLimit: { perSecond: 4, counts: "calls", style: "json_429" } });
    await ask([head, head, head]);
    expect((await ask([head, head])).status).toBe(429);
    expect((await ask(head)).status).toBe(200);
  });

  test("late calls of a batch are refused within the answered batch", async () => {
    set({ rateLimit: { perSecond: 2, counts: "calls", style: "late_calls_in_200" } });
    const { body } = await ask([1, 2, 3].map((id) => ({ ...head, id })));
    const late = { id: 3, error: { code: -32_005 } };
    const good = { result: expect.any(String) };
    expect(body).toMatchObject([{ id: 1, ...good }, { id: 2, ...good }, late]);
    expect(node.record.refused("rate")).toBe(1);
  });

  test("says when to come back where it is told to", async () => {
    set({ rateLimit: { perSecond: 1, style: "html_429", retryAfterSeconds: 3 } });
    expect(await ask(head)).toMatchObject({ status: 200, retryAfter: null });
    expect(await ask(head)).toMatchObject({ status: 429, retryAfter: "3" });
  });
});

describe("limits of one request", () => {
  const refusals = {
    one_error: { status: 200, body: { id: null, error: { code: -32_600 } } },
    array_with_one_error: { status: 200, body: [{ id: null, error: { code: -32_600 } }] },
    http_413: { status: 413 },
  };

  test.each(batchRefusals)("a batch of three where two are allowed: %s", async (style) => {
    set({ batchLimit: { maxCalls: 2, style } });
    expect(await ask([head, head])).toMatchObject({ status: 200, body: [{ id: 7 }, { id: 7 }] });
    expect(await ask([head, head, head])).toMatchObject(refusals[style]);
    expect(node.record.refused("batch")).toBe(1);
  });

  test("a long body, and an expired key", async () => {
    set({ maxBodyBytes: 100 });
    expect((await ask(head)).status).toBe(200);
    expect((await ask({ ...head, params: ["x".repeat(100)] })).status).toBe(413);
    set({ expiredKey: 403 });
    expect((await ask(head)).status).toBe(403);
  });
});

describe("answers to single calls", () => {
  test.each(rangeRefusals)("a range of logs beyond the limit: %s", async (rangeStyle) => {
    set({ logs: { maxRangeBlocks: 3, rangeStyle } });
    expect(await call("eth_getLogs", { fromBlock: "0x0", toBlock: "0x2" })).toHaveProperty(
      "length",
    );
    expect(await call("eth_getLogs", { fromBlock: "0x0", toBlock: "0x3" })).toHaveProperty("code");
    expect(await call("eth_getLogs", { fromBlock: "latest" })).not.toHaveProperty("code");
  });

  test("logs by hash refused, and logs that are always empty", async () => {
    set({});
    const mints = await call("eth_getLogs", { fromBlock: "0x0", address: devnet.token });
    expect(mints).not.toEqual([]);
    set({ logs: { areAlwaysEmpty: true } });
    expect(await call("eth_getLogs", { fromBlock: "0x0", address: devnet.token })).toEqual([]);
    set({ logs: { refusesBlockHash: true } });
    const refusal = await call("eth_getLogs", { blockHash: `0x${"11".repeat(32)}` });
    expect(refusal).toMatchObject({ code: -32_602 });
  });

  test("absurd heads, once or always", async () => {
    set({ absurd: { latest: 1_000_000_000, times: 1 } });
    expect(await call("eth_blockNumber")).toBe("0x3b9aca00");
    expect(await call("eth_blockNumber")).not.toBe("0x3b9aca00");
    set({ absurd: { finalized: 1_000_000_000 } });
    const block = (tag: string) => call("eth_getBlockByNumber", tag, false);
    expect(await block("finalized")).toHaveProperty("number", "0x3b9aca00");
    expect(await block("latest")).not.toHaveProperty("number", "0x3b9aca00");
  });

  test("one method fails inside, the others do not", async () => {
    set({ internalErrors: ["eth_call"] });
    expect(await call("eth_call", { to: devnet.token }, "latest")).toMatchObject({ code: -32_603 });
    expect(await call("eth_chainId")).toBe("0x33");
  });

  test("a revert is an error, or its data as if it were a result", async () => {
    // A transfer from an unused address without money.
    const reverting = { to: devnet.token, data: `0xa9059cbb${"11".repeat(64)}` };
    set({});
    expect(await call("eth_call", reverting, "latest")).toHaveProperty("code", 3);
    set({ revertsAsResults: true });
    expect(await call("eth_call", reverting, "latest")).toMatch(/^0x/);
  });

  test("an answer takes its time, a refusal does not", async () => {
    set({ latencyMs: 1_500, batchLimit: { maxCalls: 1, style: "http_413" } });
    sleptMs = 0;
    await ask([head, head]);
    expect(sleptMs).toBe(0);
    await ask(head);
    expect(sleptMs).toBe(1_500);
  });
});

describe("backends", () => {
  test("each request goes to the next, and one that is behind knows nothing newer", async () => {
    set({});
    for (let made = 0; made < 5; made++) await devnet.rpc("evm_mine");
    const head = Number(await call("eth_blockNumber"));
    const newest = await call("eth_getBlockByNumber", hexOf(head), false);
    const blockHash = isObject(newest) ? newest["hash"] : undefined;
    set({ backends: [0, 2] });
    const heads = [await call("eth_blockNumber"), await call("eth_blockNumber")];
    expect(heads.map(Number)).toEqual([head, head - 2]);
    set({ backends: [2] });
    expect(await call("eth_getBlockByNumber", "latest", false)).toMatchObject({
      number: hexOf(head - 2),
    });
    expect(await call("eth_getBlockByNumber", hexOf(head - 1), false)).toBeNull();
    expect(await call("eth_getLogs", { blockHash })).toMatchObject({ message: "unknown block" });
    expect(await call("eth_getLogs", { fromBlock: hexOf(head - 1) })).toEqual([]);
    const account = devnet.seller.address;
    const balance = await call("eth_getBalance", account, hexOf(head));
    expect(balance).toMatchObject({ message: "header not found" });
    expect(await call("eth_getBalance", account, "latest")).toMatch(/^0x/);
  });
});
