/**
 * Stock buyers at our seller, with channels through our facilitator: what they deposit, are charged and
 * get back is counted on the chain, whatever they forget and whatever fails.
 */
import type { DevnetWallet } from "@farthing/devnet";
import { openStore } from "@farthing/facilitator";
import { isObject, readReceipt, type SettleResponse } from "@farthing/protocol";
import { farthing, type ExpressCharge } from "@farthing/seller/express";
import { listen, type Listening } from "@farthing/seller/testing/listen";
import express from "express";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startMarket, termsOn, type Market } from "../support/market.testing.ts";
import { callUnits, openStockBuyer } from "./stock-channels.testing.ts";

let market: Market;
let shop: Listening;
let charge: ExpressCharge;
const stack = new AsyncDisposableStack();

beforeAll(async () => {
  market = await startMarket();
  stack.defer(() => market.stop());
  const { devnet } = market;
  charge = farthing({
    ...termsOn(market, "hosted"),
    channels: { authorizerKey: devnet.seller.privateKey },
  });
  const app = express();
  let reports = 0;
  const channel = { withdrawDelay: "1d", minDeposit: "0.02", only: true };
  app.get("/report", charge({ price: "0.001", channel }), (req, res) => {
    res.json({ report: ++reports, channel: req.payment?.channel });
  });
  app.get("/metered", charge({ price: "0.001", channel, cost }), (_req, res) => {
    res.set("X-Cost", "0.00025").json({ tokens: 25 });
  });
  app.get("/broken", charge({ price: "0.001", channel }), (_req, res) => {
    res.status(500).json({ error: "broken" });
  });
  app.get("/both", charge({ price: "0.001", channel: true }), (_req, res) => void res.json({}));
  shop = await listen(app);
  stack.defer(() => shop.close());
});

afterAll(() => stack.disposeAsync());

function cost({ headers }: Response): string | null {
  return headers.get("X-Cost");
}

async function schemesAt(path: string): Promise<readonly unknown[]> {
  const body: unknown = await (await fetch(`${shop.url}${path}`)).json();
  const accepts = isObject(body) && Array.isArray(body["accepts"]) ? body["accepts"] : [];
  return accepts.map((entry: unknown) => isObject(entry) && entry["scheme"]);
}

const openBuyer = (wallet?: DevnetWallet) => openStockBuyer(market, wallet);

type Buyer = ReturnType<typeof openBuyer>;

async function call(buyer: Buyer, path = "/report"): Promise<SettleResponse> {
  const response = await buyer.pay(new URL(path, shop.url).href);
  const text = await response.text();
  const receipt = readReceipt(response.headers);
  if (response.status !== 200 || !receipt) throw new Error(`${response.status} ${text}`);
  return receipt;
}

const stateOf = ({ extra }: SettleResponse) => {
  const state = extra?.["channelState"];
  return isObject(state) ? state : {};
};

const chargedOf = (receipt: SettleResponse) => stateOf(receipt)["chargedCumulativeAmount"];

const balanceOf = (address: `0x${string}`) => market.devnet.usdc.balanceOf(address);

test("one deposit pays for many calls; the claim, the sweep and the refund share the money out", async () => {
  const { devnet } = market;
  const buyer = openBuyer();
  const [bought, sold] = [await balanceOf(buyer.address), await balanceOf(devnet.seller.address)];
  for (let nth = 1; nth <= 8; nth++) {
    const receipt = await call(buyer);
    expect(receipt).toMatchObject({ success: true, payer: buyer.address });
    expect(receipt.transaction === "").toBe(nth > 1);
    expect(receipt.amount).toBe(nth > 1 ? "" : "20000");
    expect(receipt.extra).toMatchObject({ chargedAmount: `${callUnits}` });
    expect(chargedOf(receipt)).toBe(`${callUnits * BigInt(nth)}`);
  }
  expect(bought - (await balanceOf(buyer.address))).toBe(20_000n);

  const metered = await call(buyer, "/metered");
  expect(metered.extra).toMatchObject({ chargedAmount: "250" });
  expect(chargedOf(metered)).toBe("8250");
  expect(chargedOf(await call(buyer))).toBe("9250");

  const claimed = await charge.channels.claim();
  expect(claimed.claims).toMatchObject([{ outcome: "done", units: 9_250n }]);
  expect(claimed.sweeps).toMatchObject([{ outcome: "done", units: 9_250n }]);
  expect((await balanceOf(devnet.seller.address)) - sold).toBe(9_250n);
  expect(await charge.channels.claim()).toEqual({ claims: [], sweeps: [] });

  expect(chargedOf(await call(buyer))).toBe("10250");
  const refunded = await buyer.scheme.refund(`${shop.url}/report`);
  expect(refunded).toMatchObject({ success: true, amount: "9750" });
  expect(bought - (await balanceOf(buyer.address))).toBe(10_250n);
  expect(await charge.channels.claim()).toMatchObject({ claims: [], sweeps: [{ units: 1_000n }] });
  expect((await balanceOf(devnet.seller.address)) - sold).toBe(10_250n);

  // The channel goes on from what was charged.
  expect(chargedOf(await call(buyer))).toBe("11250");
});

test("a buyer who has lost count is told it, and goes on without a loss", async () => {
  const first = openBuyer();
  for (let nth = 1; nth <= 3; nth++) await call(first);
  const forgetful = openBuyer(first.wallet);
  expect(chargedOf(await call(forgetful))).toBe("4000");
  // The first program still thinks that three calls were charged.
  expect(chargedOf(await call(first))).toBe("5000");
});

test("a call whose handler fails costs nothing, also where its deposit was made", async () => {
  const buyer = openBuyer();
  const before = await balanceOf(buyer.address);
  const failed = await buyer.pay(`${shop.url}/broken`);
  expect(failed.status).toBe(500);
  const receipt = readReceipt(failed.headers);
  expect(receipt).toMatchObject({ success: true, extra: { chargedAmount: "0" } });
  expect(receipt && chargedOf(receipt)).toBe("0");
  expect(before - (await balanceOf(buyer.address))).toBe(20_000n);
  expect(await call(buyer)).toMatchObject({ transaction: "" });
  const again = await buyer.pay(`${shop.url}/broken`);
  expect(again.status).toBe(500);
  expect(readReceipt(again.headers)).toBeUndefined();
  expect(chargedOf(await call(buyer))).toBe("2000");
});

test("the seller gives back what is left in a channel", async () => {
  const buyer = openBuyer();
  const before = await balanceOf(buyer.address);
  const receipt = await call(buyer);
  const channelId = String(stateOf(receipt)["channelId"]);
  const refund = await charge.channels.refund(channelId);
  expect(refund).toMatchObject({ outcome: "done", units: 19_000n });
  expect(before - (await balanceOf(buyer.address))).toBe(1_000n);
  expect(await charge.channels.refund(channelId)).toEqual({ outcome: "empty" });
});

test("single payments are offered before channels, unless the route has channels only", async () => {
  expect(await schemesAt("/report")).toEqual(["batch-settlement"]);
  expect(await schemesAt("/both")).toEqual(["exact", "exact", "batch-settlement"]);
});

test("with a key, the vault claims for a seller that never comes back, and tells one that lost its records", async () => {
  const { devnet, apiKey } = market;
  const open = () => {
    const keyed = farthing({
      ...termsOn(market, "public"),
      channels: { authorizerKey: devnet.seller.privateKey },
    });
    const channel = { minDeposit: "0.30", only: true };
    const app = express().get("/dear", keyed({ price: "0.06", channel }), (_req, res) => {
      res.json({});
    });
    return serve(app);
  };
  const buyer = openBuyer();
  // What other channels have earned is swept before the count begins.
  await charge.channels.claim();
  const sold = await balanceOf(devnet.seller.address);
  const lost = await open();
  for (const total of ["60000", "120000"]) {
    expect(chargedOf(await call(buyer, `${lost.url}/dear`))).toBe(total);
  }
  await vi.waitFor(async () => expect(await inVault(apiKey, buyer)).toBe("120000"), waiting);
  expect(await revenueByRoute()).toEqual([["GET /dear", 120_000n]]);
  await lost.close();
  const url = `${market.facilitator("public").url}/v1/channels/claim`;
  const headers = { Authorization: `Bearer ${apiKey}` };
  expect((await fetch(url, { method: "POST", headers })).status).toBe(202);
  const earned = async () => (await balanceOf(devnet.seller.address)) - sold;
  await vi.waitFor(async () => expect(await earned()).toBe(120_000n), waiting);

  const fresh = await open();
  expect(chargedOf(await call(buyer, `${fresh.url}/dear`))).toBe("180000");
  await vi.waitFor(async () => expect(await inVault(apiKey, buyer)).toBe("180000"), waiting);
  const third = await open();
  // The chain still says 120000, and the buyer could sign that once more.
  const forgetful = openBuyer(buyer.wallet);
  expect(chargedOf(await call(forgetful, `${third.url}/dear`))).toBe("240000");
});

async function serve(app: express.Express): Promise<Listening> {
  const opened = await listen(app);
  stack.defer(() => opened.close());
  return opened;
}

/** The claimer looks every ten seconds, and its transaction and the sweep take some blocks. */
const waiting = { timeout: 40_000, interval: 200 };

/** What the seller's account has sold by channels this month. */
async function revenueByRoute() {
  const { databaseUrl, devnet, network } = market;
  const [year = 0, month = 0] = new Date().toISOString().split("-").map(Number);
  const of = { chainId: network.chainId, basis: "route", month: year * 12 + month - 1 } as const;
  const store = await openStore(databaseUrl);
  const { items } = await store.listRevenue(devnet.seller.address, of, { limit: 9 });
  await store.close();
  return items.map(({ name, units }) => [name, units]);
}

async function inVault(apiKey: string, { address }: Buyer): Promise<unknown> {
  const url = `${market.facilitator("public").url}/v1/channels/vouchers?network=${market.network.id}`;
  const answer = await fetch(url, { headers: { Authorization: `Bearer ${apiKey}` } });
  const body: unknown = await answer.json();
  const rows = isObject(body) && Array.isArray(body["vouchers"]) ? body["vouchers"] : [];
  const own = rows.filter(isObject).find(({ channelConfig }) => {
    return isObject(channelConfig) && channelConfig["payer"] === address;
  });
  return own?.["charged"];
}
