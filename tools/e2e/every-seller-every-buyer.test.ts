/**
 * Whoever sells, whoever buys: each way to take a payment, and each way to make one, on one chain.
 * The content comes once, with the receipt of the one transfer that paid for it.
 */
import { privateKeySigner, wrapFetch } from "@farthing/buyer";
import { readReceipt } from "@farthing/protocol";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { stockBuyer } from "./buyers.testing.ts";
import { describeInBrowser, startChromium } from "./chromium.testing.ts";
import { openGateway, startEngine } from "./gateway.testing.ts";
import { startMarket, type Market } from "./market.testing.ts";
import { contentOf, openPaywallWindow, review, sign } from "./paywall-stage.testing.ts";
import {
  openExpressShop,
  openFastifyShop,
  openHonoShop,
  openNextShop,
  openNodeShop,
  type OpenShop,
  type Shop,
} from "./shops.testing.ts";

const openGatewayShop: OpenShop = async (market, face) => {
  const { url, api, stop } = await openGateway(market, { face });
  return { url: `${url}/paid/report`, made: () => api.heard.length, close: stop };
};

/** The engine inside the gateway, on the market's chain with a wallet and a database of its own. */
const openEmbeddedShop: OpenShop = async (market) => {
  const engine = await startEngine(market);
  const { url, api, stop } = await openGateway(market, { embedded: engine.facilitator });
  const close = async () => {
    await stop();
    await engine.stop();
  };
  return { url: `${url}/paid/report`, made: () => api.heard.length, close };
};

const sellers: readonly (readonly [name: string, open: OpenShop])[] = [
  ["Express", openExpressShop],
  ["Hono", openHonoShop],
  ["Fastify", openFastifyShop],
  ["Next.js", openNextShop],
  ["node:http", openNodeShop],
  ["gateway, facilitator elsewhere", openGatewayShop],
  ["gateway, engine inside", openEmbeddedShop],
];

describe.each(sellers)("sold by %s", (name, open) => {
  let market: Market;
  let shop: Shop;
  beforeAll(async () => {
    market = await startMarket({ ownFacilitator: name !== "gateway, engine inside" });
    shop = await open(market, "public");
  });
  afterAll(async () => {
    await shop?.close();
    await market?.stop();
  });

  const buyers = {
    "our buyer, version 2": (key: `0x${string}`) =>
      wrapFetch(fetch, { signer: privateKeySigner(key) }),
    "our buyer, version 1": (key: `0x${string}`) =>
      wrapFetch(fetch, { signer: privateKeySigner(key), prefer: "v1" }),
  } as const;

  async function expectSold(buy: typeof fetch, payer: Parameters<Market["transfers"]>[0]) {
    const before = shop.made();
    const response = await buy(shop.url);
    expect(await response.clone().json()).toEqual({ report: before + 1 });
    await market.expectPaidOnce(response, payer);
  }

  test.each(Object.entries(buyers))("%s", async (_, createBuyer) => {
    const { address, privateKey } = market.newBuyer();
    await expectSold(createBuyer(privateKey), address);
  });

  test("the stock buyer", async () => {
    const buyer = market.newBuyer();
    await expectSold(stockBuyer(market, buyer), buyer.address);
  });

  describeInBrowser("a person", () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await startChromium();
    });
    afterAll(() => browser?.close());

    test("pays on the page", async () => {
      const { address, privateKey } = market.newBuyer();
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
    });
  });
});
