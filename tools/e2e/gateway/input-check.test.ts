/** Input before money, with money: a request that does not fit the OpenAPI document costs nothing. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { privateKeySigner, wrapFetch } from "@farthing/buyer";
import { afterAll, beforeAll, expect, test } from "vitest";
import { stockBuyer } from "../support/buyers.testing.ts";
import { openGateway, type GatewayShop } from "../support/gateway.testing.ts";
import { price, startMarket, type Market } from "../support/market.testing.ts";

const order = { type: "object", required: ["count"], properties: { count: { type: "integer" } } };
const content = { "application/json": { schema: order } };
const document = {
  openapi: "3.1.0",
  paths: { "/jobs": { post: { requestBody: { required: true, content }, responses: {} } } },
};

let market: Market;
let shop: GatewayShop;
const stack = new AsyncDisposableStack();
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "farthing-input-"));
  stack.defer(() => rmSync(folder, { recursive: true }));
  const openapi = join(folder, "openapi.json");
  writeFileSync(openapi, JSON.stringify(document));
  market = await startMarket();
  stack.defer(() => market.stop());
  const routes = [{ match: "POST /jobs", upstream: "api", price, settle: "before-upstream" }];
  shop = await openGateway(market, { routes, more: { discovery: { openapi } } });
  stack.defer(() => shop.stop());
});
afterAll(() => stack.disposeAsync());

test.each(["our", "the stock"])("%s buyer pays for a right request alone", async (whose) => {
  shop.api.reset();
  const buyer = market.newBuyer();
  const signer = privateKeySigner(buyer.privateKey);
  const buy = whose === "our" ? wrapFetch(fetch, { signer }) : stockBuyer(market, buyer);
  const post = (body: string) =>
    buy(`${shop.url}/jobs`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body,
    });
  const wrong = await post('{"count":"one"}');
  expect([wrong.status, await wrong.json()]).toEqual([
    422,
    {
      error: "invalid_input",
      message: "Nothing was charged. The request does not fit the API: body/count must be integer.",
      retryable: false,
    },
  ]);
  expect(wrong.headers.get("PAYMENT-REQUIRED")).toBeNull();
  expect(shop.api.heard).toEqual([]);
  expect(await market.transfers(buyer.address)).toEqual([]);
  const right = await post('{"count":1}');
  expect(await right.clone().json()).toEqual({ report: 1 });
  expect(shop.api.heard).toMatchObject([{ body: '{"count":1}' }]);
  await market.expectPaidOnce(right, buyer.address);
});
