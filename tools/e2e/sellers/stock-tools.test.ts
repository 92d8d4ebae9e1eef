/**
 * Tools with the stock x402 core at one end: it makes or verifies the payment, and the messages are
 * those of x402's transport for MCP, written out.
 */
import { privateKeySigner } from "@farthing/buyer";
import { payingClient } from "@farthing/buyer/mcp";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { CallToolResultSchema, type CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { x402Client } from "@x402/core/client";
import { parsePaymentPayload, parsePaymentRequired } from "@x402/core/schemas";
import { HTTPFacilitatorClient, x402ResourceServer } from "@x402/core/server";
import type { PaymentPayload, PaymentRequired } from "@x402/core/types";
import { ExactEvmScheme as ExactBuyer } from "@x402/evm";
import { ExactEvmScheme as ExactSeller } from "@x402/evm/exact/server";
import { privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod/v4";
import { price, startMarket, type Market } from "../support/market.testing.ts";
import { openToolShop } from "../support/tool-shops.testing.ts";

let market: Market;
beforeAll(async () => {
  market = await startMarket();
});
afterAll(() => market?.stop());

const forecast = { name: "forecast", arguments: { city: "Paris" } };

test("a payment of the stock client pays our tool", async () => {
  const shop = await openToolShop(market);
  const buyer = market.newBuyer();
  const client = await shop.connect();
  const unpaid = CallToolResultSchema.parse(await client.callTool(forecast));
  const required: unknown = unpaid.structuredContent;
  if (!isRequired(required)) throw new Error("The stock core cannot read the challenge.");
  const scheme = new ExactBuyer(privateKeyToAccount(buyer.privateKey));
  const stock = new x402Client().register(market.network.id, scheme);
  const payment = await stock.createPaymentPayload(required);
  const _meta = { "x402/payment": payment };
  const paid = CallToolResultSchema.parse(await client.callTool({ ...forecast, _meta }));
  expect(paid.content).toEqual([{ type: "text", text: "forecast 1 for Paris" }]);
  const [made] = await market.transfers(buyer.address);
  expect(paid._meta?.["x402/payment-response"]).toMatchObject({
    success: true,
    transaction: made?.transaction,
    network: market.network.id,
    payer: buyer.address,
  });
  await shop.close();
});

test("our client pays a tool that the stock server charges for", async () => {
  const buyer = market.newBuyer();
  const server = await openStockTool(market);
  const client = new Client({ name: "agent", version: "1.0.0" });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(far), client.connect(near)]);
  const signer = privateKeySigner(buyer.privateKey);
  const result = await payingClient(client, { server: "stock", signer }).callTool(forecast);
  expect(result.content).toEqual([{ type: "text", text: "rain in Paris" }]);
  const made = await market.transfers(buyer.address);
  expect(made).toEqual([{ transaction: expect.any(String), units: 10_000n }]);
  expect(result.payment).toMatchObject({ state: "settled", transaction: made[0]?.transaction });
  await client.close();
});

test("ten calls at once with one payment run a stock tool into one result", async () => {
  const buyer = market.newBuyer();
  const server = await openStockTool(market);
  const client = new Client({ name: "agent", version: "1.0.0" });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(far), client.connect(near)]);
  const unpaid = CallToolResultSchema.parse(await client.callTool(forecast));
  if (!isRequired(unpaid.structuredContent)) throw new Error("The tool asks for no payment.");
  const scheme = new ExactBuyer(privateKeyToAccount(buyer.privateKey));
  const stock = new x402Client().register(market.network.id, scheme);
  const payment = await stock.createPaymentPayload(unpaid.structuredContent);
  const call = () => client.callTool({ ...forecast, _meta: { "x402/payment": payment } });
  const results = await Promise.all(Array.from({ length: 10 }, call));
  expect(results.filter(({ isError }) => isError !== true)).toHaveLength(1);
  expect(await market.transfers(buyer.address)).toHaveLength(1);
  await client.close();
});

const isRequired = (value: unknown): value is PaymentRequired =>
  parsePaymentRequired(value).success;
const isPayment = (value: unknown): value is PaymentPayload => parsePaymentPayload(value).success;

/**
 * A tool charged for in the stock order: verify, work, settle. As in the stock wrapper, only a
 * settle that throws withholds the result, whatever `success` says.
 */
async function openStockTool({ network, devnet, facilitator }: Market): Promise<McpServer> {
  const { url } = facilitator("hosted");
  const stock = new x402ResourceServer(new HTTPFacilitatorClient({ url }));
  stock.register(network.id, new ExactSeller());
  await stock.initialize();
  const payTo = devnet.seller.address;
  const terms = { scheme: "exact", network: network.id, payTo, price: `$${price}` };
  const accepts = await stock.buildPaymentRequirements(terms);
  const resource = { url: "mcp://tool/forecast", description: "Tool", mimeType: "text/plain" };
  const ask = async (error: string): Promise<CallToolResult> => {
    const required = await stock.createPaymentRequiredResponse(accepts, resource, error);
    const content = [{ type: "text" as const, text: JSON.stringify(required) }];
    return { isError: true, structuredContent: { ...required }, content };
  };
  const server = new McpServer({ name: "stock", version: "1.0.0" });
  const inputSchema = { city: z.string() };
  server.registerTool("forecast", { inputSchema }, async ({ city }, { _meta }) => {
    const payment = _meta?.["x402/payment"];
    if (!isPayment(payment)) return ask("Payment required");
    const terms = stock.findMatchingRequirements(accepts, payment);
    if (!terms) return ask("No matching payment requirements found");
    const verdict = await stock.verifyPayment(payment, terms);
    if (!verdict.isValid) return ask(verdict.invalidReason ?? "invalid");
    const content = [{ type: "text" as const, text: `rain in ${city}` }];
    const receipt = await stock.settlePayment(payment, terms);
    return { content, _meta: { "x402/payment-response": receipt } };
  });
  return server;
}
