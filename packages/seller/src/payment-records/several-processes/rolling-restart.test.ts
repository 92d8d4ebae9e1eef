/**
 * A rolling restart: the seller of commit 7c505e4 and today's on one store. The old one runs as it
 * was, bundled from the history; it made the file or the keys, and neither is stopped for the other.
 */
import { headerNames } from "@farthing/protocol";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { payFor } from "../../buyer.testing.ts";
import { expectLater, payTo } from "../../scene.testing.ts";
import {
  startScriptedFacilitator,
  type ScriptedFacilitator,
} from "../../scripted-facilitator.testing.ts";
import type { ShopOrder } from "./shop-process.testing.ts";
import type { Store } from "./shared-stores.testing.ts";
import { before, startShop, today } from "./shops.testing.ts";
import { firstStores, type StoreHost } from "./store-hosts.testing.ts";

type Shop = Awaited<ReturnType<typeof startShop>>;

for (const [name, isThere, startHost] of firstStores) {
  describe.skipIf(!isThere)(`beside the seller of 7c505e4, on one store in ${name}`, () => {
    let facilitator: ScriptedFacilitator;
    let host: StoreHost;
    let store: Store;
    let shops: Shop[];
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

    async function start(settle: ShopOrder["settle"], leaseMs: number, script: string) {
      const order = { facilitatorUrl: facilitator.url, payTo, settle, leaseMs };
      const shop = await startShop({ ...order, store }, script);
      shops.push(shop);
      return shop;
    }

    /** The old seller, and then today's on what the old one has made. */
    async function startBoth(settle: ShopOrder["settle"], leaseMs: number) {
      const old = await start(settle, leaseMs, before);
      return { old, young: await start(settle, leaseMs, today) };
    }

    /** Kills a seller after the money has moved, before it hears of it. */
    function killAtSettle(shop: Shop): Promise<void> {
      const asked = Promise.withResolvers<void>();
      facilitator.script.settle.push(async () => {
        asked.resolve();
        await shop.kill();
        return "honest" as const;
      });
      return asked.promise;
    }

    test.each(["before-work", "after-success"] as const)(
      "%s: one of them serves",
      async (settle) => {
        const { old, young } = await startBoth(settle, 15_000);
        for (const [first, second] of [
          [old, young],
          [young, old],
        ] as const) {
          const headers = await payFor(first.url);
          const made = old.made() + young.made();
          const responses = await Promise.all(
            Array.from({ length: 10 }, async (_one, at) => {
              const response = await fetch(at % 2 === 0 ? first.url : second.url, { headers });
              const isFirst = response.headers.get("X-Payment-Replayed") === null;
              return response.status === 200 && isFirst;
            }),
          );
          expect(responses.filter(Boolean)).toHaveLength(1);
          expect(old.made() + young.made()).toBe(made + 1);
        }
        expect(facilitator.transfers()).toBe(2);
      },
    );

    test("an old lease is honoured while it is in force", async () => {
      const { old, young } = await startBoth("after-success", 15_000);
      const headers = await payFor(old.url);
      const reached = Promise.withResolvers<void>();
      const goOn = Promise.withResolvers<void>();
      facilitator.script.settle.push(async () => {
        reached.resolve();
        await goOn.promise;
        return "honest" as const;
      });
      const first = fetch(old.url, { headers });
      await reached.promise;
      const repeat = fetch(young.url, { headers });
      goOn.resolve();
      expect((await first).status).toBe(200);
      // The old seller has not noted whose payment it was, so that nobody can prove it to be theirs.
      const response = await repeat;
      expect([response.status, await response.json()]).toMatchObject([
        409,
        { error: "already_delivered" },
      ]);
      expect([old.made(), young.made(), facilitator.transfers()]).toEqual([1, 0, 1]);
    });

    test("what an old seller left is finished by the new one", async () => {
      const { old, young } = await startBoth("after-success", 1_000);
      const headers = await payFor(old.url);
      const asked = killAtSettle(old);
      const lost = fetch(old.url, { headers });
      await asked;
      await expect(lost).rejects.toThrow();
      const response = await fetch(young.url, { headers });
      expect([response.status, await response.text()]).toEqual([
        200,
        expect.stringMatching(/^made by/),
      ]);
      expect([old.made(), young.made(), facilitator.transfers()]).toEqual([1, 0, 1]);
    });

    test("what a new seller left opens nothing at the old one, and is finished by a new one", async () => {
      const { old, young } = await startBoth("after-success", 1_000);
      const headers = await payFor(young.url);
      const asked = killAtSettle(young);
      const lost = fetch(young.url, { headers });
      await asked;
      await expect(lost).rejects.toThrow();
      // It reads another hash of the payment than it would have written: no content, no challenge.
      const refused = await fetch(old.url, { headers });
      expect([refused.status, refused.headers.get(headerNames.paymentRequired)]).toEqual([
        409,
        null,
      ]);
      const next = await start("after-success", 1_000, today);
      const response = await fetch(next.url, { headers });
      expect([response.status, await response.text()]).toEqual([
        200,
        expect.stringMatching(/^made by/),
      ]);
      expect([old.made(), next.made(), facilitator.transfers()]).toEqual([0, 0, 1]);
    });

    test("an old seller that froze has nothing to say when it thaws", async () => {
      const { old, young } = await startBoth("after-success", 1_000);
      const headers = await payFor(old.url);
      const frozen = Promise.withResolvers<void>();
      facilitator.script.settle.push(() => {
        old.freeze();
        frozen.resolve();
        return "honest" as const;
      });
      const slow = fetch(old.url, { headers });
      await frozen.promise;
      expect((await fetch(young.url, { headers })).status).toBe(200);
      old.thaw();
      await expectLater(await slow, "settlement_pending");
      expect(facilitator.transfers()).toBe(1);
    });
  });
}
