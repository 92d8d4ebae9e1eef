/** A process that dies at any step with its store costs a buyer at most the use that it was serving. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { payBound } from "../buyer.testing.ts";
import { createMemoryGrants, type PaymentRecords } from "../index.ts";
import { dyingAt, openShop } from "./dying-process.testing.ts";
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

function died(nth: number, isDone: boolean, records: PaymentRecords) {
  const { passes } = records;
  if (!passes) throw new Error("The store keeps no passes.");
  const dying = dyingAt(nth, isDone, records, (step) => ({
    passes: {
      ...passes,
      take: (pass) => step(() => passes.take(pass)),
      giveBack: (pass) => step(() => passes.giveBack(pass)),
    },
  }));
  return { ...dying, passes };
}

function shopWith(
  grants: PaymentRecords,
  settle: "before-work" | "after-success",
  serve?: () => Response,
) {
  const pass = { uses, validFor: "1h" };
  const options = { facilitator: { url: facilitator.url }, price: "1.00", settle, pass, grants };
  return openShop(options, serve);
}

const fail = () => new Response(null, { status: 500 });

test.each([
  ["before-work", false, undefined],
  ["before-work", true, undefined],
  ["after-success", false, undefined],
  ["after-success", true, undefined],
  // The use is given back or lost, and never served without being taken.
  ["after-success", false, fail],
  ["after-success", true, fail],
] as const)("settling %s, done before the death: %s, work: %s", async (settle, isDone, serve) => {
  const records = createMemoryGrants();
  const living = await shopWith(records, settle);
  const bought = await fetch(living.url, { headers: await payBound(living.url) });
  const token = bought.headers.get("PAYMENT-PASS") ?? "";
  let hasDied = true;
  let left = uses - 1;
  for (let nth = 1; hasDied; nth++) {
    const dying = died(nth, isDone, records);
    const shop = await shopWith(dying.store, settle, serve);
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
