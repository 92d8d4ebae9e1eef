/**
 * A gateway sells an API that knows nothing of payments, to our buyer and to the stock one, through
 * a facilitator elsewhere and with the engine inside.
 */
import { privateKeySigner, wrapFetch } from "@farthing/buyer";
import { readReceipt } from "@farthing/protocol";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { stockBuyer } from "../support/buyers.testing.ts";
import { openGateway, startEngine, type GatewayShop } from "../support/gateway.testing.ts";
import { startMarket, type Market } from "../support/market.testing.ts";

describe.each(["public face", "hosted face", "engine inside"] as const)("with the %s", (mode) => {
  let market: Market;
  let shop: GatewayShop;
  const stack = new AsyncDisposableStack();
  beforeAll(async () => {
    const isInside = mode === "engine inside";
    market = await startMarket({ ownFacilitator: !isInside });
    stack.defer(() => market.stop());
    const engine = isInside ? await startEngine(market) : undefined;
    if (engine) stack.defer(() => engine.stop());
    const face = mode === "hosted face" ? "hosted" : "public";
    shop = await openGateway(market, engine ? { embedded: engine.facilitator } : { face });
    stack.defer(() => shop.stop());
  });
  afterAll(() => stack.disposeAsync());
  beforeEach(() => shop.api.reset());

  test("passes a free route on, with its query and its answer", async () => {
    const response = await fetch(`${shop.url}/free/page?x=%27&y`);
    expect([response.status, await response.json()]).toEqual([200, { report: 1 }]);
    expect(shop.api.heard).toMatchObject([{ method: "GET", target: "/free/page?x=%27&y" }]);
  });

  test.each(["v2", "v1"] as const)("sells to our buyer, %s", async (prefer) => {
    const { address, privateKey } = market.newBuyer();
    const signer = privateKeySigner(privateKey);
    const response = await wrapFetch(fetch, { signer, prefer })(`${shop.url}/paid/7?x=1`);
    expect(await response.clone().json()).toEqual({ report: 1 });
    await market.expectPaidOnce(response, address);
    expect(response.headers.get("Cache-Control")).toBe("private, no-store");
    // The facts, and nothing that could be presented elsewhere.
    const [heard] = shop.api.heard;
    expect(heard?.target).toBe("/paid/7?x=1");
    expect(heard?.headers).toMatchObject({
      "x-payment-payer": address,
      "x-payment-amount": "10000",
      "x-payment-network": market.network.id,
    });
    expect(heard?.headers).not.toHaveProperty("payment-signature");
    expect(heard?.headers).not.toHaveProperty("x-payment");
  });

  test("sells to the stock buyer", async () => {
    const buyer = market.newBuyer();
    const response = await stockBuyer(market, buyer)(`${shop.url}/paid/7`);
    expect(await response.clone().json()).toEqual({ report: 1 });
    await market.expectPaidOnce(response, buyer.address);
  });

  test("sells before the upstream, with the body that was paid for", async () => {
    const { address, privateKey } = market.newBuyer();
    const buy = wrapFetch(fetch, { signer: privateKeySigner(privateKey) });
    const headers = { "Content-Type": "application/json; charset=utf-8" };
    const body = '{"a": "ä" }';
    const response = await buy(`${shop.url}/jobs`, { method: "POST", headers, body });
    expect(await response.clone().json()).toEqual({ report: 1 });
    await market.expectPaidOnce(response, address);
    const settlementId = readReceipt(response.headers)?.extra?.["settlementId"];
    expect(shop.api.heard).toMatchObject([
      { method: "POST", body, headers: { "content-type": headers["Content-Type"] } },
    ]);
    expect(shop.api.heard[0]?.headers["x-payment-id"]).toBe(settlementId);
  });
});
