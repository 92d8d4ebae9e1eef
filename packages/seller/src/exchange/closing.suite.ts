/** Settlements that nobody answered: when their authorizations are over they leave no trace, in any store. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { listenFetch, type Listening } from "../adapters/listen.testing.ts";
import { payFor } from "../buyer.testing.ts";
import type { StoreKind } from "../payment-records/rules/payment-records.suite.ts";
import { createSeller, type SellerEvent } from "../index.ts";
import { expectLater, payTo } from "../scene.testing.ts";
import {
  startScriptedFacilitator,
  type ScriptedFacilitator,
} from "../scripted-facilitator.testing.ts";

/** As many records as the shop can hold: more than are closed at once (4), which hold their leases. */
const entriesMax = 6;
/** How long the payments here last, and the margin after that in which a call may still arrive. */
const overMs = 120_000 + 30_000;

/** Runs these promises against one store. */
export function closingSuite(name: string, kind: StoreKind): void {
  describe(`${name}: a settlement that nobody answered`, () => {
    let facilitator: ScriptedFacilitator;
    let shop: Listening;
    let nowMs: number;
    let served: number;
    let stage: Awaited<ReturnType<StoreKind["open"]>>;
    let settled: PromiseWithResolvers<void>;

    beforeEach(async () => {
      facilitator = await startScriptedFacilitator();
      stage = await kind.open();
      settled = Promise.withResolvers();
      // A whole second, in which authorizations count: what is signed ends with this clock.
      nowMs = Math.floor(Date.now() / 1000) * 1000;
      served = 0;
      const options = {
        facilitator: { url: facilitator.url },
        payTo,
        price: "0.01",
        grants: stage.create({ entriesMax, now: () => nowMs }),
        onEvent: ({ type }: SellerEvent) => void (type === "settled" && settled.resolve()),
      };
      const clock = { now: () => nowMs, sleep: async (ms: number) => void (nowMs += ms) };
      const seller = createSeller(options, clock);
      shop = await listenFetch((request) =>
        seller
          .charge(request, () => new Response(`content ${++served}`))
          .then(({ response }) => response),
      );
    });
    afterEach(async () => {
      await shop.close();
      await stage.close();
      await facilitator.close();
    });

    /** A payment whose settlement is lost: nobody knows whether it moved money. */
    async function lose() {
      const headers = await payFor(shop.url, {}, { authorization: longer() });
      facilitator.script.settle.push("cut");
      await expectLater(await fetch(shop.url, { headers }), "facilitator_unavailable");
      return headers;
    }

    const longer = () => ({ validBefore: BigInt(Math.ceil(nowMs / 1000) + 120) });

    test.runIf(kind.isBounded)(
      "a full store has room again once their authorizations are over",
      async () => {
        for (let at = 0; at < entriesMax; at++) await lose();
        const waiting = await payFor(shop.url);
        await expectLater(await fetch(shop.url, { headers: waiting }), "busy");
        // A call may still arrive shortly after its authorization was over.
        nowMs += overMs - 5_000;
        const early = await payFor(shop.url, {}, { authorization: longer() });
        await expectLater(await fetch(shop.url, { headers: early }), "busy");
        nowMs += 5_000;
        const headers = await payFor(shop.url, {}, { authorization: longer() });
        expect((await fetch(shop.url, { headers })).status).toBe(200);
      },
    );

    test("each is asked for once, and what moved money is kept for its buyer", async () => {
      const headers = await lose();
      nowMs += overMs;
      const other = await payFor(shop.url, {}, { authorization: longer() });
      // The first paid request after that asks for the lost one in the background.
      expect((await fetch(shop.url, { headers: other })).status).toBe(200);
      await settled.promise;
      const settles = facilitator.operations().filter((name) => name === "settle");
      expect(settles).toHaveLength(3);
      const buyer = await fetch(shop.url, { headers });
      expect([buyer.status, await buyer.text()]).toEqual([200, "content 2"]);
      expect(facilitator.operations().filter((name) => name === "settle")).toHaveLength(3);
    });
  });
}
