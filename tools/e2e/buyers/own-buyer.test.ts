/** Our buyer pays our sellers: both versions, both faces, plain and contract wallets. */
import { contractWalletSigner, privateKeySigner, wrapFetch } from "@farthing/buyer";
import { readReceipt } from "@farthing/protocol";
import * as SignatureErc6492 from "ox/erc6492/SignatureErc6492";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startMarket, type Market } from "../support/market.testing.ts";
import { openExpressShop, openHonoShop } from "../support/shops.testing.ts";

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

test.each(["v1", "v2"] as const)(
  "a seller that demands bound payments is paid by %s",
  async (prefer) => {
    const shop = await openExpressShop(market, "hosted", { requireBinding: true });
    const signer = privateKeySigner(market.newBuyer().privateKey);
    const { payment } = await wrapFetch(fetch, { signer, prefer })(shop.url);
    expect(payment.state).toBe("settled");
    await shop.close();
  },
);

test("a wallet that has lost the token of its pass signs in, and uses the new token", async () => {
  const pass = { uses: 4, validFor: "1h" };
  const shop = await openExpressShop(market, "hosted", { pass });
  const shown: string[][] = [];
  const watching: typeof fetch = (input, init) => {
    const { headers } = new Request(input, init);
    const names = ["payment-signature", "payment-pass", "sign-in-with-x"];
    shown.push(names.filter((name) => headers.has(name)));
    return fetch(input, init);
  };
  const signer = privateKeySigner(market.newBuyer().privateKey);
  expect((await wrapFetch(watching, { signer })(shop.url)).payment.state).toBe("settled");
  shown.length = 0;
  const later = wrapFetch(watching, { signer });
  for (const remaining of [2, 1]) {
    const { payment } = await later(shop.url);
    expect(payment).toMatchObject({ state: "not_required", pass: { remaining } });
  }
  expect(shown).toEqual([[], ["sign-in-with-x"], ["payment-pass"]]);
  await shop.close();
});

test("an empty wallet is told that it is empty, with a node before it signs and without one after", async () => {
  const shop = await openExpressShop(market, "hosted");
  const signer = privateKeySigner(`0x${"0e".repeat(32)}`);
  const { rpcUrl } = market.devnet;
  await expect(wrapFetch(fetch, { signer, rpcUrl })(shop.url)).rejects.toMatchObject({
    problem: { error: "insufficient_balance", payment_state: "unused" },
  });
  const { payment } = await wrapFetch(fetch, { signer, rpcUrl: "none" })(shop.url);
  const problem = "problem" in payment ? payment.problem : undefined;
  expect(problem?.error).toBe("payment_refused");
  expect(problem?.message).toContain("insufficient_funds");
  expect(problem?.message).not.toContain("not known");
  await shop.close();
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

  test("pays with a signature that is wrapped as before it was deployed (ERC-6492)", async () => {
    const shop = await openExpressShop(market, "public");
    const { address, owner } = market.devnet.smartWallet;
    const before = await market.transfers(address);
    const inner = contractWalletSigner(address, privateKeySigner(owner.privateKey));
    const signer: typeof inner = {
      ...inner,
      async signTypedData(data) {
        const signature = await inner.signTypedData(data);
        return SignatureErc6492.wrap({ to: address, data: "0xc0ffee", signature });
      },
    };
    const response = await wrapFetch(fetch, { signer })(shop.url);
    expect(response.status).toBe(200);
    const { transaction } = readReceipt(response.headers) ?? {};
    const made = (await market.transfers(address)).slice(before.length);
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
