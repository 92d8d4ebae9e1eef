/** Our buyer at a gateway that sells by use, with money: it pays once for many requests. */
import { privateKeySigner, wrapFetch } from "@farthing/buyer";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openGateway, type GatewayShop } from "../support/gateway.testing.ts";
import { price, startMarket, type Market } from "../support/market.testing.ts";

let market: Market;
let shop: GatewayShop;
const stack = new AsyncDisposableStack();
beforeAll(async () => {
  market = await startMarket();
  stack.defer(() => market.stop());
  const balance = { topUp: price, reserve: "0.004" };
  shop = await openGateway(market, { routes: [{ match: "GET /use", upstream: "api", balance }] });
  stack.defer(() => shop.stop());
});
afterAll(() => stack.disposeAsync());

test("a payment is followed by requests that are charged what they cost, and by the next one", async () => {
  shop.api.answer = (_, response) => response.setHeader("X-Cost", "0.003").end("content");
  const { privateKey, address } = market.newBuyer();
  const buy = wrapFetch(fetch, { signer: privateKeySigner(privateKey) });
  const said: unknown[] = [];
  for (let nth = 0; nth < 5; nth++) {
    const response = await buy(`${shop.url}/use`);
    expect([response.status, await response.text()]).toEqual([200, "content"]);
    const { payment } = response;
    said.push(payment.state === "not_required" ? payment.balance?.remaining : payment.state);
  }
  expect(said).toEqual(["settled", "4000", "1000", "settled", "5000"]);
  expect(await market.transfers(address)).toHaveLength(2);
});
