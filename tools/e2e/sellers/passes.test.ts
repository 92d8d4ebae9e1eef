/**
 * Whoever sells, whoever buys: a pass that one payment has bought opens as many requests as it says,
 * and the next request is asked to pay. Our buyer shows its token, the stock buyer signs in.
 */
import { privateKeySigner, wrapFetch, type Signer } from "@farthing/buyer";
import type { DevnetWallet } from "@farthing/devnet";
import { deploySafe, designSafe, placeSafe, signBySafe } from "@farthing/devnet/testing/safe";
import { authorizationDigest, hashOfSignedText, type Hex } from "@farthing/protocol";
import { wrapFetchWithSIWx } from "@x402/extensions/sign-in-with-x";
import { ExactEvmScheme } from "@x402/evm";
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { privateKeyToAccount } from "viem/accounts";
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
  type Shop,
} from "../support/shops.testing.ts";

const publicUrl = "https://shop.example";
const uses = 3;
const pass = { uses, validFor: "1h" };

const openGatewayShop: OpenShop = async (market, face) => {
  const routes = [{ match: "GET /paid/:report", upstream: "api", price, passes: pass }];
  const { url, api, stop } = await openGateway(market, { face, routes, more: { publicUrl } });
  return { url: `${url}/paid/report`, made: () => api.heard.length, close: stop };
};

let market: Market;
beforeAll(async () => {
  market = await startMarket();
});
afterAll(() => market?.stop());

type Send = (url: string) => Promise<Response>;
type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** Pays at most once; a further payment is beyond its limit, and the last response a 402. */
function ownBuyer(shop: Fetch, { privateKey }: DevnetWallet): Send {
  let last = new Response();
  const seen: typeof fetch = async (input, init) => (last = await shop(input, init));
  const pay = wrapFetch(seen, { signer: privateKeySigner(privateKey), limits: { perDay: price } });
  return (url) => pay(url).catch(() => last);
}

/** The published clients, one in the other; after the last use without the one that pays. */
function stockBuyer(shop: Fetch, { privateKey }: DevnetWallet): Send {
  const account = privateKeyToAccount(privateKey);
  const signedIn = wrapFetchWithSIWx(shop, account);
  const client = new x402Client().register(market.network.id, new ExactEvmScheme(account));
  const paying = wrapFetchWithPayment(signedIn, client);
  let sent = 0;
  return (url) => (sent++ === 0 ? paying(url) : signedIn(url));
}

/** A shop behind its public address: the way of a proxy, which no response tells. */
function behindProxy({ url: address }: Pick<Shop, "url">): Fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const response = await fetch(new Request(address, request));
    return new Response(response.body, response);
  };
}

test.for<[string, OpenShop]>([
  ["Express", openExpressShop],
  ["Hono", openHonoShop],
  ["Fastify", openFastifyShop],
  ["Next.js", openNextShop],
  ["node:http", openNodeShop],
  ["the gateway", openGatewayShop],
])("sold by %s", async ([name, openShop]) => {
  const shop = await openShop(market, "public", { pass, publicUrl });
  // The helper of Express names its own address as the public one.
  const url = name === "Express" ? shop.url : `${publicUrl}${new URL(shop.url).pathname}`;
  const buyAndUse = async (createBuyer: typeof ownBuyer) => {
    const wallet = market.newBuyer();
    const send = createBuyer(behindProxy(shop), wallet);
    const seen: [status: number, left: string | null][] = [];
    for (let nth = 0; nth <= uses; nth++) {
      const response = await send(url);
      seen.push([response.status, response.headers.get("X-Pass-Remaining")]);
      if (!response.bodyUsed) await response.text();
    }
    return { seen, payments: (await market.transfers(wallet.address)).length };
  };
  // Both sign in once more after the last use, and there is no pass to sign in for.
  const opened = ["2", "1", "0"].map((left) => [200, left]);
  const bought = { seen: [...opened, [402, null]], payments: 1 };
  expect(await Promise.all([buyAndUse(ownBuyer), buyAndUse(stockBuyer)])).toEqual([bought, bought]);
  expect(shop.made()).toBe(2 * uses);
  await shop.close();
});

test("a Safe that has lost its token signs in where the gateway has a node", async () => {
  const { devnet, network } = market;
  await placeSafe(devnet);
  const owner = market.newBuyer().privateKey;
  const safe = await designSafe(devnet, [owner], { threshold: 1, saltNonce: 0n });
  await deploySafe(devnet, safe);
  await devnet.usdc.setBalance(safe.address, 10_000n);
  const sign = async (digest: Hex) => signBySafe(network.chainId, safe, digest);
  const signer: Signer = {
    address: safe.address,
    isContract: true,
    signTypedData: ({ message }) => sign(authorizationDigest(network, message)),
    signMessage: ({ message }) => sign(hashOfSignedText(message)),
  };
  const routes = [{ match: "GET /paid/:report", upstream: "api", price, passes: pass }];
  const more = { publicUrl, rpcUrl: devnet.rpcUrl };
  const { url, stop } = await openGateway(market, { routes, more });
  const shop = behindProxy({ url: `${url}/paid/report` });
  const buy = (as: Signer) => wrapFetch(shop, { signer: as })(`${publicUrl}/paid/report`);
  expect(await buy(signer)).toMatchObject({ status: 200, payment: { state: "settled" } });
  // A signature of the owner alone is not the Safe's.
  const { signMessage } = privateKeySigner(owner);
  await expect(
    buy({
      ...signer,
      ...(signMessage && { signMessage }),
      signTypedData: () => Promise.reject(new Error("no")),
    }),
  ).rejects.toThrow();
  expect(await buy(signer)).toMatchObject({
    status: 200,
    payment: { state: "not_required", pass: { remaining: 1 } },
  });
  expect(await market.transfers(safe.address)).toHaveLength(1);
  await stop();
});
