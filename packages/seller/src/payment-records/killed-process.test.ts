/** A seller's process that is killed costs a buyer at most the use, or what was counted, on every shared store. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { payFor } from "../buyer.testing.ts";
import { payTo } from "../scene.testing.ts";
import {
  startScriptedFacilitator,
  type ScriptedFacilitator,
} from "../scripted-facilitator.testing.ts";
import { availableOf } from "./balances.ts";
import { maxReserveMs } from "./retention.ts";
import { openStore, type Store } from "./shared-stores.testing.ts";
import type { ShopOrder } from "./shop-process.testing.ts";
import { startShop } from "./shops.testing.ts";
import { stores, type StoreHost } from "./store-hosts.testing.ts";

const leaseMs = 15_000;

for (const [name, isThere, startHost] of stores) {
  describe.skipIf(!isThere)(`a process that is killed, on a store in ${name}`, () => {
    let host: StoreHost;
    let facilitator: ScriptedFacilitator;
    let store: Store;
    let shops: Awaited<ReturnType<typeof startShop>>[];
    beforeAll(async () => {
      host = await startHost();
    }, 60_000);
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

    async function start(order: Partial<ShopOrder> = {}) {
      const base = { facilitatorUrl: facilitator.url, payTo, store, leaseMs };
      const shop = await startShop({ ...base, settle: "before-work", ...order });
      shops.push(shop);
      return shop;
    }

    test.each(["before-work", "after-success"] as const)(
      "%s: between taking a use of a pass and serving costs that use",
      async (settle) => {
        const [dying, other] = await Promise.all([
          start({ settle, passUses: 3, diesAt: 2 }),
          start({ settle, passUses: 3 }),
        ]);
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

    test("inside streams is paid what it had counted, once their reserves have ended", async () => {
      const [dying, later] = await Promise.all([start(), start({ aheadMs: maxReserveMs })]);
      const at = (path: string, shop = dying) => new URL(path, shop.url).href;
      const bought = await fetch(at("/short"), { headers: await payFor(at("/short")) });
      await bought.text();
      const token = bought.headers.get("PAYMENT-PASS") ?? "";
      const headers = { "PAYMENT-PASS": token };
      const streams = await Promise.all(
        ["/metered", "/unmetered"].map((path) => fetch(at(path), { headers })),
      );
      const readers = streams.map(({ body }) => body?.getReader());
      for (const reader of readers) {
        let text = "";
        while (text !== "one two ") text += new TextDecoder().decode((await reader?.read())?.value);
      }
      await dying.kill();
      for (const reader of readers) await expect(reader?.read()).rejects.toThrow();

      const { records, close } = await openStore(store, {});
      const { balances } = records;
      if (!balances) throw new Error("The store keeps no balances.");
      const held = await balances.find(token);
      expect(held && [held.amount, availableOf(held)]).toEqual([4_999_900n, 4_899_900n]);
      const next = await fetch(at("/short", later), { headers });
      expect(next.status).toBe(200);
      await next.text();
      const found = await balances.find(token);
      const entries = await balances.ledger(found?.id ?? "");
      await close();
      expect(entries.map(({ kind, amount }) => [kind, amount])).toEqual([
        ["top-up", 5_000_000n],
        ["charge", -100n],
        ["charge", -14n],
        ["charge", -100n],
      ]);
      const sum = entries.reduce((left, { amount }) => left + amount, 0n);
      expect(found && [found.amount, availableOf(found)]).toEqual([sum, sum]);
      expect(facilitator.transfers()).toBe(1);
    });
  });
}
