/** Paid tools of an MCP server: a real client and server of the SDK, and real signatures. */
import {
  canonicalJson,
  decodeHeader,
  encodeHeader,
  headerNames,
  isObject,
} from "@farthing/protocol";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { CallToolResultSchema, type CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import * as z from "zod/v4";
import { pay, payBoundFor, payer, payloadOf, type Changes } from "../buyer.testing.ts";
import { farthing } from "./paid-tools.ts";
import { createMemoryGrants } from "../payment-records/memory/memory.ts";
import { payTo } from "../scene.testing.ts";
import {
  confirmedReply,
  pendingReply,
  startScriptedFacilitator,
  transferHash,
  type ScriptedFacilitator,
} from "../scripted-facilitator.testing.ts";

let facilitator: ScriptedFacilitator;
let client: Client;
/** How long a payer has to wait. */
let waitMs: number;
/** What the tools were asked, in order. */
const runs: string[] = [];
/** What the tool `report` does next; it writes a report when there is nothing here. */
const next: (CallToolResult | Error)[] = [];

const text = (text: string): CallToolResult => ({ content: [{ type: "text", text }] });

beforeEach(async () => {
  facilitator = await startScriptedFacilitator();
  runs.length = 0;
  next.length = 0;
  waitMs = 0;
  const server = new McpServer({ name: "reports", version: "1" });
  const seller = farthing({
    facilitator: { url: facilitator.url },
    payTo,
    price: "0.01",
    // One test waits for all of it; a first payment on a busy machine needs a part of it.
    waitMs: 4_000,
    onEvent: () => {},
    rateLimit: { perPayer: 60, counts: { take: () => waitMs } },
  });
  const inputSchema = { city: z.string(), day: z.number().default(1) };
  seller.registerTool(server, "report", { inputSchema }, ({ city, day }, { payment }) => {
    runs.push(`report ${city} ${day} for ${payment.payer}`);
    const step = next.shift() ?? text(`report ${runs.length} on ${city}`);
    if (step instanceof Error) throw step;
    return step;
  });
  const byDay = {
    inputSchema,
    reference: ({ city, day }: { city: string; day: number }) => `${city}-${day}`,
  };
  seller.registerTool(server, "sold", byDay, ({ city }) => text(city));
  const ask = { inputSchema, price: ({ day }: { day: number }) => BigInt(day) * 1_000n };
  seller.registerTool(server, "days", ask, ({ day }) => text(`${day} days`));
  seller.registerTool(server, "tips", { settle: "before-work" }, () => {
    runs.push("tips");
    if (runs.length === 1) throw new Error("not yet");
    return text("a tip");
  });
  seller.registerTool(server, "digest", { inputSchema }, ({ city }) => {
    runs.push(`digest ${city}`);
    return text("digest");
  });
  seller.registerTool(server, "time", { price: "0.02", description: "The time" }, () => {
    runs.push("time");
    return text("noon");
  });
  const outputSchema = { count: z.number() };
  seller.registerTool(server, "count", { outputSchema }, () => {
    runs.push("count");
    const structuredContent = runs.length === 1 ? { wrong: true } : { count: 7 };
    return { ...text("seven"), structuredContent };
  });
  await connect(server);
});

async function connect(server: McpServer): Promise<void> {
  client = new Client({ name: "buyer", version: "1" });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(far), client.connect(near)]);
}

afterEach(async () => {
  await client.close();
  await facilitator.close();
});

const paris = { city: "Paris" };

function call(name: string, values: object, payment?: unknown): Promise<CallToolResult> {
  const meta = payment === undefined ? {} : { _meta: { "x402/payment": payment } };
  const params = { name, arguments: { ...values }, ...meta };
  return client.request({ method: "tools/call", params }, CallToolResultSchema);
}

/** A payment for a call, signed for the challenge of that very call. */
async function paymentFor(name: string, values: object, changes: Changes = {}) {
  const { structuredContent } = await call(name, values);
  const headers = { [headerNames.paymentRequired]: encodeHeader(structuredContent) };
  const made = await pay(Response.json({}, { headers }), "v2", changes);
  const payment = decodeHeader(made[headerNames.paymentSignature] ?? "")?.value;
  if (!isObject(payment)) throw new Error("No payment was made.");
  return payment;
}

/** A payment whose nonce commits to a call's arguments. */
async function boundPaymentFor(name: string, values: object): Promise<unknown> {
  const { structuredContent } = await call(name, values);
  const headers = { [headerNames.paymentRequired]: encodeHeader(structuredContent) };
  const made = await payBoundFor(Response.json({}, { headers }), "MCP", canonicalJson(values));
  return payloadOf(made);
}

/** Checks the two places that must say the same, and that nobody is asked for a receipt. */
function refusalOf(result: CallToolResult): Record<string, unknown> {
  expect(result.isError).toBe(true);
  const [first] = result.content;
  expect(first?.type === "text" && JSON.parse(first.text)).toEqual(result.structuredContent);
  expect(result.content).toHaveLength(1);
  return result.structuredContent ?? {};
}

function challengeOf(result: CallToolResult): Record<string, unknown> {
  const required = refusalOf(result);
  expect(required).toMatchObject({ x402Version: 2, accepts: [{ scheme: "exact", payTo }] });
  expect(result._meta).toBeUndefined();
  return required;
}

/** Checks an answer that must not make a buyer sign again. */
function wordsOf(result: CallToolResult): Record<string, unknown> {
  const words = refusalOf(result);
  expect(Object.keys(words)).not.toContain("accepts");
  return words;
}

describe("a paid tool", () => {
  test("is opened by a payment that commits to the arguments as they were sent", async () => {
    // The schema adds the day, which the buyer has not sent.
    const values = { city: "Paris" };
    const payment = await boundPaymentFor("report", values);
    expect(await call("report", values, payment)).toMatchObject(text("report 1 on Paris"));
    const other = await boundPaymentFor("report", values);
    const words = challengeOf(await call("report", { city: "Rome" }, other));
    expect(words["error"]).toBe("binding_mismatch");
    // The same buyer again, and somebody who has read the payment from the chain.
    expect(await call("report", values, payment)).toMatchObject(text("report 1 on Paris"));
    const { extensions } = challengeOf(await call("report", values));
    const rebuilt = { ...Object(payment), extensions };
    expect(wordsOf(await call("report", values, rebuilt))["error"]).toBe("already_delivered");
    expect(runs).toEqual([`report Paris 1 for ${payer}`]);
  });

  test("refuses a payer over the limit without a charge, and takes the payment later", async () => {
    const payment = await paymentFor("report", paris);
    waitMs = 29_001;
    const words = wordsOf(await call("report", paris, payment));
    expect(words).toMatchObject({ error: "rate_limited", retryable: true, retryAfterSeconds: 30 });
    expect([facilitator.transfers(), runs]).toEqual([0, []]);
    waitMs = 0;
    expect(await call("report", paris, payment)).toMatchObject(text("report 1 on Paris"));
  });

  test("without payment asks for one, in both places", async () => {
    const required = challengeOf(await call("time", {}));
    expect(required).toMatchObject({
      error: "Payment required",
      resource: {
        url: "mcp://tool/time",
        description: "The time",
        mimeType: "application/json",
      },
      accepts: [{ network: "eip155:50", amount: "20000" }],
    });
    expect([facilitator.calls, runs]).toEqual([[], []]);
  });

  test("checks its arguments before it asks for money", async () => {
    const result = await call("report", { city: 7 });
    expect(result.structuredContent).toBeUndefined();
    expect(JSON.stringify(result.content)).toContain("Invalid arguments");
  });

  test("verifies, works, settles, and answers with the receipt", async () => {
    const payment = await paymentFor("report", paris);
    const result = await call("report", paris, payment);
    expect(result).toMatchObject(text("report 1 on Paris"));
    expect(result.isError).toBeUndefined();
    expect(result._meta?.["x402/payment-response"]).toMatchObject({
      success: true,
      transaction: transferHash,
      network: "eip155:50",
      payer,
    });
    expect(runs).toEqual([`report Paris 1 for ${payer}`]);
    expect(facilitator.operations()).toEqual(["verify", "settle"]);
  });

  test("is named in the books, with a reference from its arguments", async () => {
    const values = { city: "Paris", day: 2 };
    expect(await call("sold", values, await paymentFor("sold", values))).toMatchObject(
      text("Paris"),
    );
    const settled = facilitator.calls.find(({ operation }) => operation === "settle");
    expect(settled?.books).toEqual({ route: "MCP sold", reference: "Paris-2" });
    const url = "mcp://tool/sold";
    expect(settled?.body).toMatchObject({ paymentPayload: { resource: { url } } });
  });

  test("without input is paid all the same", async () => {
    expect(await call("time", {}, await paymentFor("time", {}))).toMatchObject(text("noon"));
  });
});

describe("one payment opens one result", () => {
  test("a repeat of the call gets the same result, and costs nothing", async () => {
    const payment = await paymentFor("report", { city: "Paris", day: 2 });
    const first = await call("report", { city: "Paris", day: 2 }, payment);
    const again = await call("report", { day: 2, city: "Paris" }, payment);
    expect(again).toEqual(first);
    expect([runs.length, facilitator.transfers()]).toEqual([1, 1]);
  });

  test("twenty calls at once run the tool once", async () => {
    const payment = await paymentFor("report", paris);
    const calls = Array.from({ length: 20 }, () => call("report", paris, payment));
    for (const result of await Promise.all(calls)) {
      expect(result).toMatchObject(text("report 1 on Paris"));
    }
    expect([runs.length, facilitator.transfers()]).toEqual([1, 1]);
  });

  test.each([
    ["other arguments", "report", { city: "Rome" }],
    ["other arguments that were left to the default", "report", { city: "Paris", day: 3 }],
  ])("for %s it opens nothing", async (_case, tool, values) => {
    const payment = await paymentFor("report", paris);
    await call("report", paris, payment);
    const result = await call(tool, values, payment);
    expect(wordsOf(result)).toMatchObject({ error: "payment_bound_elsewhere", retryable: false });
    expect(runs).toHaveLength(1);
  });

  test("for another tool it opens nothing, before and after its own", async () => {
    const payment = await paymentFor("report", paris);
    expect(challengeOf(await call("digest", paris, payment))["error"]).toBe("invalid_payload");
    expect(await call("report", paris, payment)).toMatchObject(text("report 1 on Paris"));
    const unnamed = { ...payment, resource: undefined };
    expect(wordsOf(await call("digest", paris, unnamed))["error"]).toBe("payment_bound_elsewhere");
    expect(runs).toHaveLength(1);
  });

  test("of a cheap tool does not open a dear one", async () => {
    const payment = await paymentFor("report", paris);
    const unnamed = { ...payment, resource: undefined };
    expect(challengeOf(await call("time", {}, unnamed))["error"]).toBe("amount_mismatch");
    expect(facilitator.calls).toEqual([]);
  });
});

test("servers that share a store are told apart by their names", async () => {
  const grants = createMemoryGrants();
  const payments: unknown[] = [];
  async function openServer(name: string) {
    const server = new McpServer({ name, version: "1" });
    const options = { facilitator: { url: facilitator.url }, payTo, price: "0.01", grants };
    const seller = farthing({ ...options, server: name, onEvent: () => {} });
    seller.registerTool(server, "report", {}, () => text(`from ${name}`));
    await connect(server);
    payments.push(await paymentFor("report", {}));
  }
  await openServer("one");
  expect(await call("report", {}, payments[0])).toMatchObject(text("from one"));
  await openServer("two");
  expect(wordsOf(await call("report", {}, payments[0]))["error"]).toBe("payment_bound_elsewhere");
  expect(await call("report", {}, payments[1])).toMatchObject(text("from two"));
});

describe("a tool that fails is not paid for", () => {
  test.each<[string, CallToolResult | Error, string]>([
    ["answers with an error", { ...text("no such city"), isError: true }, "no such city"],
    ["throws", new Error("broken"), "broken"],
  ])("when it %s", async (_case, step, said) => {
    const payment = await paymentFor("report", paris);
    next.push(step);
    const result = await call("report", paris, payment);
    expect(result).toEqual({ ...text(said), isError: true });
    expect(facilitator.operations()).toEqual(["verify"]);
    // The payment is as good as new.
    expect(await call("report", paris, payment)).toMatchObject(text("report 2 on Paris"));
    expect(facilitator.transfers()).toBe(1);
  });

  test("when its result does not fit its own schema", async () => {
    const payment = await paymentFor("count", {});
    expect((await call("count", {}, payment)).isError).toBe(true);
    expect(facilitator.transfers()).toBe(0);
    const result = await call("count", {}, payment);
    expect(result.structuredContent).toEqual({ count: 7 });
    expect(facilitator.transfers()).toBe(1);
  });
});

test("a price may follow from the arguments, and is held against each call's own", async () => {
  const one = await paymentFor("days", { city: "Paris", day: 1 });
  const nine = { city: "Paris", day: 9 };
  expect(challengeOf(await call("days", nine, one))).toMatchObject({
    error: "amount_mismatch",
    accepts: [{ amount: "9000" }],
  });
  expect(await call("days", nine, await paymentFor("days", nine))).toMatchObject(text("9 days"));
});

test("a tool that is settled first and fails is made again for the same payment", async () => {
  const payment = await paymentFor("tips", {});
  const failed = await call("tips", {}, payment);
  expect(wordsOf(failed)).toMatchObject({ error: "paid_undelivered", retryable: true });
  expect(failed._meta?.["x402/payment-response"]).toMatchObject({ success: true });
  expect(await call("tips", {}, payment)).toMatchObject(text("a tip"));
  expect([facilitator.operations().slice(0, 2), facilitator.transfers()]).toEqual([
    ["verify", "settle"],
    1,
  ]);
});

describe("a payment that does not settle", () => {
  test("and never will leaves the result behind", async () => {
    const payment = await paymentFor("report", paris);
    const failed = { success: false, status: "failed", errorReason: "transaction_reverted" };
    const network = "eip155:50";
    facilitator.script.settle.push({ json: { ...failed, transaction: transferHash, network } });
    const result = await call("report", paris, payment);
    expect(challengeOf(result)["error"]).toBe("transaction_reverted");
    expect(JSON.stringify(result)).not.toContain("report 1");
  });

  test("yet says so without a challenge, and the repeat gets the result that was made", async () => {
    const payment = await paymentFor("report", paris);
    facilitator.script.settle.push(pendingReply("s_1"));
    facilitator.script.settlement.push(...Array.from({ length: 99 }, () => pendingReply("s_1")));
    const result = await call("report", paris, payment);
    expect(wordsOf(result)).toMatchObject({ error: "settlement_pending", retryable: true });
    expect(result._meta?.["x402/payment-response"]).toMatchObject({
      success: false,
      errorReason: "settlement_pending",
    });
    facilitator.script.settlement.length = 0;
    facilitator.script.settlement.push(confirmedReply());
    expect(await call("report", paris, payment)).toMatchObject(text("report 1 on Paris"));
    expect(runs).toHaveLength(1);
  });

  test("because it does not verify is told why", async () => {
    const payment = await paymentFor("report", paris);
    facilitator.script.verify.push({
      json: { isValid: false, invalidReason: "insufficient_funds" },
    });
    const result = await call("report", paris, payment);
    expect(challengeOf(result)["error"]).toBe("insufficient_funds");
    expect(runs).toEqual([]);
  });

  test.each([
    ["text", "free please"],
    ["a number", 7],
    ["null", null],
    ["an empty object", {}],
    ["an encoded payment", encodeHeader({ x402Version: 2 })],
    ["too long", { x402Version: 2, payload: "a".repeat(40_000) }],
    ["too deep", JSON.parse('{"a":'.repeat(500) + "1" + "}".repeat(500))],
  ])("because it is %s opens nothing", async (_case, payment) => {
    const result = await call("report", paris, payment);
    expect(refusalOf(result)["error"]).toMatch(/^(invalid_|payment_header_too_large)/);
    expect([facilitator.calls, runs]).toEqual([[], []]);
  });
});
