/** A process that dies at any step with its store charges a buyer once for what they get, and tops up once. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { listenFetch } from "../adapters/listen.testing.ts";
import { payBound } from "../buyer.testing.ts";
import {
  createMemoryGrants,
  createSeller,
  type Balances,
  type Lease,
  type PaymentRecords,
} from "../index.ts";
import { availableOf } from "../payment-records/balances.ts";
import { maxReserveMs } from "../payment-records/retention.ts";
import { payTo } from "../scene.testing.ts";
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

/** The store as a process sees it that dies at its nth step: from there on nothing is done. */
function dyingAt(nth: number, isDone: boolean) {
  let steps = 0;
  const step = async <T>(work: () => Promise<T>): Promise<T> => {
    steps++;
    if (steps < nth) return work();
    if (steps === nth && isDone) await work();
    throw new Error("The process has died.");
  };
  const inSteps = (lease: Lease): Lease => ({
    ...lease,
    settling: (known) => step(() => lease.settling(known)),
    paid: (receipt) => step(() => lease.paid(receipt)),
    complete: (receipt, answer) => step(() => lease.complete(receipt, answer)),
    discard: () => step(() => lease.discard()),
    // The lease of a dead process ends by itself.
    unlock: () => lease.unlock(),
  });
  const store: PaymentRecords = {
    ...records,
    async acquire(binding, access) {
      const acquired = await records.acquire(binding, access);
      return acquired.kind === "acquired"
        ? { ...acquired, lease: inSteps(acquired.lease) }
        : acquired;
    },
    balances: {
      ...balances,
      topUp: (...values) => step(() => balances.topUp(...values)),
      giveToken: (id) => step(() => balances.giveToken(id)),
      reserve: (...values) => step(() => balances.reserve(...values)),
      charge: (...values) => step(() => balances.charge(...values)),
      release: (...values) => step(() => balances.release(...values)),
    },
  };
  return { store, hasDied: () => steps >= nth };
}

function openShop(grants: PaymentRecords) {
  const balance = { topUp, reserve: 50_000n };
  const options = { facilitator: { url: facilitator.url }, payTo, balance, cost: () => cost };
  const seller = createSeller({ ...options, grants, onEvent: () => undefined });
  return listenFetch((request) => {
    // The buyer sees one shop at one address.
    const at = new Request(request.url.replace(/:\d+/, ""), { headers: request.headers });
    return seller.charge(at, () => new Response("content")).then(({ response }) => response);
  });
}

test.each([false, true])("a request with a key, done before the death: %s", async (isDone) => {
  const living = await openShop(records);
  const bought = await fetch(living.url, { headers: await payBound(living.url) });
  const token = bought.headers.get("PAYMENT-PASS") ?? "";
  let hasDied = true;
  for (let nth = 1; hasDied; nth++) {
    const dying = dyingAt(nth, isDone);
    const shop = await openShop(dying.store);
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
  const living = await openShop(records);
  let hasDied = true;
  for (let nth = 1; hasDied; nth++) {
    const dying = dyingAt(nth, isDone);
    const shop = await openShop(dying.store);
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
