/** Content that goes out when the engine of this process has stored the settlement. */
import { readReceipt } from "@farthing/protocol";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { listenFetch, type Listening } from "../adapters/listen.testing.ts";
import { payFor } from "../buyer.testing.ts";
import {
  createSeller,
  type SettlementTiming,
  type SellerEvent,
  type SellerOptions,
} from "../index.ts";
import { payTo } from "../scene.testing.ts";
import {
  confirmedReply,
  pendingReply,
  startScriptedFacilitator,
  transferHash,
  type ScriptedFacilitator,
} from "../scripted-facilitator.testing.ts";

let facilitator: ScriptedFacilitator;
let shop: Listening | undefined;
let events: SellerEvent[];
/** The outcome of the one settlement, as the seller hears of it. */
let outcome: PromiseWithResolvers<SellerEvent>;

beforeEach(async () => {
  facilitator = await startScriptedFacilitator();
  events = [];
  outcome = Promise.withResolvers();
});
afterEach(async () => {
  await shop?.close();
  await facilitator.close();
});

const optionsOf = (more: Partial<SellerOptions> = {}): SellerOptions => ({
  facilitator: { url: facilitator.url, fetch, inProcess: true },
  payTo,
  price: "0.01",
  serveWhen: "queued",
  onEvent: (event) => {
    events.push(event);
    if (event.type === "settled" || event.type === "failed") outcome.resolve(event);
  },
  ...more,
});

async function open(settle: SettlementTiming): Promise<string> {
  const seller = createSeller(optionsOf({ settle }));
  let served = 0;
  shop = await listenFetch((request) =>
    seller
      .charge(request, () => new Response(`content ${++served}`))
      .then(({ response }) => response),
  );
  return shop.url;
}

describe.each(["before-work", "after-success"] as const)("settling %s", (settle) => {
  test("a queued settlement is served, and its outcome follows", async () => {
    const url = await open(settle);
    const isServed = Promise.withResolvers<void>();
    facilitator.script.settle.push(pendingReply("s_1", ""));
    // The engine is asked in the background, and by the repeat.
    facilitator.script.settlement.push(async () => {
      await isServed.promise;
      return confirmedReply();
    }, confirmedReply());
    const headers = await payFor(url);
    const response = await fetch(url, { headers });
    expect([response.status, await response.text()]).toEqual([200, "content 1"]);
    expect(readReceipt(response.headers)).toMatchObject({ success: false, status: "pending" });
    isServed.resolve();
    expect(await outcome.promise).toMatchObject({
      type: "settled",
      payment: { transaction: transferHash },
    });
    const again = await fetch(url, { headers });
    expect(await again.text()).toBe("content 1");
    expect(readReceipt(again.headers)).toMatchObject({ success: true });
  });
});

test("a settlement that fails after all is told to the seller", async () => {
  const url = await open("before-work");
  facilitator.script.settle.push(pendingReply("s_1"));
  const failed = { status: "failed", errorReason: "insufficient_funds", transaction: "" };
  facilitator.script.settlement.push({
    json: { success: false, ...failed, network: "eip155:50" },
  });
  expect((await fetch(url, { headers: await payFor(url) })).status).toBe(200);
  expect(await outcome.promise).toMatchObject({ type: "failed", receipt: failed });
});

test("a settlement of another exchange is not served", async () => {
  const url = await open("before-work");
  const extra = { settlementId: "s_1", replayed: true };
  facilitator.script.settle.push({ json: { ...pendingReply().json, extra } });
  facilitator.script.settlement.push(confirmedReply());
  const response = await fetch(url, { headers: await payFor(url) });
  expect([response.status, await response.json()]).toMatchObject([
    409,
    { error: "already_settled" },
  ]);
});

test("one that is still open when the wait ends is not served either", async () => {
  let nowMs = Date.now();
  const clock = { now: () => nowMs, sleep: async (ms: number) => void (nowMs += ms) };
  const seller = createSeller(optionsOf({ waitMs: 2_000 }), clock);
  shop = await listenFetch((request) =>
    seller.charge(request, () => new Response("content")).then(({ response }) => response),
  );
  const extra = { settlementId: "s_1", replayed: true };
  const open = { json: { ...pendingReply().json, extra } };
  facilitator.script.settle.push(open);
  facilitator.script.settlement.push(...Array.from({ length: 20 }, () => open));
  const response = await fetch(shop.url, { headers: await payFor(shop.url) });
  expect(response.status).not.toBe(200);
  expect(await response.text()).not.toContain("content");
});

test("one of which nothing is known but that it is under way is not served", async () => {
  let nowMs = Date.now();
  const clock = { now: () => nowMs, sleep: async (ms: number) => void (nowMs += ms) };
  const seller = createSeller(optionsOf({ waitMs: 2_000 }), clock);
  shop = await listenFetch((request) =>
    seller.charge(request, () => new Response("content")).then(({ response }) => response),
  );
  const nothing = pendingReply(undefined, "");
  facilitator.script.settle.push(...Array.from({ length: 20 }, () => nothing));
  const response = await fetch(shop.url, { headers: await payFor(shop.url) });
  expect([response.status, await response.text()]).not.toEqual([200, "content"]);
  expect(response.status).toBe(503);
});

test("elsewhere than beside an engine of this process it is refused", () => {
  const remote = { facilitator: { url: facilitator.url } };
  expect(() => createSeller(optionsOf(remote))).toThrow(/serveWhen must be confirmed, unless/);
  const own = createSeller(optionsOf({ ...remote, serveWhen: "confirmed" }));
  expect(() => own.route({ serveWhen: "queued" })).toThrow(/serveWhen/);
  const noFetch = { facilitator: { url: facilitator.url, inProcess: true } };
  expect(() => createSeller(optionsOf(noFetch))).toThrow(/facilitator\.inProcess/);
});
