/** Sellers in several processes that share a store: one payment opens one response, also when one dies. */
import { readReceipt } from "@farthing/protocol";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { payFor } from "../buyer.testing.ts";
import { expectLater, payTo } from "../scene.testing.ts";
import {
  startScriptedFacilitator,
  type Reply,
  type ScriptedFacilitator,
} from "../scripted-facilitator.testing.ts";
import type { ShopOrder } from "./shop-process.testing.ts";
import { startShop, stores } from "./shops.testing.ts";

for (const [name, isThere, open] of stores) {
  describe.skipIf(!isThere)(`two processes on one store in ${name}`, () => {
    let facilitator: ScriptedFacilitator;
    let shared: Awaited<ReturnType<typeof open>>;
    let shops: Awaited<ReturnType<typeof startShop>>[];
    beforeEach(async () => {
      facilitator = await startScriptedFacilitator();
      shared = await open();
      shops = [];
    });
    afterEach(async () => {
      for (const shop of shops) await shop.kill();
      await shared.close();
      await facilitator.close();
    });

    async function startTwo(settle: ShopOrder["settle"], leaseMs: number) {
      const order = { facilitatorUrl: facilitator.url, payTo, settle, leaseMs };
      for (let nth = 0; nth < 2; nth++) {
        shops.push(await startShop({ ...order, store: shared.store }));
      }
      const [one, other] = shops;
      if (!one || !other) throw new Error("A shop is missing.");
      return [one, other] as const;
    }

    test.each(["before-work", "after-success"] as const)("%s: one serves", async (settle) => {
      const [one, other] = await startTwo(settle, 15_000);
      const headers = await payFor(one.url);
      const responses = await Promise.all(
        Array.from({ length: 10 }, async (_one, at) => {
          const { url } = at % 2 === 0 ? one : other;
          const response = await fetch(url, { headers });
          return `${response.status} ${await response.text()}`;
        }),
      );
      expect([...new Set(responses)]).toEqual([expect.stringMatching(/^200 made by \d+$/)]);
      expect([one.made() + other.made(), facilitator.transfers()]).toEqual([1, 1]);
    });

    test.each(["before-work", "after-success"] as const)(
      "%s: a process that is killed between taking a use of a pass and serving costs that use",
      async (settle) => {
        const base = { facilitatorUrl: facilitator.url, payTo, settle, leaseMs: 15_000 };
        const order: ShopOrder = { ...base, store: shared.store, passUses: 3 };
        shops.push(await startShop({ ...order, diesAt: 2 }), await startShop(order));
        const [dying, other] = shops;
        if (!dying || !other) throw new Error("A shop is missing.");
        const bought = await fetch(dying.url, { headers: await payFor(dying.url) });
        const headers = { "PAYMENT-PASS": bought.headers.get("PAYMENT-PASS") ?? "" };
        expect(bought.headers.get("X-Pass-Remaining")).toBe("2");
        await expect(fetch(dying.url, { headers })).rejects.toThrow();
        const used = await fetch(other.url, { headers });
        expect([used.status, used.headers.get("X-Pass-Remaining")]).toEqual([200, "0"]);
        expect((await fetch(other.url, { headers })).status).toBe(402);
        expect([dying.made(), other.made(), facilitator.transfers()]).toEqual([1, 1, 1]);
      },
    );

    const late = { json: { isValid: false, invalidReason: "authorization_expired" } };
    test.each<["verify" | "settle", Reply]>([
      ["verify", late],
      ["settle", "honest"],
    ])("a process that froze at %s has nothing to say when it thaws", async (call, reply) => {
      const [one, other] = await startTwo("after-success", 1_000);
      const headers = await payFor(one.url);
      const frozen = Promise.withResolvers<void>();
      facilitator.script[call].push(() => {
        one.freeze();
        frozen.resolve();
        return reply;
      });
      const slow = fetch(one.url, { headers });
      await frozen.promise;
      const response = await fetch(other.url, { headers });
      expect([response.status, await response.text()]).toEqual([
        200,
        expect.stringMatching(/^made by/),
      ]);
      one.thaw();
      // Neither the content a second time, nor a challenge for what has been paid.
      await expectLater(await slow, "settlement_pending");
      expect(facilitator.transfers()).toBe(1);
    });

    test("an answer made before its process died is given by the other", async () => {
      const leaseMs = 1_000;
      const [one, other] = await startTwo("after-success", leaseMs);
      const headers = await payFor(one.url);
      const asked = Promise.withResolvers<void>();
      // The money moves, and nobody hears of it.
      facilitator.script.settle.push(async () => {
        asked.resolve();
        await one.kill();
        return "honest" as const;
      });
      const lost = fetch(one.url, { headers });
      await asked.promise;
      await expect(lost).rejects.toThrow();
      const response = await fetch(other.url, { headers });
      expect([response.status, await response.text()]).toEqual([
        200,
        expect.stringMatching(/^made by/),
      ]);
      expect(readReceipt(response.headers)?.success).toBe(true);
      expect(response.headers.get("X-Payment-Replayed")).toBeNull();
      expect([one.made(), other.made(), facilitator.transfers()]).toEqual([1, 0, 1]);
    });
  });
}
