/** The facilitator dies in the middle of a payment and comes back: one transfer, one report. */
import { privateKeySigner, wrapFetch } from "@farthing/buyer";
import { buyerVariables } from "@farthing/protocol";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import {
  serveFacilitator,
  type FacilitatorProcess,
} from "../support/facilitator-process.testing.ts";
import { startMarket, type Market } from "../support/market.testing.ts";
import { openExpressShop } from "../support/shops.testing.ts";

let market: Market;
let running: FacilitatorProcess;
let kills = 0;
beforeAll(async () => {
  market = await startMarket({ ownFacilitator: false });
});
afterAll(() => market?.stop());
beforeEach(async () => {
  kills = 0;
  market.tap.loses = () => false;
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
  ["the transfer is mined, and the seller does not know", /^POST \/settle$/, "public"],
  ["the transfer is mined, and the seller does not know", /^POST \/settle$/, "hosted"],
  ["nothing has happened yet", /^POST \/verify$/, "public"],
] as const)("killed when %s: %s %s", async (_when, name, face) => {
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

/** Begins a sale whose payment stays under way until a block is mined. */
async function sellUnmined(face: "public" | "hosted") {
  const { rpc } = market.devnet;
  await rpc("evm_setIntervalMining", [600]);
  const shop = await openExpressShop(market, face);
  const buyer = market.newBuyer();
  const paying = wrapFetch(fetch, { signer: privateKeySigner(buyer.privateKey) })(shop.url);
  const isSent = async () =>
    expect(await rpc("txpool_status")).toEqual({ pending: "0x1", queued: "0x0" });
  await vi.waitFor(isSent, { timeout: 60_000, interval: 20 });
  return { shop, buyer, paying };
}

test("killed when the transfer is out, and the seller waits for it", async () => {
  const { shop, buyer, paying } = await sellUnmined("public");
  await running.kill();
  await restart();
  await market.devnet.rpc("evm_setIntervalMining", [1]);
  const response = await paying;
  expect(await response.clone().json()).toEqual({ report: 1 });
  await market.expectPaidOnce(response, buyer.address);
  await shop.close();
});

test("told to stop, it finishes the payment under way and ends, whoever keeps a connection", async () => {
  const { rpc, mine } = market.devnet;
  const { shop, buyer, paying } = await sellUnmined("hosted");
  const stopped = running.stop();
  await mine();
  const response = await paying;
  await market.expectPaidOnce(response, buyer.address);
  expect(await stopped).toBe(0);
  await rpc("evm_setIntervalMining", [1]);
  await shop.close();
});

test("the settings of a buyer in the same environment keep it from nothing", async () => {
  await running.kill();
  const theirs = Object.values(buyerVariables).map((name): [string, string] => [name, "x"]);
  running = await serveFacilitator(market, Object.fromEntries(theirs));
  expect((await fetch(`${running.url}/health`)).status).toBe(200);
  expect(await running.stop()).toBe(0);
});
