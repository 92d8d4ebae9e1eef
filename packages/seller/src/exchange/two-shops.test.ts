/**
 * Two shops of one seller at one facilitator, each with records of its own: a payment that one shop
 * could not settle opens content in one of them, whatever the facilitator answered in between.
 */
import { afterEach, beforeEach, expect, test } from "vitest";
import { listenFetch, type Listening } from "../adapters/listen.testing.ts";
import { pay, payFor } from "../buyer.testing.ts";
import { createMemoryGrants, createSeller } from "../index.ts";
import { expectLater, payTo } from "../scene.testing.ts";
import {
  pendingReply,
  startScriptedFacilitator,
  type Call,
  type Reply,
  type ScriptedFacilitator,
} from "../scripted-facilitator.testing.ts";

const payments = 20;
const limited: Reply = { status: 429, json: { error: "rate_limited", requestId: "r_1" } };

let facilitator: ScriptedFacilitator;
let shops: Listening[];
let served: number;

beforeEach(async () => {
  facilitator = await startScriptedFacilitator();
  served = 0;
  shops = [await openShop(), await openShop()];
});
afterEach(async () => {
  for (const shop of shops) await shop.close();
  await facilitator.close();
});

function openShop(entriesMax = payments): Promise<Listening> {
  const seller = createSeller({
    facilitator: { url: facilitator.url },
    payTo,
    price: "0.01",
    // Both shops sell the same resource under one public address.
    publicUrl: "https://shop.example",
    grants: createMemoryGrants({ entriesMax }),
    onEvent: () => undefined,
  });
  return listenFetch((request) =>
    seller
      .charge(request, () => new Response(`content ${++served}`))
      .then(({ response }) => response),
  );
}

/** Buys in the second shop what the first one could not settle, and comes back to the first. */
async function payTwice(): Promise<readonly number[]> {
  const [one, other] = shops.map(({ url }) => `${url}/report`);
  if (one === undefined || other === undefined) throw new Error("A shop is missing.");
  const headers = await payFor(one);
  await expectLater(await fetch(one, { headers }), "facilitator_unavailable");
  const bought = await fetch(other, { headers });
  const again = await fetch(one, { headers });
  return [bought.status, again.status];
}

test("a refusal that the buyer provoked opens no second content", async () => {
  for (let at = 0; at < payments; at++) {
    facilitator.script.settle.push(limited);
    expect(await payTwice()).toEqual([200, 409]);
  }
  expect([facilitator.transfers(), served]).toEqual([payments, payments]);
});

test.each<[string, Reply]>([
  ["a proxy's 429", { status: 429, text: "Too many requests" }],
  ["a lost call", "cut"],
  [
    "a 503 of the facilitator",
    { status: 503, json: { error: "service_unavailable", requestId: "r" } },
  ],
])("%s opens no second content either", async (_case, reply) => {
  facilitator.script.settle.push(reply);
  expect(await payTwice()).toEqual([200, 409]);
  expect([facilitator.transfers(), served]).toEqual([1, 1]);
});

/** A call of /settle that moves the money, and is answered by somebody on the way. */
function settledThen(reply: Reply) {
  return async ({ body, exchangeKey = "" }: Call): Promise<Reply> => {
    const headers = { "Idempotency-Key": exchangeKey };
    await fetch(`${facilitator.url}/settle`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    return reply;
  };
}

test.each<[string, Reply]>([
  ["a proxy's 429", { status: 429, text: "Too many requests" }],
  ["a proxy's 429 in JSON", { status: 429, json: { error: "rate_limited" } }],
  ["a proxy's 403 with a number of its own", { status: 403, json: { requestId: "r" } }],
  ["a lost call", "cut"],
])("%s releases nothing: who has paid gets the content", async (_case, reply) => {
  const url = `${shops[0]?.url}/report`;
  facilitator.script.settle.push(settledThen(reply));
  const headers = await payFor(url);
  await expectLater(await fetch(url, { headers }), "facilitator_unavailable");
  expect((await fetch(url, { headers })).status).toBe(200);
  expect([facilitator.transfers(), served]).toEqual([1, 1]);
});

test("a refusal after a lost call releases nothing either", async () => {
  const url = `${shops[0]?.url}/report`;
  facilitator.script.settle.push(settledThen("cut"), "honest", limited);
  // A buyer of version 1 can prove nothing later, so that the request is held and settles again.
  const headers = await pay(await fetch(url), "v1");
  expect((await fetch(url, { headers })).status).toBe(200);
  expect([facilitator.transfers(), served]).toEqual([1, 1]);
});

test("a repeat that is refused after a lost call releases nothing either", async () => {
  const url = `${shops[0]?.url}/report`;
  facilitator.script.settle.push(settledThen("cut"), "honest", limited);
  const headers = await payFor(url);
  for (let nth = 0; nth < 2; nth++) {
    await expectLater(await fetch(url, { headers }), "facilitator_unavailable");
  }
  expect((await fetch(url, { headers })).status).toBe(200);
  expect([facilitator.transfers(), served]).toEqual([1, 1]);
});

test("a settlement of the other shop that is still open is not served when it ends", async () => {
  const [one] = shops.map(({ url }) => `${url}/report`);
  if (one === undefined) throw new Error("A shop is missing.");
  const headers = await payFor(one);
  const extra = { settlementId: "s_1", replayed: true };
  facilitator.script.settle.push({ json: { ...pendingReply("s_1").json, id: undefined, extra } });
  // Asked by its id, the settlement says only that the money has moved.
  facilitator.script.settlement.push({
    json: { success: true, transaction: `0x${"cd".repeat(32)}`, network: "eip155:50" },
  });
  expect((await fetch(one, { headers })).status).toBe(409);
  expect(served).toBe(0);
});

test.each<[string, Reply]>([
  ["429", limited],
  ["a full queue", { status: 503, json: { error: "queue_full", requestId: "r" } }],
  ["503", { status: 503, json: { error: "service_unavailable", requestId: "r" } }],
  ["401", { status: 401, json: { error: "unauthorized", requestId: "r" } }],
  ["403", { status: 403, json: { error: "seller_plan_inactive", requestId: "r" } }],
])("payments that the facilitator answered with %s leave room for others", async (_case, reply) => {
  const shop = await openShop(2);
  shops.push(shop);
  for (let at = 0; at < 4; at++) {
    facilitator.script.settle.push(reply);
    expect((await fetch(shop.url, { headers: await payFor(shop.url) })).status).toBe(503);
  }
  expect((await fetch(shop.url, { headers: await payFor(shop.url) })).status).toBe(200);
});
