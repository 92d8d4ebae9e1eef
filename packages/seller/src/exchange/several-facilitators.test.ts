/**
 * Several facilitators in order: the buyer is served by the next one where the first is down, and a
 * payment whose outcome is unknown stays with the facilitator that has it.
 */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { listenFetch, type Listening } from "../adapters/listen.testing.ts";
import { pay, payFor } from "../buyer.testing.ts";
import { createSqliteGrants, type SqliteGrants } from "../payment-records/sqlite/sqlite.ts";
import {
  ConfigurationError,
  createSeller,
  type Clock,
  type RouteOptions,
  type SellerEvent,
  type SellerOptions,
} from "../index.ts";
import { systemClock } from "../clock.ts";
import { expectLater, payTo } from "../scene.testing.ts";
import {
  confirmedReply,
  startScriptedFacilitator,
  type Reply,
  type ScriptedFacilitator,
} from "../scripted-facilitator.testing.ts";

let first: ScriptedFacilitator;
let second: ScriptedFacilitator;
let shops: Listening[];
let grants: SqliteGrants;
let events: SellerEvent[];
let served: number;
/** How far the clock of the sellers is ahead. */
let aheadMs: number;

beforeEach(async () => {
  [first, second] = await Promise.all([startScriptedFacilitator(), startScriptedFacilitator()]);
  grants = createSqliteGrants({ path: ":memory:" });
  [shops, events, served, aheadMs] = [[], [], 0, 0];
});
afterEach(async () => {
  for (const shop of shops) await shop.close();
  grants.close();
  await Promise.all([first.close(), second.close()]);
});

const clock: Clock = { ...systemClock, now: () => systemClock.now() + aheadMs };

const onEvent = (event: SellerEvent) => void events.push(event);

async function open(
  facilitator: SellerOptions["facilitator"] = [first, second].map(({ url }) => ({ url })),
  route: RouteOptions = {},
): Promise<string> {
  const options = { facilitator, payTo, grants, publicUrl: "https://shop.example" };
  const seller = createSeller({ ...options, price: "0.01", onEvent, ...route }, clock);
  const shop = await listenFetch(async (request) => {
    const { response } = await seller.charge(request, () => new Response(`content ${++served}`));
    return response;
  });
  shops.push(shop);
  return `${shop.url}/report`;
}

const request = (headers: HeadersInit = {}) =>
  new Request("https://shop.example/report", { headers });
const calls = () => [first, second].map((one) => one.operations().join(" "));
const buy = async (url: string, headers: HeadersInit) => (await fetch(url, { headers })).status;
const refusing: Reply = { status: 429, json: { error: "rate_limited", requestId: "r_1" } };

describe("at verify", () => {
  test.each<[string, Reply]>([
    ["does not respond", "hang"],
    ["cuts the connection", "cut"],
    ["responds 500", { status: 500, text: "<h1>Oops</h1>" }],
    ["responds 429", { status: 429, json: { error: "rate_limited" } }],
    ["refuses the key", { status: 401, json: { error: "unauthorized", message: "No." } }],
    ["does not serve the network", { json: { isValid: false, invalidReason: "invalid_network" } }],
  ])("the next one takes the payment where the first %s", async (_case, reply) => {
    const url = await open([{ url: first.url, timeoutMs: 1_500 }, { url: second.url }]);
    first.script.verify.push(reply);
    expect(await buy(url, await payFor(url))).toBe(200);
    expect(calls()).toEqual(["verify", "verify settle"]);
    expect([first.transfers(), second.transfers(), served]).toEqual([0, 1, 1]);
  });

  test("a refusal is a response, and no other facilitator is asked", async () => {
    const url = await open();
    first.script.verify.push({ json: { isValid: false, invalidReason: "insufficient_funds" } });
    expect(await buy(url, await payFor(url))).toBe(402);
    expect(calls()).toEqual(["verify", ""]);
  });

  test.each([
    [429, "payer_limited"],
    [503, "reverted_gas_exhausted"],
  ])("a refusal of one payer's payments (%s %s) rests no facilitator", async (status, error) => {
    const url = await open();
    first.script.verify.push({ status, json: { error, requestId: "r_1" } });
    for (let nth = 0; nth < 2; nth++) expect(await buy(url, await payFor(url))).toBe(200);
    // The payment went to the other one, and the next buyer is back at the first.
    expect(calls()).toEqual(["verify verify settle", "verify settle"]);
  });

  test("one that failed is asked last until its rest ends, and first again after that", async () => {
    const url = await open();
    first.script.verify.push("cut");
    for (let nth = 0; nth < 2; nth++) expect(await buy(url, await payFor(url))).toBe(200);
    expect(calls()).toEqual(["verify", "verify settle verify settle"]);
    aheadMs = 6_000;
    expect(await buy(url, await payFor(url))).toBe(200);
    expect(calls()).toEqual(["verify verify settle", "verify settle verify settle"]);
    const skipped = events.filter(({ type }) => type === "facilitator_skipped");
    expect(skipped).toMatchObject([{ failure: { facilitator: first.url }, next: second.url }]);
  });

  test("the buyer is asked to repeat where none works, and nothing is taken", async () => {
    const url = await open();
    const headers = await payFor(url);
    for (const one of [first, second]) one.script.verify.push("cut");
    await expectLater(await fetch(url, { headers }), "facilitator_unavailable");
    expect(await buy(url, headers)).toBe(200);
    expect([first.transfers(), second.transfers(), served]).toEqual([1, 0, 1]);
  });
});

describe("at settle", () => {
  test.each<[string, Reply]>([
    ["a lost call", "cut"],
    ["a 503", { status: 503, json: { error: "service_unavailable", requestId: "r" } }],
    ["a proxy's 429", { status: 429, text: "Too many requests" }],
  ])("%s leaves the payment with the facilitator that has it", async (_case, reply) => {
    const url = await open();
    const headers = await payFor(url);
    first.script.settle.push(reply);
    await expectLater(await fetch(url, { headers }), "facilitator_unavailable");
    // Another process continues from the record, also where its order is another one.
    const next = await open([{ url: second.url }, { url: first.url }]);
    expect(await buy(next, headers)).toBe(200);
    expect(calls()).toEqual(["verify settle settle", ""]);
    expect([first.transfers(), served]).toEqual([1, 1]);
  });

  test("a facilitator that is gone keeps the payment until it is back", async () => {
    const url = await open();
    const headers = await payFor(url);
    first.script.settle.push("cut");
    await expectLater(await fetch(url, { headers }), "facilitator_unavailable");
    first.script.settle.push("cut", "cut");
    for (let nth = 0; nth < 2; nth++) {
      await expectLater(await fetch(url, { headers }), "facilitator_unavailable");
    }
    expect([second.operations(), served]).toEqual([[], 0]);
    expect(await buy(url, headers)).toBe(200);
  });

  test.each(["before-work", "after-success"] as const)(
    "%s: a payment that the first one has refused to take is settled by the next one",
    async (settle) => {
      const url = await open(undefined, { settle });
      first.script.settle.push(refusing);
      expect(await buy(url, await payFor(url))).toBe(200);
      expect(calls()).toEqual(["verify settle", "verify settle"]);
      expect([first.transfers(), second.transfers(), served]).toEqual([0, 1, 1]);
    },
  );

  test("one that is down by then is passed over, because no connection opens", async () => {
    const options = { facilitator: [{ url: first.url }, { url: second.url }], payTo, grants };
    const seller = createSeller({ ...options, price: "0.01", settle: "after-success" });
    const { response: challenge } = await seller.charge(request(), () => new Response());
    const headers = await pay(challenge, "v2");
    // A connection that is kept open could break while it is used, and not before.
    const json = { isValid: true };
    first.script.verify.push({ json, headers: { Connection: "close" } });
    const { response } = await seller.charge(request(headers), async () => {
      await first.close();
      return new Response(`content ${++served}`);
    });
    expect(response.status).toBe(200);
    expect(calls()).toEqual(["verify", "verify settle"]);
    expect([second.transfers(), served]).toEqual([1, 1]);
  });

  test("after a second one has it, the payment stays there", async () => {
    const url = await open();
    const headers = await payFor(url);
    first.script.settle.push(refusing);
    second.script.settle.push("cut");
    await expectLater(await fetch(url, { headers }), "facilitator_unavailable");
    const later = await open();
    expect(await buy(later, headers)).toBe(200);
    expect(calls()).toEqual(["verify settle", "verify settle settle"]);
    expect([first.transfers(), second.transfers(), served]).toEqual([0, 1, 1]);
  });

  test("a payment that none has taken is as good as before", async () => {
    const url = await open();
    const headers = await payFor(url);
    for (const one of [first, second]) one.script.settle.push(refusing);
    await expectLater(await fetch(url, { headers }), "facilitator_unavailable");
    aheadMs = 10_000;
    expect(await buy(url, headers)).toBe(200);
    expect([first.transfers() + second.transfers(), served]).toEqual([1, 1]);
  });
});

describe("a facilitator that is not configured any more", () => {
  test("keeps its payment, and the seller is told to add it again", async () => {
    const url = await open();
    const headers = await payFor(url);
    first.script.settle.push("cut");
    await expectLater(await fetch(url, { headers }), "facilitator_unavailable");
    const without = await open({ url: second.url });
    await expectLater(await fetch(without, { headers }), "facilitator_unavailable");
    expect(events.at(-1)).toMatchObject({ type: "facilitator_missing", facilitator: first.url });
    expect(second.operations()).toEqual([]);
    const again = await open([{ url: second.url }, { url: first.url }]);
    expect(await buy(again, headers)).toBe(200);
    expect([first.transfers(), served]).toEqual([1, 1]);
  });

  test("is found again under its name where it has moved", async () => {
    const url = await open({ url: first.url, name: "main" });
    const headers = await payFor(url);
    first.script.settle.push("cut");
    await expectLater(await fetch(url, { headers }), "facilitator_unavailable");
    const moved = await open([{ url: second.url }, { url: `${first.url}/`, name: "main" }]);
    expect(await buy(moved, headers)).toBe(200);
    expect([first.transfers(), second.transfers()]).toEqual([1, 0]);
  });
});

describe("a pass whose payment has to be final", () => {
  const pass = { uses: 3, validFor: "1h", finalAbove: "0.50" };
  const final = { id: "s_1", status: "confirmed" };

  test("stays where only a facilitator that does not have the payment calls it failed", async () => {
    const url = await open(undefined, { price: "1.00", pass });
    first.script.settle.push(confirmedReply(final));
    const bought = await fetch(url, { headers: await payFor(url) });
    const headers = { "PAYMENT-PASS": bought.headers.get("PAYMENT-PASS") ?? "" };
    // The one that has it is away for a moment.
    first.script.settlement.push("cut", confirmedReply({ ...final, finalized: true }));
    const unknown = { success: false, errorReason: "unknown_settlement", transaction: "" };
    second.script.settlement.push({ status: 400, json: { ...unknown, network: "eip155:50" } });
    const opened = await fetch(url, { headers });
    expect([opened.status, opened.headers.get("X-Pass-Remaining")]).toEqual([200, "1"]);
  });
});

test("a list needs one to five facilitators with different names", () => {
  const one = { url: "https://one.example" };
  const lists = [[], [one, one], [one, { ...one, name: "https://one.example" }]];
  const many = Array.from({ length: 6 }, (_one, nth) => ({ url: `https://${nth}.example` }));
  for (const facilitator of [...lists, many]) {
    expect(() => createSeller({ facilitator, payTo, price: "0.01" })).toThrow(ConfigurationError);
  }
  createSeller({ facilitator: [one, { ...one, name: "other" }], payTo, price: "0.01" });
});
