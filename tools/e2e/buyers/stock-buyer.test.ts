/** The published buyer pays our sellers, through both faces, on both networks. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { stockBuyer } from "../support/buyers.testing.ts";
import { startMarket, type Market } from "../support/market.testing.ts";
import { openExpressShop, openHonoShop } from "../support/shops.testing.ts";

describe.each([51, 50] as const)("on chain %d", (chainId) => {
  let market: Market;
  beforeAll(async () => {
    market = await startMarket({ chainId });
  });
  afterAll(() => market?.stop());

  test.concurrent.for([
    ["Express", "public", openExpressShop],
    ["Express", "hosted", openExpressShop],
    ["Hono", "public", openHonoShop],
    ["Hono", "hosted", openHonoShop],
  ] as const)("buys from our %s seller through the %s face", async ([, face, openShop]) => {
    const shop = await openShop(market, face);
    const buyer = market.newBuyer();
    const response = await stockBuyer(market, buyer)(shop.url);
    expect(await response.clone().json()).toEqual({ report: 1 });
    await market.expectPaidOnce(response, buyer.address);
    await shop.close();
  });

  test("buys with a request body, which arrives with the payment", async () => {
    const shop = await openExpressShop(market, "public");
    const buyer = market.newBuyer();
    const response = await stockBuyer(market, buyer)(shop.url, { method: "POST", body: "a=1" });
    expect(await response.clone().json()).toEqual({ report: 1 });
    await market.expectPaidOnce(response, buyer.address);
    await shop.close();
  });
});
