/**
 * A gateway that sells by channels, to stock buyers and to ours: fixed prices, costs from a header and
 * from the usage of an upstream, a top-up, a refund and a reload; all money counted on the chain.
 */
import { memoryLedger, privateKeySigner, wrapFetch } from "@farthing/buyer";
import { isObject, readReceipt, type JsonObject, type SettleResponse } from "@farthing/protocol";
import { farthing } from "farthing/testing";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import {
  configOf,
  openGateway,
  type GatewayChanges,
  type GatewayShop,
} from "../support/gateway.testing.ts";
import { startMarket, type Market } from "../support/market.testing.ts";
import { openStockBuyer, sentCount } from "./stock-channels.testing.ts";

let market: Market;
let shop: GatewayShop;
const stack = new AsyncDisposableStack();

const channel = { minDeposit: "0.003", only: true };
/** A thousand tokens of input cost 150 base units, of output 600. */
const costFrom = { usage: { inputPerMillion: "0.15", outputPerMillion: "0.60" } };
const sold = (match: string, more: JsonObject = {}) => ({
  match,
  upstream: "api",
  price: "0.001",
  channel,
  ...more,
});
const routes = [
  sold("GET /fixed"),
  sold("GET /header", { channel: { ...channel, costHeader: "X-Units" } }),
  sold("GET /both", { channel: { minDeposit: "0.003", costHeader: "X-Units" } }),
  sold("POST /chat", { costFrom }),
  sold("POST /stream", { costFrom, stream: "sse" }),
];

beforeAll(async () => {
  market = await startMarket({ env: { FARTHING_CHANNEL_SECRET: "5".repeat(64) } });
  stack.defer(() => market.stop());
  const channels = { authorizerKey: market.devnet.seller.privateKey };
  shop = await openGateway(market, { face: "hosted", routes, more: { channels } });
  stack.defer(() => shop.stop());
});

beforeEach(() => shop.api.reset());

afterAll(() => stack.disposeAsync());

type Pay = (url: string, init?: RequestInit) => Promise<Response>;

async function call(pay: Pay, path: string, init?: RequestInit) {
  const response = await pay(`${shop.url}${path}`, init);
  const text = await response.text();
  const receipt = readReceipt(response.headers);
  if (response.status !== 200 || !receipt) throw new Error(`${response.status} ${text}`);
  return { response, text, receipt };
}

const chargedBy = ({ extra }: SettleResponse): readonly unknown[] => {
  const state = extra?.["channelState"];
  return [extra?.["chargedAmount"], isObject(state) && state["chargedCumulativeAmount"]];
};

const spentBy = async (address: `0x${string}`, before: bigint) =>
  before - (await market.devnet.usdc.balanceOf(address));

test("a stock buyer deposits, calls, deposits again when it is used up, and gets the rest back", async () => {
  const buyer = openStockBuyer(market);
  const before = await market.devnet.usdc.balanceOf(buyer.address);
  const sent = await sentCount(market);
  const deposits: unknown[] = [];
  for (let nth = 1; nth <= 5; nth++) {
    const { receipt, text } = await call(buyer.pay, "/fixed");
    expect(chargedBy(receipt)).toEqual(["1000", `${nth * 1_000}`]);
    expect(JSON.parse(text)).toEqual({ report: nth });
    if (receipt.amount !== "") deposits.push(receipt.amount);
  }
  expect(deposits).toEqual(["3000", "3000"]);
  expect(await spentBy(buyer.address, before)).toBe(6_000n);
  const refund = await buyer.scheme.refund(`${shop.url}/fixed`);
  expect(refund).toMatchObject({ success: true, amount: "1000" });
  expect(await spentBy(buyer.address, before)).toBe(5_000n);
  expect((await sentCount(market)) - sent).toBe(3);
  // The upstream learns whose channel it is, and that the refund is no request of its own.
  expect(shop.api.heard).toHaveLength(5);
  expect(shop.api.heard[4]?.headers).toMatchObject({
    "x-payment-payer": buyer.address,
    "x-payment-amount": "1000",
    "x-payment-channel": expect.stringMatching(/^0x[0-9a-f]{64}$/),
  });
});

test("one channel pays for all routes, each request what the upstream's header says", async () => {
  const buyer = openStockBuyer(market);
  expect(chargedBy((await call(buyer.pay, "/fixed")).receipt)).toEqual(["1000", "1000"]);
  shop.api.answer = (_, response) => response.setHeader("X-Units", "0.00025").end("content");
  const headers = { "X-Units": "0.000001" };
  const metered = await call(buyer.pay, "/header", { headers });
  expect(chargedBy(metered.receipt)).toEqual(["250", "1250"]);
  expect([metered.text, metered.response.headers.get("X-Units")]).toEqual(["content", null]);
  // An upstream that returns what it was sent would let the buyer name the cost.
  expect(shop.api.heard.at(-1)?.headers["x-units"]).toBeUndefined();
  shop.api.answer = (_, response) => response.setHeader("X-Units", "7").end();
  expect(chargedBy((await call(buyer.pay, "/header")).receipt)).toEqual(["1000", "2250"]);
  shop.api.answer = (_, response) => response.writeHead(503, { "X-Units": "0.0005" }).end();
  const failed = await buyer.pay(`${shop.url}/header`);
  expect([failed.status, failed.headers.get("X-Units")]).toEqual([503, null]);
  shop.api.reset();
  expect(chargedBy((await call(buyer.pay, "/fixed")).receipt)).toEqual(["1000", "3250"]);
});

test("a single payment costs the price, and its buyer sees no cost either", async () => {
  shop.api.answer = (_, response) => response.setHeader("X-Units", "0.00025").end("content");
  const { privateKey } = market.newBuyer();
  const pay = wrapFetch(fetch, { signer: privateKeySigner(privateKey), ledger: memoryLedger() });
  const { response, receipt } = await call(pay, "/both");
  expect(response.headers.get("X-Units")).toBeNull();
  expect(receipt).toMatchObject({ success: true, transaction: expect.stringMatching(/^0x/) });
  expect(receipt.extra).not.toHaveProperty("chargedAmount");
});

const usage = { prompt_tokens: 1_000, completion_tokens: 500 };

test("usage is charged of a whole body, also of an event stream that is sent at once", async () => {
  const buyer = openStockBuyer(market);
  const chat = (path: string, stream: boolean) =>
    call(buyer.pay, path, { method: "POST", body: JSON.stringify({ messages: [], stream }) });
  shop.api.answer = (_, response) => response.end(JSON.stringify({ usage }));
  expect(chargedBy((await chat("/chat", false)).receipt)).toEqual(["450", "450"]);
  const events = `data: {"choices":[{}]}\n\ndata: ${JSON.stringify({ usage })}\n\ndata: [DONE]\n\n`;
  shop.api.answer = (_, response) =>
    response.writeHead(200, { "Content-Type": "text/event-stream" }).end(events);
  const streamed = await chat("/chat", true);
  expect([streamed.text, chargedBy(streamed.receipt)]).toEqual([events, ["450", "900"]]);
  const asked: unknown = JSON.parse(shop.api.heard.at(-1)?.body ?? "");
  expect(asked).toMatchObject({ stream_options: { include_usage: true } });
  const live = await chat("/stream", true);
  expect([live.text, chargedBy(live.receipt)]).toEqual([events, ["1000", "1900"]]);
});

test("our buyer opens a channel where it pays off, and a new price is charged to the same one", async () => {
  const { privateKey, address } = market.newBuyer();
  const before = await market.devnet.usdc.balanceOf(address);
  const { rpcUrl } = market.devnet;
  const options = { signer: privateKeySigner(privateKey), ledger: memoryLedger(), rpcUrl };
  const pay = wrapFetch(fetch, options);
  shop.api.answer = (_, response) => response.setHeader("X-Units", "0.0005").end("content");
  const kinds: string[] = [];
  for (let nth = 0; nth < 5; nth++) {
    const { receipt } = await call(pay, "/both");
    kinds.push(receipt.extra?.["chargedAmount"] === undefined ? "payment" : "channel");
  }
  expect(kinds).toEqual(["payment", "payment", "payment", "channel", "channel"]);

  shop.reloadWith({ routes: [sold("GET /both", { price: "0.0015", channel: true })] });
  expect(chargedBy((await call(pay, "/both")).receipt)).toEqual(["1500", "2500"]);
  const [held] = await pay.channels.list();
  if (!held) throw new Error("There is a channel.");
  expect(await pay.channels.refund(held.channelId)).toMatchObject({ state: "refunded", left: "0" });
  expect(await spentBy(address, before)).toBe(3_000n + 2_500n);
  shop.reloadWith({ routes });
});

test("an operator without an API key claims and refunds, and the next start claims what is left", async () => {
  const { devnet } = market;
  const folder = mkdtempSync(join(tmpdir(), "farthing-gateway-channels-"));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const more = {
    channels: { authorizerKey: devnet.seller.privateKey },
    store: `sqlite:${join(folder, "gateway.db")}`,
  };
  const changes: GatewayChanges = { face: "hosted", routes: [sold("GET /fixed")], more };
  const running = await openGateway(market, changes);
  const file = join(folder, "gateway.json");
  writeFileSync(file, JSON.stringify(configOf(market, running.api, changes)));
  const operate = async (...command: string[]): Promise<unknown> => {
    const words = ["gateway", "channels", ...command, "-c", file, "--json"];
    const { stdout, stderr } = await farthing(words);
    expect(stderr).toBe("");
    return JSON.parse(stdout);
  };
  const buyer = openStockBuyer(market);
  const pay = async (as: typeof buyer) => (await as.pay(`${running.url}/fixed`)).status;
  expect([await pay(buyer), await pay(buyer)]).toEqual([200, 200]);
  const listed = await operate("list");
  expect(listed).toMatchObject([
    { payer: buyer.address, unclaimedUsdc: "0.002000", leftUsdc: "0.001000" },
  ]);
  expect(await operate("claim")).toMatchObject([
    { what: "claim", outcome: "done", amountUsdc: "0.002000", channels: 1 },
    { what: "sweep", outcome: "done", receiver: devnet.seller.address },
  ]);
  const [first] = Array.isArray(listed) ? listed.filter(isObject) : [];
  const id = String(first?.["channelId"]);
  expect(await operate("refund", id)).toMatchObject({ outcome: "done", amountUsdc: "0.001000" });
  expect(await pay(openStockBuyer(market))).toBe(200);
  await running.stop();

  const said: object[] = [];
  const note = (fields: object) => void said.push(fields);
  const log = { info: note, warn: note, error: note };
  const next = await openGateway(market, { ...changes, log });
  try {
    await vi.waitFor(() => {
      const claimed = { event: "channels_claimed", channels: 1, amountUnits: "1000" };
      expect(said).toContainEqual(expect.objectContaining(claimed));
      expect(said).toContainEqual(expect.objectContaining({ event: "claims_swept" }));
    }, 20_000);
  } finally {
    await next.stop();
  }
});

test("a refund opens nothing at a proxy that serves the requests", async () => {
  const { devnet } = market;
  const proxied = await openGateway(market, {
    face: "hosted",
    routes: [sold("GET /fixed", { upstream: "site" })],
    more: {
      channels: { authorizerKey: devnet.seller.privateKey },
      trustedProxies: ["127.0.0.1"],
      upstreams: { site: { servedByProxy: true } },
    },
  });
  const statuses: number[] = [];
  const asProxy: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (readReceipt(response.headers)) statuses.push(response.status);
    return response;
  };
  const { privateKey } = market.newBuyer();
  const { rpcUrl } = devnet;
  const options = { signer: privateKeySigner(privateKey), ledger: memoryLedger(), rpcUrl };
  const pay = wrapFetch(asProxy, { ...options, channels: { use: "always" } });
  try {
    await pay(`${proxied.url}/__x402/authorize/fixed`);
    const [held] = await pay.channels.list();
    if (!held) throw new Error("There is a channel.");
    const refund = await pay.channels.refund(held.channelId, { amountUnits: 1n });
    expect(refund).toMatchObject({ state: "refunded", amount: "1" });
    expect(statuses).toEqual([200, 409]);
  } finally {
    await proxied.stop();
  }
});

test("with an API key the facilitator signs, and keeps the voucher of a gateway that stops", async () => {
  const { apiKey, network } = market;
  const keyed = await openGateway(market, { face: "public", routes: [sold("GET /fixed")] });
  const buyer = openStockBuyer(market);
  try {
    const { status } = await buyer.pay(`${keyed.url}/fixed`);
    expect(status).toBe(200);
  } finally {
    await keyed.stop();
  }
  const url = `${market.facilitator("public").url}/v1/channels/vouchers?network=${network.id}`;
  const answer = await fetch(url, { headers: { Authorization: `Bearer ${apiKey}` } });
  expect(await answer.json()).toMatchObject({
    vouchers: [{ channelConfig: { payer: buyer.address }, charged: "1000" }],
  });
});
