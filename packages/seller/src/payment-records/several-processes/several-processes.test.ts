/** Sellers in several processes that share a store: one payment opens one response, also when one dies. */
import { readReceipt } from "@farthing/protocol";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { payFor } from "../../buyer.testing.ts";
import { expectLater, payTo } from "../../scene.testing.ts";
import {
  startScriptedFacilitator,
  type Reply,
  type ScriptedFacilitator,
} from "../../scripted-facilitator.testing.ts";
import type { ShopOrder } from "./shop-process.testing.ts";
import type { Store } from "./shared-stores.testing.ts";
import { startShop } from "./shops.testing.ts";
import { firstStores, type StoreHost } from "./store-hosts.testing.ts";

for (const [name, isThere, startHost] of firstStores) {
  describe.skipIf(!isThere)(`two processes on one store in ${name}`, () => {
    let facilitator: ScriptedFacilitator;
    let host: StoreHost;
    let store: Store;
    let shops: Awaited<ReturnType<typeof startShop>>[];
    beforeAll(async () => {
      host = await startHost();
    });
    afterAll(() => host?.stop());
    beforeEach(async () => {
      facilitator = await startScriptedFacilitator();
      store = await host.create();
      shops = [];
    });
    afterEach(async () => {
      for (const shop of shops) await shop.kill();
      await facilitator.close();
    });

    async function startTwo(settle: ShopOrder["settle"], leaseMs: number) {
      const order = { facilitatorUrl: facilitator.url, payTo, settle, leaseMs };
      for (let nth = 0; nth < 2; nth++) {
        shops.push(await startShop({ ...order, store }));
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
