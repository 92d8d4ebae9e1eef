/** The gateway with the engine inside hands out what its own engine has stored, before any block. */
import { readReceipt } from "@farthing/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openGateway, startEngine, type GatewayShop } from "../support/gateway.testing.ts";
import { startMarket, type Market } from "../support/market.testing.ts";
import { signFor } from "../support/signed-payment.testing.ts";

let market: Market;
let engine: Awaited<ReturnType<typeof startEngine>>;
let shop: GatewayShop;
beforeAll(async () => {
  market = await startMarket({ ownFacilitator: false });
  engine = await startEngine(market);
  const more = { serveWhen: "queued" };
  shop = await openGateway(market, { embedded: engine.facilitator, more });
});
afterAll(async () => {
  await shop?.stop();
  await engine?.stop();
  await market?.stop();
});

test("a paid answer goes out before the block, and its repeat has the confirmed receipt", async () => {
  const buyer = market.newBuyer();
  const url = `${shop.url}/paid/report`;
  const headers = await signFor(buyer, url);
  // No block comes until the answer is here.
  await market.devnet.rpc("evm_setIntervalMining", [0]);
  const response = await fetch(url, { headers });
  expect([response.status, await response.json()]).toEqual([200, { report: 1 }]);
  expect(readReceipt(response.headers)).toMatchObject({ success: false, status: "pending" });
  expect(await market.transfers(buyer.address)).toEqual([]);
  await market.devnet.rpc("evm_setIntervalMining", [market.devnet.blockTimeSeconds]);
  const confirmed = async (): Promise<Response> => {
    const again = await fetch(url, { headers });
    return readReceipt(again.headers)?.success === true ? again : confirmed();
  };
  const again = await confirmed();
  expect(await again.clone().json()).toEqual({ report: 1 });
  await market.expectPaidOnce(again, buyer.address);
  expect(shop.api.heard).toHaveLength(1);
});
