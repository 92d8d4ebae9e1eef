/** A hundred buyers at once: each is charged once, and each is served once. */
import { privateKeySigner, wrapFetch } from "@farthing/buyer";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { fetchPaid, payAgain, stockBuyer } from "../support/buyers.testing.ts";
import { openGateway, type GatewayShop } from "../support/gateway.testing.ts";
import { startMarket, type Market } from "../support/market.testing.ts";

const crowd = 100;

let market: Market;
let shop: GatewayShop;
beforeAll(async () => {
  // All of them come from one seller, whose rate is not what is looked at here.
  const env = { FARTHING_RATE_LIMIT: "0" };
  market = await startMarket({ buyers: 2 * crowd, env });
  shop = await openGateway(market);
});
afterAll(async () => {
  await shop?.stop();
  await market?.stop();
});
beforeEach(() => shop.api.reset());

test.each(["after success", "before the upstream"])("settled %s", async (order) => {
  const isBefore = order === "before the upstream";
  const buyers = Array.from({ length: crowd }, () => market.newBuyer());
  const reports = await Promise.all(
    buyers.map(async (buyer, index) => {
      const send = fetchPaid((request) => payAgain(request));
      // Half of them as strangers, who never heard of this gateway.
      const buy =
        index % 2 === 0
          ? stockBuyer(market, buyer, send)
          : wrapFetch(send, { signer: privateKeySigner(buyer.privateKey) });
      const url = isBefore ? `${shop.url}/jobs` : `${shop.url}/paid/${index}`;
      const response = await buy(url, { method: isBefore ? "POST" : "GET" });
      await market.expectPaidOnce(response.clone(), buyer.address);
      const body: unknown = await response.json();
      return JSON.stringify(body);
    }),
  );
  expect(new Set(reports).size).toBe(crowd);
  expect(shop.api.heard).toHaveLength(crowd);
  const payers = shop.api.heard.map(({ headers }) => headers["x-payment-payer"]);
  expect(new Set(payers)).toEqual(new Set(buyers.map(({ address }) => address)));
});
