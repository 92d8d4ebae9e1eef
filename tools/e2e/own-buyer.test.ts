/** Our buyer pays our sellers: both versions, both faces, plain and contract wallets. */
import { contractWalletSigner, privateKeySigner, wrapFetch } from "@farthing/buyer";
import { readReceipt } from "@farthing/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startMarket, type Market } from "./market.testing.ts";
import { openExpressShop, openHonoShop } from "./shops.testing.ts";

let market: Market;
beforeAll(async () => {
  market = await startMarket();
});
afterAll(() => market?.stop());

describe("a plain wallet", () => {
  test.concurrent.for([
    ["v2", "Express", "public", openExpressShop],
    ["v2", "Express", "hosted", openExpressShop],
    ["v1", "Express", "hosted", openExpressShop],
    // This face serves version 2 alone; the seller speaks that to it whatever the buyer spoke.
    ["v1", "Express", "public", openExpressShop],
    ["v2", "Hono", "public", openHonoShop],
    ["v1", "Hono", "hosted", openHonoShop],
  ] as const)(
    "pays %s to our %s seller through the %s face",
    async ([prefer, , face, openShop]) => {
      const shop = await openShop(market, face);
      const { address, privateKey } = market.newBuyer();
      const response = await wrapFetch(fetch, { signer: privateKeySigner(privateKey), prefer })(
        shop.url,
      );
      expect(await response.clone().json()).toEqual({ report: 1 });
      const { transaction } = await market.expectPaidOnce(response, address);
      expect(response.payment).toMatchObject({
        state: "settled",
        version: prefer === "v1" ? 1 : 2,
        transaction,
        payer: address,
        amountUsdc: "0.010000",
      });
      // The receipt names the network as the payment did.
      const { id, label } = market.network;
      expect(readReceipt(response.headers)?.network).toBe(prefer === "v1" ? label : id);
      await shop.close();
    },
  );
});

describe("a contract wallet", () => {
  test.for([
    ["v2", "public"],
    ["v2", "hosted"],
    ["v1", "hosted"],
    ["v1", "public"],
  ] as const)("pays %s through the %s face with its owner's signature", async ([prefer, face]) => {
    const shop = await openExpressShop(market, face);
    const { address, owner } = market.devnet.smartWallet;
    const before = await market.transfers(address);
    const signer = contractWalletSigner(address, privateKeySigner(owner.privateKey));
    const response = await wrapFetch(fetch, { signer, prefer })(shop.url);
    expect(response.status).toBe(200);
    const made = (await market.transfers(address)).slice(before.length);
    const { transaction } = readReceipt(response.headers) ?? {};
    expect(made).toEqual([{ transaction, units: 10_000n }]);
    await shop.close();
  });

  test("cannot be made to pay by anybody else's signature", async () => {
    const shop = await openExpressShop(market, "public");
    const { address } = market.devnet.smartWallet;
    const before = await market.transfers(address);
    const stranger = privateKeySigner(market.newBuyer().privateKey);
    const signer = contractWalletSigner(address, stranger);
    const response = await wrapFetch(fetch, { signer })(shop.url);
    expect(response.status).toBe(402);
    expect(await response.json()).toMatchObject({ error: "invalid_signature" });
    expect(shop.made()).toBe(0);
    expect(await market.transfers(address)).toEqual(before);
    await shop.close();
  });
});
