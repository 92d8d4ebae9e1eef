/**
 * A flood of junk signatures beside honest buyers, at a facilitator that allows the seller a number
 * of calls: the junk uses up none of them beyond its own budget.
 */
import { encodeHeader, headerNames } from "@farthing/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { listenFetch, type Listening } from "../adapters/listen.testing.ts";
import { payer, payFor, payloadOf, type PaymentHeader } from "../buyer.testing.ts";
import { createSeller } from "../index.ts";
import { expectLater, payTo, reasonOf } from "../scene.testing.ts";
import {
  startScriptedFacilitator,
  type Call,
  type Reply,
  type ScriptedFacilitator,
} from "../scripted-facilitator.testing.ts";

let facilitator: ScriptedFacilitator;
let shop: Listening;
let nowMs: number;

beforeEach(async () => {
  facilitator = await startScriptedFacilitator();
  nowMs = Date.now();
  const clock = { now: () => nowMs, sleep: async (ms: number) => void (nowMs += ms) };
  const options = {
    facilitator: { url: facilitator.url },
    payTo,
    price: "0.01",
    onEvent: () => undefined,
  };
  const seller = createSeller(options, clock);
  shop = await listenFetch((request) =>
    seller.charge(request, () => new Response("content")).then(({ response }) => response),
  );
});
afterEach(async () => {
  await shop.close();
  await facilitator.close();
});

/** The payment with another signature. */
function signedWith(header: PaymentHeader, signature: string): PaymentHeader {
  const payment = payloadOf(header);
  const { payload } = payment;
  return {
    [headerNames.paymentSignature]: encodeHeader({
      ...payment,
      payload: { ...Object(payload), signature },
    }),
  };
}

const randomHex = (bytes: number) =>
  `0x${Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("")}`;

/** As long as a plain signature, and with a parity that one may have. */
const junk = () => `${randomHex(64)}1b`;

test("honest buyers are served beside seventy junk signatures, whatever the limit", async () => {
  let allowed = 60;
  const limited = (call: Call): Reply => {
    if (allowed-- > 0) return "honest";
    return { status: 429, json: { error: "rate_limited", requestId: call.url } };
  };
  facilitator.script.verify.push(...Array.from({ length: 200 }, () => limited));
  const template = await payFor(shop.url);
  const statuses: number[] = [];
  for (let at = 0; at < 21; at++) {
    for (let nth = 0; nth < 5; nth++) {
      await fetch(shop.url, { headers: signedWith(template, junk()) });
    }
    statuses.push((await fetch(shop.url, { headers: await payFor(shop.url) })).status);
  }
  expect(statuses).toEqual(Array.from({ length: 21 }, () => 200));
});

/** The facilitator finds the wallet's own signature valid, as its contract would. */
const accepting: Reply = { json: { isValid: true, payer } };
const settled: Reply = {
  json: { success: true, transaction: `0x${"cd".repeat(32)}`, network: "eip155:50" },
};

test.each([
  ["of a plain key's length", 65],
  ["of another length", 200],
])("a contract wallet's signature %s pays, also after a flood of such", async (_case, bytes) => {
  const buy = async () => {
    facilitator.script.verify.unshift(accepting);
    facilitator.script.settle.unshift(settled);
    const headers = signedWith(await payFor(shop.url), randomHex(bytes));
    return fetch(shop.url, { headers });
  };
  expect((await buy()).status).toBe(200);
  const template = await payFor(shop.url, {}, { authorization: { from: payTo } });
  const refused: Reply = { json: { isValid: false, invalidReason: "invalid_signature" } };
  facilitator.script.verify.push(...Array.from({ length: 60 }, () => refused));
  const flood = [];
  for (let at = 0; at < 60; at++) {
    flood.push((await fetch(shop.url, { headers: signedWith(template, randomHex(bytes)) })).status);
  }
  // The first ones might have been a wallet's; the others are asked to come again.
  expect(new Set(flood)).toEqual(new Set([402, 503]));
  // The wallet has paid here before.
  expect((await buy()).status).toBe(200);
});

test("a new wallet that meets the flood is asked to come again, and is served then", async () => {
  const template = await payFor(shop.url, {}, { authorization: { from: payTo } });
  const refused: Reply = { json: { isValid: false, invalidReason: "invalid_signature" } };
  facilitator.script.verify.push(...Array.from({ length: 10 }, () => refused));
  for (let at = 0; at < 10; at++) {
    await fetch(shop.url, { headers: signedWith(template, junk()) });
  }
  const headers = signedWith(await payFor(shop.url), junk());
  await expectLater(await fetch(shop.url, { headers }), "busy");
  nowMs += 1_000;
  facilitator.script.verify.push(accepting);
  facilitator.script.settle.push(settled);
  expect((await fetch(shop.url, { headers })).status).toBe(200);
});

test.each([
  ["authorization_expired", { validBefore: 1n }],
  ["authorization_not_yet_valid", { validAfter: 99_999_999_999n }],
])("%s is refused without asking anybody", async (reason, authorization) => {
  const headers = await payFor(shop.url, {}, { authorization });
  expect(await reasonOf(await fetch(shop.url, { headers }))).toBe(reason);
  expect(facilitator.calls).toEqual([]);
});

test("what is sent names scheme and network beside accepted", async () => {
  const response = await fetch(shop.url, { headers: await payFor(shop.url) });
  expect(response.status).toBe(200);
  for (const { body } of facilitator.calls) {
    expect(body).toMatchObject({
      paymentPayload: { scheme: "exact", network: "eip155:50", accepted: { scheme: "exact" } },
    });
  }
});
