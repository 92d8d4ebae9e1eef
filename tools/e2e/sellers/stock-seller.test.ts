/** The published seller sells through our facilitator, whose faces all wait for the outcome. */
import { privateKeySigner, wrapFetch } from "@farthing/buyer";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { stockBuyer } from "../support/buyers.testing.ts";
import { startMarket, type Market } from "../support/market.testing.ts";
import { openStockShop } from "../support/shops.testing.ts";

describe.each([51, 50] as const)("on chain %d", (chainId) => {
  let market: Market;
  beforeAll(async () => {
    market = await startMarket({ chainId });
  });
  afterAll(() => market?.stop());
  beforeEach(() => {
    market.tap.calls.length = 0;
  });

  /** Verify calls of one sale. */
  const cases = [
    ["default", "hosted", {}, 1],
    ["upfront", "hosted", { flow: "upfront" }, 0],
    ["default", "public", {}, 1],
    ["upfront", "public", { flow: "upfront" }, 0],
  ] as const;

  test.each(cases)(
    "sells in its %s flow through the %s face",
    async (_flow, face, terms, verifies) => {
      const shop = await openStockShop(market, face, terms);
      const buyer = market.newBuyer();
      const response = await stockBuyer(market, buyer)(shop.url);
      expect(await response.clone().json()).toEqual({ report: 1 });
      const { transaction } = await market.expectPaidOnce(response, buyer.address);
      const { tap } = market;
      expect([tap.count("POST /verify"), tap.count("POST /settle")]).toEqual([verifies, 1]);
      const settlements: unknown[] = tap.calls
        .filter(({ name }) => name === "POST /settle")
        .map(({ body }) => JSON.parse(body));
      expect(settlements).toMatchObject([{ success: true, transaction }]);
      await shop.close();
    },
  );

  test.each(["public", "hosted"] as const)(
    "sells to our buyer through the %s face",
    async (face) => {
      const shop = await openStockShop(market, face);
      const buyer = market.newBuyer();
      const buy = wrapFetch(fetch, { signer: privateKeySigner(buyer.privateKey) });
      const response = await buy(shop.url);
      expect(response.payment).toMatchObject({ state: "settled", version: 2 });
      await market.expectPaidOnce(response, buyer.address);
      await shop.close();
    },
  );
});
