/**
 * Every pairing of a buyer, a seller and a facilitator of channels, ours and the published ones, but for
 * the published ones alone: a deposit, calls that move nothing, a top-up, a claim, a sweep and a refund,
 * after which each party has on the chain exactly what it should have.
 */
import type { DevnetWallet } from "@farthing/devnet";
import { memoryLedger, privateKeySigner, wrapFetch } from "@farthing/buyer";
import { readReceipt } from "@farthing/protocol";
import { farthing } from "@farthing/seller/express";
import { listen } from "@farthing/seller/testing/listen";
import express from "express";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startMarket, termsOn, type Market } from "../support/market.testing.ts";
import {
  callUnits,
  openStockBuyer,
  openStockFacilitator,
  openStockShop,
} from "./stock-channels.testing.ts";

type Maker = "our" | "stock";

/** Two more than a deposit pays for. */
const calls = 12n;

interface Shop {
  readonly url: string;
  /** Claims what was charged. */
  claim(): Promise<unknown>;
  /** Has what is claimed sent to the seller. */
  sweep(): Promise<unknown>;
}

interface Buyer {
  /** Calls once; returns whether a deposit was made for it. */
  call(url: string): Promise<boolean>;
  /** Has what is left of its channel paid back. */
  refund(url: string): Promise<unknown>;
}

let market: Market;
let facilitators: Record<Maker, { readonly url: string }>;
const stack = new AsyncDisposableStack();

beforeAll(async () => {
  market = await startMarket({ buyers: 20 });
  stack.defer(() => market.stop());
  const stock = await openStockFacilitator(market, market.newBuyer());
  stack.defer(() => stock.close());
  facilitators = { our: market.facilitator("hosted"), stock };
});

afterAll(() => stack.disposeAsync());

async function openOurShop(by: Maker, seller: DevnetWallet): Promise<Shop> {
  const charge = farthing({
    ...termsOn(market, "hosted"),
    facilitator: facilitators[by],
    payTo: seller.address,
    channels: { authorizerKey: seller.privateKey },
  });
  const route = { price: "0.001", channel: { only: true } };
  const app = express().get("/report", charge(route), (_req, res) => void res.json({}));
  const shop = await listen(app);
  stack.defer(() => shop.close());
  // One call does both, and nothing is left to claim when money is only sent.
  const claim = () => charge.channels.claim();
  const sweep = async () => expect((await claim()).claims).toEqual([]);
  return { url: `${shop.url}/report`, claim, sweep };
}

async function openShop(of: Maker, by: Maker, seller: DevnetWallet): Promise<Shop> {
  if (of === "our") return openOurShop(by, seller);
  const { url, close, manager } = await openStockShop(market, facilitators[by], seller);
  stack.defer(close);
  const [claim, sweep] = [() => manager.claim(), () => manager.settle()];
  return { url: `${url}/report`, claim, sweep };
}

function openBuyer(of: Maker, wallet: DevnetWallet): Buyer {
  if (of === "stock") {
    const { pay, scheme } = openStockBuyer(market, wallet);
    return {
      async call(url) {
        const response = await pay(url);
        const receipt = readReceipt(response.headers);
        if (!receipt?.success) throw new Error(`${response.status} ${await response.text()}`);
        return receipt.transaction !== "";
      },
      refund: (url) => scheme.refund(url),
    };
  }
  const pay = wrapFetch(fetch, {
    signer: privateKeySigner(wallet.privateKey),
    rpcUrl: market.devnet.rpcUrl,
    ledger: memoryLedger(),
    channels: { depositMax: "0.01" },
  });
  return {
    async call(url) {
      const { payment, status } = await pay(url);
      if (payment.state === "charged") return payment.deposit !== undefined;
      throw new Error(`${status} ${payment.state}`);
    },
    async refund() {
      const [channel] = await pay.channels.list();
      return channel && pay.channels.refund(channel.channelId);
    },
  };
}

const pairings = (["our", "stock"] as const).flatMap((facilitator) =>
  (["our", "stock"] as const).flatMap((buyer) =>
    (["our", "stock"] as const).map((seller) => ({ facilitator, buyer, seller })),
  ),
);
const others = pairings.filter((one) => Object.values(one).includes("our"));

test.concurrent.each(others)(
  "$facilitator facilitator, $buyer buyer, $seller seller",
  async ({ facilitator, buyer: buying, seller: selling }) => {
    const [payer, payee] = [market.newBuyer(), market.newBuyer()];
    const [bought, sold] = [await balanceOf(payer), await balanceOf(payee)];
    const shop = await openShop(selling, facilitator, payee);
    const buyer = openBuyer(buying, payer);
    let deposits = 0;
    for (let nth = 1n; nth < calls; nth++) if (await buyer.call(shop.url)) deposits++;
    expect(deposits).toBe(2);

    await shop.claim();
    await shop.sweep();
    expect((await balanceOf(payee)) - sold).toBe(callUnits * (calls - 1n));

    // What this call is charged is claimed by the refund.
    expect(await buyer.call(shop.url)).toBe(false);
    await buyer.refund(shop.url);
    expect(bought - (await balanceOf(payer))).toBe(callUnits * calls);
    await shop.sweep();
    expect((await balanceOf(payee)) - sold).toBe(callUnits * calls);
  },
);

const balanceOf = ({ address }: DevnetWallet) => market.devnet.usdc.balanceOf(address);
