/** Processes that share a database deliver each message, once as long as none of them dies. */
import { webhookEvents } from "@farthing/protocol";
import type { Address } from "@farthing/protocol";
import { beforeEach, describe, expect, test } from "vitest";
import { silentLog, systemClock } from "@farthing/engine/base";
import { bothEngines, storeForEach } from "../../../test/stores/store-benches.testing.ts";
import { next } from "../../../test/stores/store-values.testing.ts";
import type { ServiceStore } from "../open-store.ts";
import { startDeliveries, type DeliveryDeps } from "./deliveries.ts";
import { createWebhooks } from "./service.ts";

const account: Address = `0x${"33".repeat(20)}`;

const idOf = (message: { readonly headers: Readonly<Record<string, string>> }) =>
  message.headers["webhook-id"] ?? "";

function deliverWith(
  store: DeliveryDeps["store"],
  send: DeliveryDeps["send"],
  clock = systemClock,
): () => Promise<void> {
  return startDeliveries({ store, clock, log: silentLog, version: "1", send });
}

async function addEndpoint(store: ServiceStore) {
  const webhooks = createWebhooks({ store, clock: systemClock, log: silentLog });
  const url = `https://shop${next()}.example/`;
  const endpoint = await webhooks.create(account, { url, events: webhookEvents });
  if (!endpoint) throw new Error("no endpoint");
  return { endpoint, webhooks, test: () => webhooks.test(endpoint) };
}

describe.each(bothEngines())("on %s", (_, start) => {
  const at = storeForEach(start);
  beforeEach(() => at().store.ensureAccount(account, 1));

  test("several at once: each message once, and all of them", async () => {
    const { bench, store } = at();
    const endpoints = [
      await addEndpoint(store),
      await addEndpoint(store),
      await addEndpoint(store),
    ];
    const ids: string[] = [];
    for (let count = 0; count < 60; count++) ids.push(await (endpoints[count % 3]?.test() ?? ""));
    const sent: string[] = [];
    const send: DeliveryDeps["send"] = async (message) => {
      sent.push(idOf(message));
      return { kind: "answered", status: 200 };
    };
    const stores = await Promise.all(
      Array.from({ length: bench.isConcurrent ? 5 : 2 }, () => bench.open()),
    );
    const stops = stores.map((one) => deliverWith(one, send));
    await expect.poll(() => sent.length).toBeGreaterThanOrEqual(ids.length);
    await Promise.all(stops.map((stop) => stop()));
    await Promise.all(stores.map((one) => one.close()));
    expect(sent.toSorted()).toEqual(ids.toSorted());
    for (const { endpoint, webhooks } of endpoints) {
      const { items } = await webhooks.deliveries(endpoint, { limit: 100 });
      expect(items.every(({ state, attempts }) => state === "delivered" && attempts === 1)).toBe(
        true,
      );
    }
  });

  test("an endpoint that hangs delays no other", async () => {
    const { store } = at();
    const [slow, quick] = [await addEndpoint(store), await addEndpoint(store)];
    await Promise.all(Array.from({ length: 50 }, slow.test));
    const wanted = await quick.test();
    const sent: string[] = [];
    let hanging = 0;
    const stop = deliverWith(store, async (message) => {
      sent.push(idOf(message));
      if (message.url === quick.endpoint.url) return { kind: "answered", status: 200 };
      hanging++;
      await new Promise((done) => message.signal?.addEventListener("abort", done));
      return { kind: "unanswered", problem: "ended" };
    });
    await expect.poll(() => sent).toContain(wanted);
    await stop();
    // A few of its own, and not the slots of all.
    expect(hanging).toBeLessThan(12);
  });

  /** Time in which nothing but the work itself goes on: a pause ends when it is cut short. */
  const pauseless = {
    ...systemClock,
    sleep: (_ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        // A stop that comes between two sleeps must end the next one as well.
        if (signal?.aborted === true) return resolve();
        return signal?.addEventListener("abort", () => resolve());
      }),
  };

  test("a busy endpoint is waited for by its answers and by no pause", async () => {
    const { store } = at();
    const { test: sendTest } = await addEndpoint(store);
    await Promise.all(Array.from({ length: 100 }, sendTest));
    let sent = 0;
    const stop = deliverWith(
      store,
      async () => {
        sent++;
        await new Promise(setImmediate);
        return { kind: "answered", status: 200 };
      },
      pauseless,
    );
    await expect.poll(() => sent).toBe(100);
    await stop();
  });

  test("who answers quickly has more at once, up to a quarter; who fails has few again", async () => {
    const { store } = at();
    const { test: sendTest } = await addEndpoint(store);
    await Promise.all(Array.from({ length: 200 }, sendTest));
    let [sent, running, isGood] = [0, 0, true];
    let gate = Promise.withResolvers<void>();
    const stop = deliverWith(store, async ({ signal }) => {
      running++;
      // Thirty to get to know it, and then as many as come.
      if (++sent > 30) {
        const ended = new Promise<void>((done) => signal?.addEventListener("abort", () => done()));
        await Promise.race([gate.promise, ended]);
      }
      running--;
      return { kind: "answered", status: isGood ? 200 : 500 };
    });
    // The last look finds no room for as many as it would take.
    await expect.poll(() => running).toBeGreaterThan(20);
    expect(running).toBeLessThanOrEqual(24);
    isGood = false;
    const before = sent;
    gate.resolve();
    gate = Promise.withResolvers();
    await expect.poll(() => sent).toBeGreaterThan(before);
    await expect.poll(() => running).toBeLessThanOrEqual(4);
    await stop();
  });

  test("when a process dies during one, the next process sends it again", async () => {
    const { store } = at();
    const { test: sendTest } = await addEndpoint(store);
    const id = await sendTest();
    const dead = { ...store, recordAttempt: () => new Promise<never>(() => {}) };
    const first = Promise.withResolvers<undefined>();
    const stopDead = deliverWith(dead, async () => {
      first.resolve(undefined);
      return { kind: "answered", status: 200 };
    });
    await first.promise;
    void stopDead();
    const sent: string[] = [];
    const record: DeliveryDeps["send"] = async (message) => {
      sent.push(idOf(message));
      return { kind: "answered", status: 200 };
    };
    const later = { ...systemClock, nowMs: () => systemClock.nowMs() + 31_000 };
    const stop = deliverWith(store, record, later);
    await expect.poll(() => sent).toEqual([id]);
    await stop();
  });
});
