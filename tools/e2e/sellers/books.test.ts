/** From a sale to the books: what a seller of ours names is in the settlement and in the CSV file. */
import { privateKeySigner, wrapFetch } from "@farthing/buyer";
import { openSignedIn, type Browser } from "@farthing/facilitator/testing/browser";
import { isObject } from "@farthing/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openGateway } from "../support/gateway.testing.ts";
import { price, startMarket, type Market } from "../support/market.testing.ts";
import {
  openExpressShop,
  openFastifyShop,
  openHonoShop,
  openNextShop,
  openNodeShop,
  type OpenShop,
} from "../support/shops.testing.ts";

let market: Market;
let account: Browser;
beforeAll(async () => {
  market = await startMarket();
  account = await openSignedIn({ url: market.tap.upstream }, { wallet: market.devnet.seller });
});
afterAll(async () => {
  await market?.stop();
});

async function buy(url: string, headers: Record<string, string> = {}): Promise<void> {
  const { address, privateKey } = market.newBuyer();
  const pay = wrapFetch(fetch, { signer: privateKeySigner(privateKey) });
  await market.expectPaidOnce(await pay(url, { headers }), address);
}

/** Finds a sale by its reference, in the history and in the CSV file. */
async function expectBooked(books: {
  readonly resource: string;
  readonly route: string | null;
  readonly reference: string;
}): Promise<void> {
  const path = "/v1/account/settlements";
  const { body } = await account.get(`${path}?reference=${books.reference}`);
  expect(body["settlements"]).toEqual([expect.objectContaining(books)]);
  const cookie = [...account.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const file = await fetch(`${market.tap.upstream}${path}?format=csv`, { headers: { cookie } });
  const [head = "", ...lines] = (await file.text()).split("\r\n");
  expect(head).toMatch(/,resource,route,reference,/);
  const ours = lines.filter((line) => line.includes(`,${books.reference},`));
  expect(ours).toHaveLength(1);
  expect(ours[0]).toContain(`,${books.resource},${books.route ?? ""},${books.reference}`);
}

test.for<[string, OpenShop, string | null]>([
  ["express", openExpressShop, "GET /:any"],
  ["hono", openHonoShop, "GET /:any"],
  ["fastify", openFastifyShop, "GET /report"],
  ["node", openNodeShop, null],
  ["next", openNextShop, null],
])("a sale on %s", async ([name, openShop, route]) => {
  const shop = await openShop(market, "public", {
    reference: ({ url }) => new URL(url).searchParams.get("order") ?? undefined,
  });
  const reference = `${name}-1001`;
  await buy(`${shop.url}?order=${reference}`);
  await expectBooked({ resource: shop.url, route, reference });
  await shop.close();
});

test("a sale of the gateway; a header that cannot be kept costs no sale", async () => {
  const own = { match: "GET /paid/:report", upstream: "api", price, referenceHeader: "X-Order-Id" };
  const gateway = await openGateway(market, { routes: [own] });
  const url = `${gateway.url}/paid/7`;
  await buy(`${url}?who=me`, { "X-Order-Id": "gateway-1001" });
  const route = "GET /paid/:report";
  await expectBooked({ resource: "http://localhost:1/paid/7", route, reference: "gateway-1001" });
  await buy(url, { "X-Order-Id": "x".repeat(65) });
  const { body } = await account.get("/v1/account/settlements?limit=1");
  const [newest] = Array.isArray(body["settlements"]) ? body["settlements"].filter(isObject) : [];
  expect(newest).toMatchObject({ route, reference: null });
  await gateway.stop();
});
