/**
 * Sellers in several processes, on every store that they can share: each use of a pass is taken once,
 * and a process that is killed costs a buyer at most its use, or what it had counted.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { payFor } from "../../buyer.testing.ts";
import { payTo } from "../../scene.testing.ts";
import {
  startScriptedFacilitator,
  type ScriptedFacilitator,
} from "../../scripted-facilitator.testing.ts";
import { availableOf } from "../balances/balances.ts";
import { maxReserveMs } from "../retention.ts";
import { openStore, type Store } from "./shared-stores.testing.ts";
import type { ShopOrder } from "./shop-process.testing.ts";
import { startShop } from "./shops.testing.ts";
import { stores, type StoreHost } from "./store-hosts.testing.ts";

const leaseMs = 15_000;

/** Each is a connection, and a process may open a thousand files. */
const atOnce = 200;

for (const [name, isThere, startHost] of stores) {
  describe.skipIf(!isThere)(`processes on one store in ${name}`, () => {
    let host: StoreHost;
    let facilitator: ScriptedFacilitator;
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

    async function start(order: Partial<ShopOrder> = {}) {
      const base = { facilitatorUrl: facilitator.url, payTo, store, leaseMs };
      const shop = await startShop({ ...base, settle: "before-work", ...order });
      shops.push(shop);
      return shop;
    }

    // The suite of passes takes a thousand uses at once from every store; here they are requests.
    test.runIf(name === "sqlite")("serve a hundred of a thousand requests at once", async () => {
      const pair = await Promise.all([start({ passUses: 101 }), start({ passUses: 101 })]);
      const [{ url }] = pair;
      const bought = await fetch(url, { headers: await payFor(url) });
      const headers = { "PAYMENT-PASS": bought.headers.get("PAYMENT-PASS") ?? "" };
      const statuses: number[] = [];
      await Promise.all(
        Array.from({ length: atOnce }, async (_one, at) => {
          for (let nth = 0; nth < 1_000 / atOnce; nth++) {
            const response = await fetch(pair[(at + nth) % 2 === 0 ? 0 : 1].url, { headers });
            await response.text();
            statuses.push(response.status);
          }
        }),
      );
      expect(statuses.filter((status) => status === 200)).toHaveLength(100);
      expect(statuses.filter((status) => status === 402)).toHaveLength(900);
    });

    test.each(["before-work", "after-success"] as const)(
      "%s: one that is killed between taking a use of a pass and serving costs that use",
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

    test("one that is killed inside streams is paid what it had counted, once their reserves have ended", async () => {
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
