/** The facilitator dies in the middle of a payment and comes back: one transfer, one report. */
import { privateKeySigner, wrapFetch } from "@farthing/buyer";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { serveFacilitator, type FacilitatorProcess } from "./facilitator-process.testing.ts";
import { startMarket, type Market } from "./market.testing.ts";
import { openExpressShop } from "./shops.testing.ts";

let market: Market;
let running: FacilitatorProcess;
let kills = 0;
beforeAll(async () => {
  market = await startMarket({ ownFacilitator: false });
});
afterAll(() => market?.stop());
beforeEach(async () => {
  kills = 0;
  await restart();
});
afterEach(() => running?.kill());

async function restart(): Promise<void> {
  running = await serveFacilitator(market);
  market.tap.upstream = running.url;
}

/** Kills the facilitator once, in place of the first answer that matches; it comes back at once. */
function killAt(name: RegExp): void {
  market.tap.loses = async (call) => {
    if (kills > 0 || !name.test(call.name)) return false;
    kills++;
    await running.kill();
    await restart();
    return true;
  };
}

test.each([
  ["the transfer is out, and the seller does not know", /^POST \/settle$/, "public"],
  ["the transfer is out, and the seller waits for it", /^GET \/settlements\//, "public"],
  ["the transfer is mined, and the seller does not know", /^POST \/settle$/, "hosted"],
  ["nothing has happened yet", /^POST \/verify$/, "public"],
] as const)("killed when %s", async (_when, name, face) => {
  killAt(name);
  const shop = await openExpressShop(market, face);
  const buyer = market.newBuyer();
  const signer = privateKeySigner(buyer.privateKey);
  const response = await wrapFetch(fetch, { signer })(shop.url);
  expect(await response.clone().json()).toEqual({ report: 1 });
  expect(response.payment).toMatchObject({ state: "settled" });
  await market.expectPaidOnce(response, buyer.address);
  expect([kills, shop.made()]).toEqual([1, 1]);
  await shop.close();
});
