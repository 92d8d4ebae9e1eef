/** Two facilitators in order on one chain: ours first, then another one of ours or the stock one. */
import { fileURLToPath } from "node:url";
import { privateKeySigner, wrapFetch } from "@farthing/buyer";
import type { DevnetWallet } from "@farthing/devnet";
import { readReceipt } from "@farthing/protocol";
import { readConfig, silentLog, startFacilitator } from "@farthing/facilitator";
import { startServerProcess } from "@farthing/lab/server-process";
import { createSeller, type Seller, type SellerOptions } from "@farthing/seller";
import { listenFetch, type Listening } from "@farthing/seller/testing/listen";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { startTap, type Tap } from "../support/facilitator-tap.testing.ts";
import {
  facilitatorEnvironment,
  startMarket,
  termsOn,
  type Market,
} from "../support/market.testing.ts";

/** Finality takes three blocks of a second; the rest is for a busy machine. */
const finalityMs = 60_000;

const stack = new AsyncDisposableStack();
let market: Market;
const seconds = new Map<string, Tap>();
let shop: Listening;
let made = 0;

beforeAll(async () => {
  market = await startMarket();
  stack.defer(() => market.stop());
  const ours = await startFacilitator({
    config: readConfig({
      env: {
        ...facilitatorEnvironment(market.devnet, "sqlite::memory:"),
        FARTHING_RELAYER_KEYS: (await fundedWallet()).privateKey,
      },
    }),
    log: silentLog,
  });
  stack.defer(() => ours.stop());
  const program = fileURLToPath(new URL("../../bench/reference-server.ts", import.meta.url));
  const stock = startServerProcess({
    argv: ["--conditions=@farthing/source", program, "tuned"],
    addressLine: /^Reference listens on (http\S+)$/,
    env: {
      BENCH_RPC_URL: market.devnet.rpcUrl,
      BENCH_RELAYER_KEY: (await fundedWallet()).privateKey,
    },
  });
  stack.defer(async () => void (await stock.kill()));
  seconds.set("ours", await startTap(`${ours.url}/api/facilitator`));
  seconds.set("stock", await startTap(await stock.listening));
  for (const tap of seconds.values()) stack.defer(() => tap.close());
});
afterAll(() => stack.disposeAsync());
afterEach(async () => {
  market.tap.loses = () => false;
  await shop?.close();
});

/** A wallet with XDC for gas. */
async function fundedWallet(): Promise<DevnetWallet> {
  const wallet = market.newBuyer();
  await market.devnet.rpc("anvil_setBalance", [wallet.address, "0xde0b6b3a7640000"]);
  return wallet;
}

/** Sells through the market's facilitator first, and through the other one after that. */
const openShop = (second: Tap) =>
  openShopOf(sellerWith([market.facilitator("hosted"), { url: second.url }]));

function sellerWith(facilitator: SellerOptions["facilitator"]): Seller {
  const refundSigner = privateKeySigner(market.devnet.seller.privateKey);
  return createSeller({ ...termsOn(market, "hosted"), refundSigner, facilitator });
}

async function openShopOf(seller: Seller): Promise<void> {
  shop = await listenFetch(async (request) => {
    const { response } = await seller.charge(request, () => Response.json({ report: ++made }));
    return response;
  });
}

async function buy() {
  const buyer = market.newBuyer();
  const paying = wrapFetch(fetch, { signer: privateKeySigner(buyer.privateKey) });
  const before = made;
  const response = await paying(`${shop.url}/report`);
  await market.expectPaidOnce(response, buyer.address);
  expect(made).toBe(before + 1);
  return { settlementId: readReceipt(response.headers)?.id ?? "", buyer: buyer.address };
}

test.each(["ours", "stock"])("the first is down: the second one (%s) sells", async (name) => {
  const second = seconds.get(name);
  if (!second) throw new Error("There is no such facilitator.");
  await openShop(second);
  market.tap.loses = () => true;
  second.calls.length = 0;
  await buy();
  expect([second.count("POST /verify"), second.count("POST /settle")]).toEqual([1, 1]);
});

test.each(["ours", "stock"])(
  "the first has sent the transfer, and its response is lost: the second one (%s) is not asked",
  async (name) => {
    const second = seconds.get(name);
    if (!second) throw new Error("There is no such facilitator.");
    await openShop(second);
    let lost = 0;
    market.tap.loses = (call) => call.name === "POST /settle" && lost++ === 0;
    second.calls.length = 0;
    await buy();
    expect([lost > 0, second.calls]).toEqual([true, []]);
  },
);

test("a refund goes to the one that settled the payment, also when the first one is back", async () => {
  const first = seconds.get("ours");
  if (!first) throw new Error("There is no such facilitator.");
  const order = [{ url: first.url }, market.facilitator("public")] as const;
  await openShopOf(sellerWith(order));
  first.loses = () => true;
  const { settlementId, buyer } = await buy();
  first.loses = () => false;
  first.calls.length = 0;
  const before = await market.devnet.usdc.balanceOf(buyer);
  // A seller that starts again knows nothing of the failure, and asks the first one first.
  const refund = await sellerWith(order).refund({ settlementId }, undefined, {
    waitMs: finalityMs,
  });
  expect(refund).toMatchObject({ kind: "refund", status: "confirmed", amount: "10000" });
  expect(await market.devnet.usdc.balanceOf(buyer)).toBe(before + 10_000n);
  // The first one is asked for the payment, which it does not know, and for no refund.
  expect(new Set(first.calls.map(({ name }) => name))).toEqual(
    new Set([`GET /settlements/${settlementId}`]),
  );
});
