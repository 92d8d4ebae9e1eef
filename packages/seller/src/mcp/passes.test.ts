/** Passes and balances of tools: the token and what is left travel in `_meta`. */
import { decodeHeader, encodeHeader, headerNames } from "@farthing/protocol";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { CallToolResultSchema, type CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, beforeEach, expect, test } from "vitest";
import { pay } from "../buyer.testing.ts";
import { payTo } from "../scene.testing.ts";
import {
  startScriptedFacilitator,
  type ScriptedFacilitator,
} from "../scripted-facilitator.testing.ts";
import type { SellerEvent } from "../index.ts";
import { farthing } from "./paid-tools.ts";

const pass = { uses: 3, validFor: "30d" };
const cost = ({ content }: CallToolResult) => (content.length === 1 ? "0.03" : undefined);

let facilitator: ScriptedFacilitator;
let client: Client;
const runs: string[] = [];
const outcomes: SellerEvent["type"][] = [];
let running: PromiseWithResolvers<void>;
let hasOutcome: PromiseWithResolvers<void>;

beforeEach(async () => {
  runs.length = 0;
  outcomes.length = 0;
  running = Promise.withResolvers();
  hasOutcome = Promise.withResolvers();
  facilitator = await startScriptedFacilitator();
  const server = new McpServer({ name: "reports", version: "1" });
  const options = { facilitator: { url: facilitator.url }, payTo, price: "1.00", pass };
  const seller = farthing({ ...options, onEvent: () => {} });
  const shared = { pass: { ...pass, scope: "all" } };
  for (const [name, own] of Object.entries({ report: {}, digest: {}, one: shared, two: shared })) {
    seller.registerTool(server, name, own, (_extra) => {
      runs.push(name);
      const content = [{ type: "text" as const, text: `${name} ${runs.length}` }];
      return { content, ...(runs.length === 2 ? { isError: true } : {}) };
    });
  }
  const onEvent = ({ type }: SellerEvent): void => {
    outcomes.push(type);
    hasOutcome.resolve();
  };
  const awaited = farthing({ ...options, onEvent });
  awaited.registerTool(server, "slow", {}, async ({ signal, payment }) => {
    runs.push("slow");
    if (payment.pass?.usesLeft === 1) {
      const leaves = new Promise((resolve) => signal.addEventListener("abort", resolve));
      running.resolve();
      await leaves;
      throw new Error("The work was called off with the buyer.");
    }
    return { content: [] };
  });
  // A tool with a balance is of another seller, whose tools sell no pass.
  const byUse = farthing({ facilitator: { url: facilitator.url }, payTo, onEvent: () => {} });
  const balance = { topUp: "0.10", reserve: "0.05", scope: "used" };
  byUse.registerTool(server, "counted", { balance }, ({ payment }) => {
    payment.meter?.add("0.02");
    return { content: [{ type: "text" as const, text: "counted" }] };
  });
  byUse.registerTool(server, "asked", { balance, cost }, () => {
    return { content: [{ type: "text" as const, text: "asked" }] };
  });
  byUse.registerTool(server, "failing", { balance }, () => ({ content: [], isError: true }));
  expect(() =>
    byUse.registerTool(server, "late", { balance, settle: "after-success" }, () => ({
      content: [],
    })),
  ).toThrow(/^settle must be before-work/);
  expect(() =>
    seller.registerTool(server, "priced", { price: () => "1.00" }, () => ({ content: [] })),
  ).toThrow(/^price must be fixed for a tool with a pass/);
  client = new Client({ name: "buyer", version: "1" });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(far), client.connect(near)]);
});
afterEach(async () => {
  await client.close();
  await facilitator.close();
});

function call(name: string, meta: object = {}): Promise<CallToolResult> {
  const params = { name, arguments: {}, _meta: { ...meta } };
  return client.request({ method: "tools/call", params }, CallToolResultSchema);
}

async function buy(name: string) {
  const { structuredContent } = await call(name);
  const headers = { [headerNames.paymentRequired]: encodeHeader(structuredContent) };
  const made = await pay(Response.json({}, { headers }), "v2");
  const payment = decodeHeader(made[headerNames.paymentSignature] ?? "")?.value;
  const { _meta } = await call(name, { "x402/payment": payment });
  return { "x402/payment-pass": Object(_meta?.["x402/payment-pass"])["token"] };
}

const left = ({ _meta }: CallToolResult) => _meta?.["x402/payment-balance"];

const leftOf = ({ _meta }: CallToolResult) => Object(_meta?.["x402/payment-pass"])["remaining"];

test("a tool is paid once and called again, and a failed call takes no use", async () => {
  const token = await buy("report");
  const failed = await call("report", token);
  expect([failed.isError, failed.content]).toEqual([true, [{ type: "text", text: "report 2" }]]);
  expect([leftOf(await call("report", token)), leftOf(await call("report", token))]).toEqual([
    "1",
    "0",
  ]);
  const over = await call("report", token);
  expect(over.structuredContent).toMatchObject({ error: "pass_exhausted", x402Version: 2 });
  expect([runs.length, facilitator.transfers()]).toEqual([4, 1]);
});

test("a call that its client cancels gives no use back", async () => {
  const token = await buy("slow");
  hasOutcome = Promise.withResolvers();
  const canceling = new AbortController();
  const params = { name: "slow", arguments: {}, _meta: token };
  const { signal } = canceling;
  const lost = client.request({ method: "tools/call", params }, CallToolResultSchema, { signal });
  await running.promise;
  canceling.abort();
  await expect(lost).rejects.toThrow();
  await hasOutcome.promise;
  expect(outcomes.at(-1)).toBe("undelivered");
  expect(leftOf(await call("slow", token))).toBe("0");
});

test("a pass opens its tool, or all tools of its scope", async () => {
  const token = await buy("report");
  const elsewhere = await call("digest", token);
  expect(elsewhere.structuredContent).toMatchObject({ error: "pass_elsewhere" });
  // The second run of all fails.
  runs.length = 5;
  const shared = await buy("one");
  expect(leftOf(await call("two", shared))).toBe("1");
  for (const odd of [7, "short", null, {}]) {
    const { structuredContent } = await call("report", { "x402/payment-pass": odd });
    expect(structuredContent).toMatchObject({ error: "Payment required" });
  }
});

test("a tool is charged to a balance what its handler has counted, or what its result costs", async () => {
  const token = await buy("counted");
  expect(left(await call("counted", token))).toEqual({ remaining: "60000", cost: "20000" });
  const failed = await call("failing", token);
  expect(failed).toMatchObject({ isError: true, content: [] });
  expect(left(await call("asked", token))).toEqual({ remaining: "30000", cost: "30000" });
  const over = await call("counted", token);
  expect(over.structuredContent).toMatchObject({ error: "balance_exhausted", x402Version: 2 });
  expect(facilitator.transfers()).toBe(1);
});
