/**
 * Sellers of channels in several processes, on every store that they can share: no voucher is charged
 * twice, whoever dies, and what was charged is passed on by whoever is left.
 */
import { headerNames } from "@farthing/protocol";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { startChannelFacilitator } from "../../channels/channel-facilitator.testing.ts";
import { chargedBy, headerOf, type Sent } from "../../channels/channel-shop.testing.ts";
import { payTo } from "../../scene.testing.ts";
import { startShop } from "./shops.testing.ts";
import { stores, type StoreHost } from "./store-hosts.testing.ts";

type Shop = Awaited<ReturnType<typeof startShop>>;

async function pay(shop: Shop, sent: Sent, path = "/call", shown = {}): Promise<Response> {
  const headers = { [headerNames.paymentSignature]: headerOf(sent), ...shown };
  const response = await fetch(new URL(path, shop.url), { headers });
  await response.text();
  return response;
}

for (const [name, isThere, startHost] of stores) {
  describe.skipIf(!isThere)(`processes with channels in ${name}`, () => {
    let host: StoreHost;
    let facilitator: Awaited<ReturnType<typeof startChannelFacilitator>>;
    const shops: Shop[] = [];
    beforeAll(async () => {
      host = await startHost();
      facilitator = await startChannelFacilitator();
    });
    afterAll(async () => {
      for (const shop of shops) await shop.kill();
      await facilitator?.close();
      await host?.stop();
    });

    test("charge each voucher once, go on for one that died, and hand out and pass on what it has left", async () => {
      const { url: facilitatorUrl, vault } = facilitator;
      const order = { facilitatorUrl, payTo, store: await host.create(), leaseMs: 1_000 };
      const start = async () => {
        const shop = await startShop({ ...order, settle: "after-success", sellsByChannel: true });
        shops.push(shop);
        return shop;
      };
      vault.isAway = true;
      const [dying, other] = await Promise.all([start(), start()]);
      const opened = await pay(dying, { type: "deposit", total: 1_000n });
      expect(chargedBy(opened)).toEqual(["1000", "1000"]);

      const repeats = await Promise.all(
        Array.from({ length: 10 }, (_one, at) =>
          pay(at % 2 === 0 ? dying : other, { total: 2_000n }),
        ),
      );
      const statuses = repeats.map(({ status }) => status).toSorted((a, b) => a - b);
      expect(statuses).toEqual([200, ...Array.from({ length: 9 }, () => 402)]);
      expect(dying.made() + other.made()).toBe(2);

      await expect(pay(dying, { total: 3_000n }, "/call/dies")).rejects.toThrow();
      // It waits for the lease of the process that died.
      expect(chargedBy(await pay(other, { total: 3_000n }))).toEqual(["1000", "3000"]);

      const last = { total: 4_000n };
      const buyer = { Cookie: "session=buyer" };
      await expect(pay(other, last, "/call/charged", buyer)).rejects.toThrow();
      expect(vault.totals).toEqual([]);
      vault.isAway = false;
      const next = await start();
      await vi.waitFor(() => expect(vault.totals).toEqual(["4000"]), { timeout: 10_000 });
      const again = await pay(next, last, "/call/charged", buyer);
      expect([again.status, chargedBy(again)]).toEqual([200, ["1000", "4000"]]);
      expect([again.headers.get("X-Payment-Replayed"), next.made()]).toEqual(["true", 0]);
      expect((await pay(next, last, "/call/charged")).status).toBe(402);
    });
  });
}
