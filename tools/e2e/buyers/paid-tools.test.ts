/** Paid MCP tools on a chain: our paying client, our seller, the SDK's own client and server. */
import { privateKeySigner } from "@farthing/buyer";
import { payingClient, type ToolClient } from "@farthing/buyer/mcp";
import type { DevnetWallet } from "@farthing/devnet";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startMarket, type Market } from "../support/market.testing.ts";
import { openToolShop, type ToolShop } from "../support/tool-shops.testing.ts";

let market: Market;
beforeAll(async () => {
  market = await startMarket();
});
afterAll(() => market?.stop());

/** A client that keeps the payments it sends. */
async function spyOn(shop: ToolShop) {
  const client = await shop.connect();
  const payments: unknown[] = [];
  const spied: ToolClient = {
    request(request, schema, options) {
      const payment = request.params?._meta?.["x402/payment"];
      if (payment !== undefined) payments.push(payment);
      return client.request(request, schema, options);
    },
  };
  return { client, spied, payments };
}

function payingAs({ privateKey }: DevnetWallet, shop: ToolShop, client: ToolClient) {
  return payingClient(client, { server: shop.url, signer: privateKeySigner(privateKey) });
}

const paris = { name: "forecast", arguments: { city: "Paris" } };

test("a tool is paid once, and its result comes with the transaction", async () => {
  const shop = await openToolShop(market);
  const buyer = market.newBuyer();
  const result = await payingAs(buyer, shop, await shop.connect()).callTool(paris);
  expect(result.content).toEqual([{ type: "text", text: "forecast 1 for Paris" }]);
  const made = await market.transfers(buyer.address);
  expect(made).toEqual([{ transaction: expect.any(String), units: 10_000n }]);
  expect(result.payment).toMatchObject({ state: "settled", transaction: made[0]?.transaction });
  await shop.close();
});

test("a tool with a balance is topped up once for several calls", async () => {
  // Its handler counts nothing, so that each call costs the reserve.
  const shop = await openToolShop(market, { balance: { topUp: "0.01", reserve: "0.004" } });
  const buyer = market.newBuyer();
  const { callTool } = payingAs(buyer, shop, await shop.connect());
  const said: unknown[] = [];
  for (let nth = 0; nth < 3; nth++) {
    const { payment } = await callTool(paris);
    said.push(payment.state === "not_required" ? payment.balance : payment.state);
  }
  expect(said).toEqual(["settled", { remaining: "2000", cost: "4000" }, "settled"]);
  expect(await market.transfers(buyer.address)).toHaveLength(2);
  await shop.close();
});

test("a tool that demands bound payments is paid, and its result is given again", async () => {
  const shop = await openToolShop(market, { requireBinding: true });
  const buyer = market.newBuyer();
  const { callTool } = payingAs(buyer, shop, await shop.connect());
  const call = { ...paris, payment: { requestId: "order" } };
  const [first, again] = [await callTool(call), await callTool(call)];
  expect(first.content).toEqual([{ type: "text", text: "forecast 1 for Paris" }]);
  expect(again.content).toEqual(first.content);
  expect(await market.transfers(buyer.address)).toHaveLength(1);
  await shop.close();
});

test("a tool that answers with an error costs nothing", async () => {
  const shop = await openToolShop(market);
  const buyer = market.newBuyer();
  const atlantis = { name: "forecast", arguments: { city: "Atlantis" } };
  const result = await payingAs(buyer, shop, await shop.connect()).callTool(atlantis);
  expect(result).toMatchObject({ isError: true, content: [{ text: "no such city" }] });
  // Not failed: the seller could still settle what it holds.
  expect(result.payment.state).toBe("ambiguous");
  expect(await market.transfers(buyer.address)).toEqual([]);
  await shop.close();
});

test("a used payment opens nothing else: other arguments, another tool, a restarted seller", async () => {
  const shop = await openToolShop(market);
  const buyer = market.newBuyer();
  const { client, spied, payments } = await spyOn(shop);
  const first = await payingAs(buyer, shop, spied).callTool(paris);
  const _meta = { "x402/payment": payments[0] };
  expect(await client.callTool({ ...paris, _meta })).toMatchObject({ content: first.content });
  const rome = { name: "forecast", arguments: { city: "Rome" }, _meta };
  const climate = { ...paris, name: "climate", _meta };
  for (const stolen of [rome, climate]) {
    expect(await client.callTool(stolen)).toMatchObject({ isError: true });
  }
  expect(shop.runs).toEqual(["forecast Paris"]);
  await shop.close();
  const next = await openToolShop(market);
  const answer = await (await next.connect()).callTool({ ...paris, _meta });
  expect(answer).toMatchObject({ isError: true, structuredContent: { error: "already_settled" } });
  expect(next.runs).toEqual([]);
  expect(await market.transfers(buyer.address)).toHaveLength(1);
  await next.close();
});

test("ten calls at once under one id are one payment and one run", async () => {
  const shop = await openToolShop(market);
  const buyer = market.newBuyer();
  const { callTool } = payingAs(buyer, shop, await shop.connect());
  const payment = { requestId: "forecast-of-today" };
  const calls = Array.from({ length: 10 }, () => callTool({ ...paris, payment }));
  for (const { content } of await Promise.all(calls)) {
    expect(content).toEqual([{ type: "text", text: "forecast 1 for Paris" }]);
  }
  expect(shop.runs).toHaveLength(1);
  expect(await market.transfers(buyer.address)).toHaveLength(1);
  await shop.close();
});

test("a seller that works after the money has moved sells tools too", async () => {
  const shop = await openToolShop(market, { settle: "before-work" });
  const buyer = market.newBuyer();
  const result = await payingAs(buyer, shop, await shop.connect()).callTool(paris);
  expect(result.payment.state).toBe("settled");
  expect(await market.transfers(buyer.address)).toHaveLength(1);
  await shop.close();
});
