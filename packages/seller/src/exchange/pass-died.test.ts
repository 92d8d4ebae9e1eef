/** A process that dies at any step with its store costs a buyer at most the use that it was serving. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { listenFetch } from "../adapters/listen.testing.ts";
import { payBound } from "../buyer.testing.ts";
import { createMemoryGrants, createSeller, type Lease, type PaymentRecords } from "../index.ts";
import { payTo } from "../scene.testing.ts";
import {
  startScriptedFacilitator,
  type ScriptedFacilitator,
} from "../scripted-facilitator.testing.ts";

const uses = 100;
let facilitator: ScriptedFacilitator;
beforeEach(async () => {
  facilitator = await startScriptedFacilitator();
});
afterEach(() => facilitator.close());

/** The store as a process sees it that dies at its nth step: from there on nothing is done. */
function dyingAt(nth: number, isDone: boolean, records: PaymentRecords) {
  let steps = 0;
  const step = async <T>(work: () => Promise<T>): Promise<T> => {
    steps++;
    if (steps < nth) return work();
    if (steps === nth && isDone) await work();
    throw new Error("The process has died.");
  };
  const inSteps = (lease: Lease): Lease => ({
    ...lease,
    paid: (receipt) => step(() => lease.paid(receipt)),
    complete: (receipt, answer) => step(() => lease.complete(receipt, answer)),
    discard: () => step(() => lease.discard()),
    // The lease of a dead process ends by itself.
    unlock: () => lease.unlock(),
  });
  const { passes } = records;
  if (!passes) throw new Error("The store keeps no passes.");
  const store: PaymentRecords = {
    ...records,
    async acquire(binding, access) {
      const acquired = await records.acquire(binding, access);
      return acquired.kind === "acquired"
        ? { ...acquired, lease: inSteps(acquired.lease) }
        : acquired;
    },
    passes: {
      ...passes,
      take: (pass) => step(() => passes.take(pass)),
      giveBack: (pass) => step(() => passes.giveBack(pass)),
    },
  };
  return { store, passes, hasDied: () => steps >= nth };
}

function openShop(grants: PaymentRecords, settle: "before-work" | "after-success") {
  const pass = { uses, validFor: "1h" };
  const options = { facilitator: { url: facilitator.url }, payTo, price: "1.00", settle, pass };
  const seller = createSeller({ ...options, grants, onEvent: () => undefined });
  return listenFetch((request) => {
    // The buyer sees one shop at one address.
    const at = new Request(request.url.replace(/:\d+/, ""), { headers: request.headers });
    return seller.charge(at, () => new Response("content")).then(({ response }) => response);
  });
}

test.each([
  ["before-work", false],
  ["before-work", true],
  ["after-success", false],
  ["after-success", true],
] as const)("settling %s, done before the death: %s", async (settle, isDone) => {
  const records = createMemoryGrants();
  const living = await openShop(records, settle);
  const bought = await fetch(living.url, { headers: await payBound(living.url) });
  const token = bought.headers.get("PAYMENT-PASS") ?? "";
  let hasDied = true;
  let left = uses - 1;
  for (let nth = 1; hasDied; nth++) {
    const dying = dyingAt(nth, isDone, records);
    const shop = await openShop(dying.store, settle);
    try {
      const headers = { "PAYMENT-PASS": token, "Idempotency-Key": `order ${nth}` };
      await fetch(shop.url, { headers });
      hasDied = dying.hasDied();
      const again = await fetch(living.url, { headers });
      expect([nth, again.status, await again.text()]).toEqual([nth, 200, "content"]);
      const now = (await dying.passes.find(token))?.usesLeft ?? 0;
      // One was served, and one more may be lost.
      expect([left - 1, left - 2]).toContain(now);
      left = now;
    } finally {
      await shop.close();
    }
  }
  await living.close();
});
