/** Routes that settle after success, on a real chain: whoever got nothing has paid nothing. */
import { privateKeySigner, wrapFetch } from "@farthing/buyer";
import type { DevnetWallet } from "@farthing/devnet";
import { farthing } from "@farthing/seller/node";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { listen, type Listening } from "@farthing/seller/testing/listen";
import { startMarket, termsOn, type Market } from "../support/market.testing.ts";
import {
  openExpressShop,
  openFastifyShop,
  openHonoShop,
  openNextShop,
  openNodeShop,
} from "../support/shops.testing.ts";

const settle = "after-success";

let market: Market;
let shop: Listening | undefined;
beforeAll(async () => {
  market = await startMarket();
});
afterAll(() => market?.stop());
afterEach(async () => {
  market.tap.loses = () => false;
  await shop?.close();
  shop = undefined;
});

/** A shop of one report, made by `work`: what it gives goes out, with its status. */
async function openShop(work: () => Promise<readonly [status: number, text: string]>) {
  const charge = farthing({ ...termsOn(market, "public"), settle });
  shop = await listen(
    charge({}, async (_req, res) => {
      const [status, text] = await work();
      res.writeHead(status).end(text);
    }),
  );
  return `${shop.url}/report`;
}

const buyAs = ({ privateKey }: DevnetWallet) =>
  wrapFetch(fetch, { signer: privateKeySigner(privateKey) });

test.each([
  ["Express", openExpressShop],
  ["Fastify", openFastifyShop],
  ["Hono", openHonoShop],
  ["Next.js", openNextShop],
  ["node:http", openNodeShop],
] as const)("%s: one report, one transfer", async (_name, open) => {
  const opened = await open(market, "public", { settle });
  const buyer = market.newBuyer();
  const response = await buyAs(buyer)(opened.url);
  expect(await response.clone().json()).toEqual({ report: 1 });
  await market.expectPaidOnce(response, buyer.address);
  await opened.close();
});

test("work that comes to nothing moves no money", async () => {
  const url = await openShop(async () => [404, "no such report"]);
  const buyer = market.newBuyer();
  const before = market.tap.count("POST /settle");
  const response = await buyAs(buyer)(url);
  expect([response.status, await response.text()]).toEqual([404, "no such report"]);
  expect(await market.transfers(buyer.address)).toEqual([]);
  expect(market.tap.count("POST /settle")).toBe(before);
});

test("a payer who empties his wallet during the work gets nothing", async () => {
  const buyer = market.newBuyer();
  const url = await openShop(async () => {
    await market.devnet.usdc.setBalance(buyer.address, 0n);
    return [200, "secret"];
  });
  const response = await buyAs(buyer)(url);
  expect(response.status).toBe(402);
  expect(await response.text()).not.toContain("secret");
  expect(await market.transfers(buyer.address)).toEqual([]);
});

test("an answer of /settle that is lost costs neither money nor work", async () => {
  let made = 0;
  const url = await openShop(async () => [200, `report ${++made}`]);
  let lost = 0;
  market.tap.loses = ({ name }) => name === "POST /settle" && ++lost === 1;
  const buyer = market.newBuyer();
  const response = await buyAs(buyer)(url);
  expect(await response.clone().text()).toBe("report 1");
  await market.expectPaidOnce(response, buyer.address);
  expect(made).toBe(1);
});
