/** What every store promises about the fee: one change of several proposed, announced once to everybody. */
import type { Address } from "@farthing/protocol";
import { expect, test } from "vitest";
import type { WebhookEndpoint } from "../../src/features/webhooks/model.ts";
import type { ServiceStore } from "../../src/features/open-store.ts";
import { storeForEach } from "./store-benches.testing.ts";
import { next, type StoreBench } from "./store-values.testing.ts";

const seller: Address = `0x${"33".repeat(20)}`;
const other: Address = `0x${"44".repeat(20)}`;

/** An endpoint that hears of fees; returns its id. */
async function listening(store: ServiceStore, changes: Partial<WebhookEndpoint>): Promise<string> {
  const account = changes.account ?? seller;
  await store.ensureAccount(account, 1);
  const endpoint: WebhookEndpoint = {
    id: `whk_${next()}`,
    account,
    channel: "webhook",
    url: "https://shop.example/hook",
    secret: "whsec_x",
    events: ["fee.changed"],
    createdAt: next(),
    disabledAt: null,
    pausedAt: null,
    isPausedByOwner: false,
    ...changes,
  };
  await store.createWebhook(endpoint, { endpointsMax: 9 });
  return endpoint.id;
}

const counted = (results: readonly boolean[]) => results.filter(Boolean).length;

/** The tests, on databases that `start` makes. */
export function feeSuite(start: () => Promise<StoreBench>): void {
  const at = storeForEach(start);

  test("of processes that propose a change at once one makes it, and each endpoint hears of it once", async () => {
    const { bench, store } = at();
    const peer = await bench.open();
    const told = await Promise.all([
      listening(store, {}),
      listening(store, { account: other, channel: "email", url: "mailto:a@shop.example" }),
    ]);
    const untold = await Promise.all([
      listening(store, { events: ["credits.low"] }),
      listening(store, { pausedAt: 5 }),
    ]);
    expect(await store.readFee()).toBeUndefined();
    const first = { rule: "auto", credits: 4 };
    const all = (from: Parameters<ServiceStore["changeFee"]>[0], credits: number, now: number) =>
      Promise.all(
        [store, peer, store, peer].map((one) => one.changeFee(from, { ...first, credits }, now)),
      );
    expect(counted(await all(undefined, 4, 1_000))).toBe(1);
    const before = await peer.readFee();
    expect(before).toEqual({ ...first, before: null, since: 1_000 });
    expect(counted(await all(before, 34, 2_000))).toBe(1);
    expect(await store.readFee()).toEqual({ rule: "auto", credits: 34, before: 4, since: 2_000 });
    // One that has read the fee before the change is too late.
    expect(await peer.changeFee(before, { ...first, credits: 9 }, 3_000)).toBe(false);
    const since = "1970-01-01T00:00:02.000Z";
    const data = { credits: 34, creditsBefore: 4, usdc: "0.034000", since };
    for (const id of told) {
      const { items } = await store.listDeliveries(id, { limit: 5 });
      expect(items.map(({ body }) => JSON.parse(body))).toEqual([
        { type: "fee.changed", timestamp: since, data },
      ]);
    }
    for (const id of untold) {
      expect((await store.listDeliveries(id, { limit: 5 })).items).toEqual([]);
    }
    // Another rule with the same fee changes nothing for anybody.
    const changed = await store.readFee();
    expect(await peer.changeFee(changed, { rule: "table", credits: 34 }, 4_000)).toBe(true);
    expect(await store.readFee()).toEqual({ ...changed, rule: "table" });
    for (const id of told) {
      expect((await store.listDeliveries(id, { limit: 5 })).items).toHaveLength(1);
    }
    await peer.close();
  });
}
