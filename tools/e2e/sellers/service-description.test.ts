/** Peers written from the service description alone buy from our parts and sell to them. */
import { privateKeySigner, wrapFetch } from "@farthing/buyer";
import type { DevnetWallet } from "@farthing/devnet";
import { decodeHeader } from "@farthing/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openGateway } from "../support/gateway.testing.ts";
import { startMarket, type Market } from "../support/market.testing.ts";
import {
  buyAsDescribed,
  openDescribedFacilitator,
  openDescribedShop,
  type Constants,
} from "./service-description.testing.ts";
import { openExpressShop, openHonoShop, type OpenShop } from "../support/shops.testing.ts";

let market: Market;
let constants: Constants;
beforeAll(async () => {
  market = await startMarket({ buyers: 16 });
  const { chainId, label, usdc } = market.network;
  constants = { chainId, label, usdc };
});
afterAll(() => market?.stop());

const openGatewayShop: OpenShop = async (on, face) => {
  const { url, api, stop } = await openGateway(on, { face });
  return { url: `${url}/paid/report`, made: () => api.heard.length, close: stop };
};

const described = (version: 1 | 2) => (url: string, wallet: DevnetWallet) =>
  buyAsDescribed(url, wallet, constants, version);
const ours =
  (prefer: "v1" | "v2") =>
  (url: string, { privateKey }: DevnetWallet) =>
    wrapFetch(fetch, { signer: privateKeySigner(privateKey), prefer })(url);

describe("a buyer", () => {
  const shops = [
    ["our Express seller, public", openExpressShop, "public"],
    ["our Hono seller, hosted", openHonoShop, "hosted"],
    ["our gateway, public", openGatewayShop, "public"],
  ] as const;
  test.concurrent.for(
    shops.flatMap((shop) => [2, 1].map((version) => [version, ...shop] as const)),
  )("pays version %d to %s", async ([version, , open, face]) => {
    const shop = await open(market, face);
    const buyer = market.newBuyer();
    const response = await buyAsDescribed(shop.url, buyer, constants, version === 1 ? 1 : 2);
    expect(await response.clone().json()).toEqual({ report: 1 });
    const { transaction } = await market.expectPaidOnce(response, buyer.address);
    for (const name of ["X-PAYMENT-RESPONSE", "PAYMENT-RESPONSE"]) {
      const receipt = decodeHeader(response.headers.get(name))?.value;
      expect(receipt).toMatchObject({ success: true, transaction, network: expect.any(String) });
    }
    await shop.close();
  });
});

describe("a seller that checks the top-level scheme and network", () => {
  const buyers = [
    ["our buyer, version 2", ours("v2"), ["public", "hosted"]],
    ["a hand-written buyer, flat version 2", described(2), ["public", "hosted"]],
    // The public surface serves version 2 alone, and this seller passes on what it was sent.
    ["our buyer, version 1", ours("v1"), ["hosted"]],
    ["a hand-written buyer, version 1", described(1), ["hosted"]],
  ] as const;
  const sales = buyers.flatMap(([name, buy, faces]) =>
    faces.map((face) => [name, face, buy] as const),
  );
  test.concurrent.for(sales)("sells to %s through our %s surface", async ([, face, buy]) => {
    const shop = await openDescribedShop({
      ...constants,
      payTo: market.devnet.seller.address,
      units: "10000",
      facilitator: market.facilitator(face),
    });
    const buyer = market.newBuyer();
    const response = await buy(shop.url, buyer);
    expect([response.status, shop.heard]).toMatchObject([200, expect.any(Array)]);
    expect(await response.json()).toEqual({ report: 1 });
    const [transfer, ...more] = await market.transfers(buyer.address);
    expect(more).toEqual([]);
    const receipt = decodeHeader(response.headers.get("payment-response"))?.value;
    expect(receipt).toMatchObject({ success: true, transaction: transfer?.transaction });
    // The public surface answers before the block; the seller found the outcome by its id.
    const polls = shop.heard.filter(({ path }) => path.startsWith("/settlements/"));
    expect(polls.length > 0).toBe(face === "public");
    await shop.close();
  });
});

describe("a facilitator whose /settle answers { id } alone", () => {
  const sales = [
    [
      "Express",
      "status and transaction",
      openExpressShop,
      (transaction: string, isMined: boolean) => ({
        status: isMined ? "confirmed" : "pending",
        ...(isMined ? { transaction } : {}),
      }),
    ],
    [
      "the gateway",
      "confirmed and transactionHash",
      openGatewayShop,
      (transactionHash: string, confirmed: boolean) => ({ confirmed, transactionHash }),
    ],
  ] as const;
  // One after the other: they share the node's account, and with it its nonces.
  test.for(sales)("serves our seller on %s; its record has %s", async ([, , open, record]) => {
    const facilitator = await openDescribedFacilitator(market.devnet, constants, record);
    const on: Market = {
      ...market,
      facilitator: () => ({ url: facilitator.url, apiKey: "any" }),
    };
    const shop = await open(on, "public");
    const buyer = market.newBuyer();
    const response = await ours("v2")(shop.url, buyer);
    expect([response.status, facilitator.asked]).toMatchObject([200, expect.any(Array)]);
    expect(await response.clone().json()).toEqual({ report: 1 });
    const [transfer, ...more] = await market.transfers(buyer.address);
    expect(more).toEqual([]);
    const receipt = decodeHeader(response.headers.get("payment-response"))?.value;
    expect(receipt).toMatchObject({ success: true, transaction: transfer?.transaction });
    expect(facilitator.asked.filter((one) => one === "POST /settle")).toHaveLength(1);
    expect(facilitator.asked).toContain("GET /settlements/{id}");
    await shop.close();
    await facilitator.close();
  });
});
