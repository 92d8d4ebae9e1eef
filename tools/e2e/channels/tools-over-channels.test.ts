/** MCP tools that are paid over channels: our client by its policy, our seller, the SDK between them. */
import { memoryLedger, privateKeySigner } from "@farthing/buyer";
import { payingClient, type PayingClientOptions } from "@farthing/buyer/mcp";
import { farthing, type ToolSeller } from "@farthing/seller/mcp";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod/v4";
import { startMarket, termsOn, type Market } from "../support/market.testing.ts";

let market: Market;
let seller: ToolSeller;
const stack = new AsyncDisposableStack();

beforeAll(async () => {
  market = await startMarket();
  stack.defer(() => market.stop());
  seller = farthing({
    ...termsOn(market, "hosted"),
    price: "0.001",
    channel: { minDeposit: "0.005" },
    channels: { authorizerKey: market.devnet.seller.privateKey },
  });
});

afterAll(() => stack.disposeAsync());

type CostOfResult = NonNullable<
  Parameters<typeof seller.registerTool<{ tokens: z.ZodNumber }, { city: z.ZodString }>>[2]["cost"]
>;

const cost: CostOfResult = ({ structuredContent }) =>
  BigInt(Number(structuredContent?.["tokens"]) * 10);

/** A server whose tools demand arguments and have an output schema, and a client of it that pays. */
async function connect(
  options: Partial<PayingClientOptions> = {},
  { privateKey, address } = market.newBuyer(),
) {
  const server = new McpServer({ name: "weather", version: "1.0.0" });
  const schemas = { inputSchema: { city: z.string() }, outputSchema: { tokens: z.number() } };
  seller.registerTool(server, "forecast", schemas, ({ city }) => {
    if (city === "Nowhere") throw new Error("There is no such city.");
    const structuredContent = { tokens: city.length };
    return { isError: city === "Atlantis", content: [], structuredContent };
  });
  seller.registerTool(server, "metered", { ...schemas, cost }, ({ city }) => ({
    content: [],
    structuredContent: { tokens: city.length },
  }));
  const client = new Client({ name: "agent", version: "1.0.0" });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(far), client.connect(near)]);
  stack.defer(() => client.close());
  const signer = privateKeySigner(privateKey);
  const { rpcUrl } = market.devnet;
  const own = { server: "weather", signer, rpcUrl, ledger: memoryLedger(), ...options };
  return { address, paying: payingClient(client, own) };
}

const call = (name: string, city: string) => ({ name, arguments: { city } });
const always = { channels: { use: "always" } } as const;

test("a client opens a channel after three payments, and gets back what is left of it", async () => {
  const { devnet } = market;
  const { address, paying } = await connect();
  const before = await devnet.usdc.balanceOf(address);
  const states: string[] = [];
  for (let nth = 0; nth < 5; nth++) {
    const { payment, structuredContent } = await paying.callTool(call("forecast", "Paris"));
    expect(structuredContent).toEqual({ tokens: 5 });
    states.push(payment.state);
  }
  expect(states).toEqual(["settled", "settled", "settled", "charged", "charged"]);
  const { payment } = await paying.callTool(call("metered", "Rome"));
  expect(payment).toMatchObject({ state: "charged", amount: "40", chargedTotal: "2040" });
  expect(before - (await devnet.usdc.balanceOf(address))).toBe(8_000n);

  const [held] = await paying.channels.list();
  if (!held) throw new Error("There is a channel.");
  const refund = await paying.channels.refund(held.channelId, call("forecast", "Paris"));
  expect(refund).toMatchObject({ state: "refunded", amount: "2960", left: "0" });
  expect(before - (await devnet.usdc.balanceOf(address))).toBe(5_040n);
  const claimed = await seller.channels.claim();
  expect(claimed.sweeps).toMatchObject([{ outcome: "done" }]);
});

test.each(["Atlantis", "Nowhere"])(
  "a first call to %s fails and costs nothing, and the client knows of its deposit",
  async (city) => {
    const { address, paying } = await connect(always);
    const before = await market.devnet.usdc.balanceOf(address);
    const failed = await paying.callTool(call("forecast", city));
    expect(failed).toMatchObject({
      isError: true,
      payment: { state: "charged", amount: "0", deposit: "5000" },
    });
    const { payment } = await paying.callTool(call("forecast", "Paris"));
    expect(payment).toMatchObject({ state: "charged", chargedTotal: "1000", balance: "5000" });
    expect(before - (await market.devnet.usdc.balanceOf(address))).toBe(5_000n);
  },
);

test("a client that has lost its ledger is told its total, and goes on", async () => {
  const wallet = market.newBuyer();
  const first = await connect(always, wallet);
  await first.paying.callTool(call("forecast", "Paris"));
  const second = await connect(always, wallet);
  const { payment } = await second.paying.callTool(call("forecast", "Paris"));
  expect(payment).toMatchObject({ state: "charged", chargedTotal: "2000" });
});
