/** Our buyer at a gateway that sells by use, with money: it pays once for many requests. */
import { privateKeySigner, wrapFetch } from "@farthing/buyer";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openGateway, type GatewayShop } from "../support/gateway.testing.ts";
import { price, startMarket, type Market } from "../support/market.testing.ts";

/** As in the gateway's configuration. */
const publicOrigin = "http://localhost:1";

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
  // A sign-in names the public address.
  const atShop: typeof fetch = async (input, init) => {
    const { url } = new Request(input, init);
    const response = await fetch(url.replace(publicOrigin, shop.url), init);
    return new Response(response.body, response);
  };
  const buy = wrapFetch(atShop, { signer: privateKeySigner(privateKey) });
  const said: unknown[] = [];
  for (let nth = 0; nth < 5; nth++) {
    const response = await buy(`${publicOrigin}/use`);
    expect([response.status, await response.text()]).toEqual([200, "content"]);
    const { payment } = response;
    said.push(payment.state === "not_required" ? payment.balance?.remaining : payment.state);
  }
  expect(said).toEqual(["settled", "4000", "1000", "settled", "5000"]);
  expect(await market.transfers(address)).toHaveLength(2);
  // Another program with the same wallet, which has paid nothing itself, and then both in turns.
  const other = wrapFetch(atShop, { signer: privateKeySigner(privateKey) });
  for (const [program, state] of [
    [other, "2000"],
    [buy, "settled"],
    [other, "6000"],
    [buy, "3000"],
  ] as const) {
    const { payment } = await program(`${publicOrigin}/use`);
    const now = payment.state === "not_required" ? payment.balance?.remaining : payment.state;
    expect(now).toBe(state);
  }
  expect(await market.transfers(address)).toHaveLength(3);
});
