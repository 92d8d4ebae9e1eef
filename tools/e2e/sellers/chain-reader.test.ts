/**
 * Somebody who reads the chain: the payment's authorization is in the calldata of its settlement, and
 * the challenge is public. What the published buyer has paid for stays the published buyer's.
 */
import type { DevnetWallet } from "@farthing/devnet";
import { headerNames, readReceipt } from "@farthing/protocol";
import { payloadOf, rebuildFromChain } from "@farthing/seller/testing/buyer";
import { ExactEvmScheme } from "@x402/evm";
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fetchPaid } from "../support/buyers.testing.ts";
import { openGateway } from "../support/gateway.testing.ts";
import { startMarket, type Market } from "../support/market.testing.ts";
import { openExpressShop, type OpenShop } from "../support/shops.testing.ts";

const openGatewayShop: OpenShop = async (market, face) => {
  const { url, api, stop } = await openGateway(market, { face });
  return { url: `${url}/paid/report`, made: () => api.heard.length, close: stop };
};

let market: Market;
beforeAll(async () => {
  market = await startMarket();
});
afterAll(() => market?.stop());

/** Buys with the published buyer; gives the response and the payment that was sent. */
async function buy(url: string, { privateKey }: DevnetWallet) {
  let sent: Record<string, string> = {};
  const scheme = new ExactEvmScheme(privateKeyToAccount(privateKey));
  const client = new x402Client().register(market.network.id, scheme);
  const watched = fetchPaid((request) => {
    const value = request.headers.get(headerNames.paymentSignature) ?? "";
    sent = { [headerNames.paymentSignature]: value };
    return fetch(request);
  });
  const response = await wrapFetchWithPayment(watched, client)(url);
  return { response, sent };
}

test.each([
  ["our Express seller", openExpressShop],
  ["the gateway", openGatewayShop],
])("gets nothing from %s, which serves its buyer again", async (_seller, openShop) => {
  const shop = await openShop(market, "public");
  try {
    const buyer = market.newBuyer();
    const { response, sent } = await buy(shop.url, buyer);
    expect(await response.clone().json()).toEqual({ report: 1 });
    await market.expectPaidOnce(response, buyer.address);
    // The published buyer echoes the token without knowing what it is.
    expect(payloadOf(sent)).toHaveProperty(["extensions", "request-binding", "info", "token"]);
    const rebuilt = await rebuildFromChain(sent, shop.url);
    const read = await fetch(shop.url, { headers: rebuilt });
    expect([read.status, await read.json()]).toMatchObject([409, { error: "already_delivered" }]);
    expect(readReceipt(read.headers)?.success).toBe(true);
    const again = await fetch(shop.url, { headers: sent });
    expect([again.status, await again.json()]).toEqual([200, { report: 1 }]);
    expect(again.headers.get("X-Payment-Replayed")).toBe("true");
    expect(shop.made()).toBe(1);
  } finally {
    await shop.close();
  }
});
