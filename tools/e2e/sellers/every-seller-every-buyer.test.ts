/**
 * Whoever sells, whoever buys: each way to take a payment, and each way to make one, on one chain.
 * The content comes once, with the receipt of the one transfer that paid for it.
 */
import { privateKeySigner, wrapFetch } from "@farthing/buyer";
import type { DevnetWallet } from "@farthing/devnet";
import { readReceipt } from "@farthing/protocol";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { stockBuyer } from "../support/buyers.testing.ts";
import { describeInBrowser, findChromium, startChromium } from "../support/chromium.testing.ts";
import { openGateway, startEngine } from "../support/gateway.testing.ts";
import { startMarket, type Market, type MarketOptions } from "../support/market.testing.ts";
import { contentOf, openPaywallWindow, review, sign } from "../paywall/fixture.testing.ts";
import {
  openExpressShop,
  openFastifyShop,
  openHonoShop,
  openNextShop,
  openNodeShop,
  type OpenShop,
  type Shop,
} from "../support/shops.testing.ts";

const openGatewayShop: OpenShop = async (market, face) => {
  const { url, api, stop } = await openGateway(market, { face });
  return { url: `${url}/paid/report`, made: () => api.heard.length, close: stop };
};

/** The engine inside the gateway: a wallet, a chain and a database of its own. */
const openEmbeddedShop: OpenShop = async (market) => {
  const engine = await startEngine(market);
  const { url, api, stop } = await openGateway(market, { embedded: engine.facilitator });
  const close = async () => {
    await stop();
    await engine.stop();
  };
  return { url: `${url}/paid/report`, made: () => api.heard.length, close };
};

const ours =
  (prefer: "v1" | "v2") =>
  (_: Market, { privateKey }: DevnetWallet) =>
    wrapFetch(fetch, { signer: privateKeySigner(privateKey), prefer });

const buyers = [
  ["our buyer, version 2", ours("v2")],
  ["our buyer, version 1", ours("v1")],
  ["the stock buyer", stockBuyer],
] as const;

let browser: Browser | undefined;
beforeAll(async () => {
  if (findChromium() !== undefined) browser = await startChromium();
});
afterAll(() => browser?.close());

describe("with a facilitator", () =>
  sellings({ ownFacilitator: true }, [
    ["Express", openExpressShop],
    ["Hono", openHonoShop],
    ["Fastify", openFastifyShop],
    ["Next.js", openNextShop],
    ["node:http", openNodeShop],
    ["the gateway", openGatewayShop],
  ]));
describe("without one", () =>
  sellings({ ownFacilitator: false }, [["the gateway, with its engine inside", openEmbeddedShop]]));

function sellings(
  options: MarketOptions,
  sellers: readonly (readonly [name: string, open: OpenShop])[],
): void {
  let market: Market;
  beforeAll(async () => {
    // Each buys from each, with a wallet that has bought nothing yet.
    market = await startMarket({ ...options, buyers: sellers.length * (buyers.length + 1) });
  });
  afterAll(() => market?.stop());
  describe.each(sellers)("sold by %s", (_, open) =>
    buyings(
      () => market,
      () => open(market, "public"),
    ),
  );
}

function buyings(marketOf: () => Market, open: () => Promise<Shop>): void {
  let shop: Shop;
  beforeAll(async () => {
    shop = await open();
  });
  afterAll(() => shop?.close());

  test.each(buyers)("to %s", async (_, createBuyer) => {
    const market = marketOf();
    const buyer = market.newBuyer();
    const before = shop.made();
    const response = await createBuyer(market, buyer)(shop.url);
    expect(await response.clone().json()).toEqual({ report: before + 1 });
    await market.expectPaidOnce(response, buyer.address);
  });

  describeInBrowser("in a browser", () => {
    test("to a person", async () => {
      const market = marketOf();
      const { address, privateKey } = market.newBuyer();
      if (!browser) throw new Error("The browser has not started.");
      const wallets = [{ name: "Alpha", keys: [privateKey] }];
      const window = await openPaywallWindow({ browser, market }, wallets);
      const before = shop.made();
      const challenge = await window.page.goto(shop.url);
      expect(challenge?.status()).toBe(402);
      await review(window);
      const answered = window.page.waitForResponse((one) => one.status() === 200);
      await sign(window);
      expect(JSON.parse(await contentOf(window))).toEqual({ report: before + 1 });
      const receipt = readReceipt(new Headers(await (await answered).allHeaders()));
      const [transfer, ...more] = await market.transfers(address);
      expect(more).toEqual([]);
      expect(receipt).toMatchObject({ success: true, transaction: transfer?.transaction });
      expect(window.complaints).toEqual([]);
      await window.context.close();
    });
  });
}
