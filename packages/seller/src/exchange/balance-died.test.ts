/** A process that dies at any step with its store charges a buyer once for what they get, and tops up once. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { payBound } from "../buyer.testing.ts";
import {
  createMemoryGrants,
  type Balances,
  type PaymentRecords,
  type RateLimit,
} from "../index.ts";
import { dyingAt, openShop } from "./dying-process.testing.ts";
import { availableOf } from "../payment-records/balances/balances.ts";
import { maxReserveMs } from "../payment-records/retention.ts";
import {
  startScriptedFacilitator,
  type ScriptedFacilitator,
} from "../scripted-facilitator.testing.ts";

const topUp = 5_000_000n;
const cost = 10_000n;
let facilitator: ScriptedFacilitator;
let nowMs: number;
let records: PaymentRecords;
let balances: Balances;
beforeEach(async () => {
  facilitator = await startScriptedFacilitator();
  nowMs = Date.now();
  records = createMemoryGrants({ now: () => nowMs });
  if (!records.balances) throw new Error("The store keeps no balances.");
  ({ balances } = records);
});
afterEach(() => facilitator.close());

const died = (nth: number, isDone: boolean) =>
  dyingAt(nth, isDone, records, (step) => ({
    balances: {
      ...balances,
      topUp: (...values) => step(() => balances.topUp(...values)),
      giveToken: (id) => step(() => balances.giveToken(id)),
      reserve: (...values) => step(() => balances.reserve(...values)),
      suspend: (...values) => step(() => balances.suspend(...values)),
      charge: (...values) => step(() => balances.charge(...values)),
      release: (...values) => step(() => balances.release(...values)),
    },
  }));

function shopWith(grants: PaymentRecords, more: { readonly rateLimit?: RateLimit } = {}) {
  const balance = { topUp, reserve: 50_000n };
  const sold = { balance, cost: () => cost, grants, ...more };
  return openShop({ facilitator: { url: facilitator.url }, ...sold });
}

test.each([false, true])("a request with a key, done before the death: %s", async (isDone) => {
  const living = await shopWith(records);
  const bought = await fetch(living.url, { headers: await payBound(living.url) });
  const token = bought.headers.get("PAYMENT-PASS") ?? "";
  let hasDied = true;
  for (let nth = 1; hasDied; nth++) {
    const dying = died(nth, isDone);
    const shop = await shopWith(dying.store);
    try {
      const headers = { "PAYMENT-PASS": token, "Idempotency-Key": `order ${nth}` };
      await fetch(shop.url, { headers });
      hasDied = dying.hasDied();
      const again = await fetch(living.url, { headers });
      expect([nth, again.status, await again.text()]).toEqual([nth, 200, "content"]);
      nowMs += maxReserveMs;
      const left = (await balances.find(token))?.amount;
      expect([nth, left]).toEqual([nth, topUp - cost * BigInt(nth + 1)]);
    } finally {
      await shop.close();
    }
  }
  await living.close();
});

test.each([false, true])("a payment, done before the death: %s", async (isDone) => {
  const living = await shopWith(records);
  let hasDied = true;
  for (let nth = 1; hasDied; nth++) {
    const dying = died(nth, isDone);
    const shop = await shopWith(dying.store);
    try {
      const headers = await payBound(living.url);
      await fetch(shop.url, { headers });
      hasDied = dying.hasDied();
      const again = await fetch(living.url, { headers });
      expect([nth, again.status, await again.text()]).toEqual([nth, 200, "content"]);
      const found = await balances.find(again.headers.get("PAYMENT-PASS") ?? "");
      const left = (topUp - cost) * BigInt(nth);
      expect([nth, found?.amount, found && availableOf(found)]).toEqual([nth, left, left]);
    } finally {
      await shop.close();
    }
  }
  await living.close();
});

const lost = new Error("The store has not replied in time.");

test.each([
  ["made", (...values: Parameters<Balances["charge"]>) => balances.charge(...values)],
  ["metered", (...[id, useId]: Parameters<Balances["charge"]>) => balances.meter(id, useId, 1n)],
])(
  "a charge that is %s when the reply is lost is finished by a repeat with the same key, over a limit too",
  async (_name, begin) => {
    const living = await shopWith(records);
    const bought = await fetch(living.url, { headers: await payBound(living.url) });
    const token = bought.headers.get("PAYMENT-PASS") ?? "";
    let isLost = true;
    const losing: Balances = {
      ...balances,
      async charge(...values) {
        if (!isLost) return balances.charge(...values);
        isLost = false;
        await begin(...values);
        throw lost;
      },
    };
    const limit = { rateLimit: { perPayer: 1 } };
    const shop = await shopWith({ ...records, balances: losing }, limit);
    const headers = { "PAYMENT-PASS": token, "Idempotency-Key": "order" };
    expect((await fetch(shop.url, { headers })).status).toBe(503);
    const again = await fetch(shop.url, { headers });
    expect([again.status, await again.text()]).toEqual([200, "content"]);
    expect((await balances.find(token))?.amount).toBe(topUp - 2n * cost);
    const other = { "PAYMENT-PASS": token, "Idempotency-Key": "another" };
    expect((await fetch(shop.url, { headers: other })).status).toBe(429);
    await shop.close();
    await living.close();
  },
);
