/** Extensions of third parties, and signed offers and receipts, at paid tools. */
import { decodeHeader, encodeHeader, headerNames } from "@farthing/protocol";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { CallToolResultSchema, type CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import {
  extractOffersFromPaymentRequired,
  isEIP712SignedOffer,
  verifyOfferSignatureEIP712,
  verifyReceiptSignatureEIP712,
} from "@x402/extensions/offer-receipt";
import { privateKeyToAccount } from "viem/accounts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { pay, payer } from "../buyer.testing.ts";
import { payTo } from "../scene.testing.ts";
import {
  startScriptedFacilitator,
  type ScriptedFacilitator,
} from "../scripted-facilitator.testing.ts";
import { farthing, type ToolSellerOptions } from "./paid-tools.ts";

let facilitator: ScriptedFacilitator;
beforeEach(async () => {
  facilitator = await startScriptedFacilitator();
});
afterEach(() => facilitator.close());

/** A server with one paid tool; calls it, with a payment or without. */
async function serve(options: Partial<ToolSellerOptions>) {
  const server = new McpServer({ name: "reports", version: "1" });
  const base = { facilitator: { url: facilitator.url }, payTo, price: "0.01", onEvent: () => {} };
  farthing({ ...base, ...options }).registerTool(server, "tip", {}, () => ({
    content: [{ type: "text", text: "a tip" }],
  }));
  const client = new Client({ name: "buyer", version: "1" });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(far), client.connect(near)]);
  return (payment?: unknown): Promise<CallToolResult> => {
    const meta = payment === undefined ? {} : { _meta: { "x402/payment": payment } };
    return client.request(
      { method: "tools/call", params: { name: "tip", ...meta } },
      CallToolResultSchema,
    );
  };
}

async function paymentFor({ structuredContent }: CallToolResult): Promise<unknown> {
  const headers = { [headerNames.paymentRequired]: encodeHeader(structuredContent) };
  const made = await pay(Response.json({}, { headers }), "v2");
  return decodeHeader(made[headerNames.paymentSignature] ?? "")?.value;
}

const declaration = { info: { order: "required" }, schema: { type: "object" } };

test("hooks are told of a call's payment, and of what the buyer sent", async () => {
  const told: unknown[] = [];
  const tell = (name: string) => (context: object) => void told.push([name, context]);
  const hooks = {
    beforeVerify: tell("beforeVerify"),
    afterVerify: tell("afterVerify"),
    beforeSettle: tell("beforeSettle"),
    afterSettle: tell("afterSettle"),
  };
  const call = await serve({ extensions: [{ key: "acme", declaration, ...hooks }] });
  const asked = await call();
  expect(asked.structuredContent).toMatchObject({ extensions: { acme: declaration } });
  expect((await call(await paymentFor(asked))).content).toEqual([{ type: "text", text: "a tip" }]);
  const context = {
    url: "mcp://tool/tip",
    payment: expect.objectContaining({ payer, amount: "10000" }),
    sent: declaration,
  };
  expect(told).toEqual(Object.keys(hooks).map((name) => [name, context]));
});

test.each(["beforeVerify", "afterVerify", "beforeSettle", "afterSettle"] as const)(
  "%s refuses a call with a reason",
  async (name) => {
    const call = await serve({
      extensions: [{ key: "acme", [name]: () => ({ refuse: "No order 7." }) }],
    });
    const { isError, structuredContent } = await call(await paymentFor(await call()));
    const hasMoved = name === "afterSettle";
    expect([isError, facilitator.transfers()]).toEqual([true, hasMoved ? 1 : 0]);
    expect(structuredContent).toMatchObject(
      hasMoved
        ? { error: "paid_undelivered", message: expect.stringContaining("No order 7.") }
        : { x402Version: 2, error: expect.stringContaining("extension_refused") },
    );
  },
);

test("offers and receipt are signed, as the stock extension verifies them", async () => {
  const account = privateKeyToAccount(`0x${"51".repeat(32)}`);
  const call = await serve({
    receiptSigner: { format: "eip712", signTypedData: (data) => account.signTypedData(data) },
  });
  const asked = await call();
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the stock functions' own type
  const offers = extractOffersFromPaymentRequired(asked.structuredContent as never);
  expect(offers).not.toEqual([]);
  for (const offer of offers.filter(isEIP712SignedOffer)) {
    const { signer, payload } = await verifyOfferSignatureEIP712(offer);
    expect([signer, payload.resourceUrl]).toEqual([account.address, "mcp://tool/tip"]);
  }
  const { _meta } = await call(await paymentFor(asked));
  const { receipt } = Object(_meta?.["x402/payment-response"]).extensions["offer-receipt"].info;
  const verified = await verifyReceiptSignatureEIP712(receipt);
  expect([verified.signer, verified.payload.payer]).toEqual([account.address, payer]);
});
