/**
 * A seller whose clock is wrong, at a facilitator that knows the time: what is valid is sold, with
 * each settlement timing. The facilitator and the buyer are moved, so that the seller is the wrong one.
 */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { listenFetch, type Listening } from "../adapters/listen.testing.ts";
import { payFor } from "../buyer.testing.ts";
import { createSeller, type SettlementTiming } from "../index.ts";
import { payTo, reasonOf } from "../scene.testing.ts";
import {
  startScriptedFacilitator,
  type ScriptedFacilitator,
} from "../scripted-facilitator.testing.ts";

const hourMs = 3_600_000;

let facilitator: ScriptedFacilitator;
let shop: Listening | undefined;

beforeEach(async () => {
  facilitator = await startScriptedFacilitator();
});
afterEach(async () => {
  await shop?.close();
  await facilitator.close();
});

async function openShop(settle: SettlementTiming): Promise<string> {
  const options = {
    facilitator: { url: facilitator.url },
    payTo,
    price: "0.01",
    settle,
    onEvent: () => undefined,
  } as const;
  const seller = createSeller(options);
  shop = await listenFetch((request) =>
    seller.charge(request, () => new Response("content")).then(({ response }) => response),
  );
  return shop.url;
}

/** Signed by somebody whose clock agrees with the facilitator's, `seconds` before its end. */
function payAt(url: string, aheadMs: number, seconds = 120) {
  const now = Math.floor((Date.now() + aheadMs) / 1000);
  const validity = { validAfter: BigInt(now - 600), validBefore: BigInt(now + seconds) };
  return payFor(url, {}, { authorization: validity });
}

describe.each(["before-work", "after-success"] as const)("settled %s", (settle) => {
  test.each([
    ["an hour ahead", -hourMs],
    ["an hour behind", hourMs],
  ])("a seller's clock that is %s refuses nothing that is valid", async (_case, aheadMs) => {
    facilitator.aheadMs = aheadMs;
    const url = await openShop(settle);
    for (let at = 0; at < 2; at++) {
      expect((await fetch(url, { headers: await payAt(url, aheadMs) })).status).toBe(200);
    }
    expect(facilitator.transfers()).toBe(2);
  });

  test("nor at a facilitator whose responses name no time", async () => {
    facilitator.aheadMs = undefined;
    const url = await openShop(settle);
    expect((await fetch(url, { headers: await payAt(url, -hourMs) })).status).toBe(200);
  });

  test("once the facilitator's time is known, what has ended by it costs no call", async () => {
    facilitator.aheadMs = -hourMs;
    const url = await openShop(settle);
    expect((await fetch(url, { headers: await payAt(url, -hourMs) })).status).toBe(200);
    facilitator.calls.length = 0;
    const headers = await payAt(url, -hourMs, -120);
    expect(await reasonOf(await fetch(url, { headers }))).toBe("authorization_expired");
    expect(facilitator.calls).toEqual([]);
  });
});

test("work is not begun for a payment that ends too soon by the facilitator's time", async () => {
  facilitator.aheadMs = hourMs;
  const url = await openShop("after-success");
  const headers = await payAt(url, hourMs, 5);
  expect(await reasonOf(await fetch(url, { headers }))).toBe("authorization_expired");
  expect(facilitator.operations()).toEqual(["verify"]);
});
