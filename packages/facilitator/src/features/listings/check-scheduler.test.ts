/** Processes that share a database check each listing, one at a time, and no host too often. */
import { xdc, type Address } from "@farthing/protocol";
import { describe, expect, test } from "vitest";
import { silentLog, systemClock } from "@farthing/engine/base";
import type { CheckResult, Listing } from "./model.ts";
import { bothEngines, storeForEach } from "../../../test/stores/store-benches.testing.ts";
import { next } from "../../../test/stores/store-values.testing.ts";
import type { ServiceStore } from "../open-store.ts";
import { startCheckScheduler } from "./check-scheduler.ts";
import type { Probe } from "./probe.ts";

const account: Address = `0x${"33".repeat(20)}`;
const passed: CheckResult = {
  outcome: "passed",
  reason: null,
  message: "",
  differences: [],
  seen: undefined,
};
/** As long as these tests never take. */
const everyMs = 3_600_000;

function keepWith(store: ServiceStore, probe: Probe, clock = systemClock) {
  const rhythm = { everyMs, random: Math.random };
  return startCheckScheduler({ store, clock, log: silentLog, probe, rhythm });
}

async function addListing(store: ServiceStore, host: string): Promise<string> {
  const id = `lst_${next()}`;
  const resource = `https://${host}/${id}`;
  const about = { title: "t", description: "", tags: [], mimeType: null, sample: {} };
  const terms = { resource, method: "GET" as const, chainId: xdc.chainId, amount: 1n, ...about };
  const listing = { ...terms, id, account, createdAt: 1 };
  expect(await store.createListing(listing, { listingsMax: 1_000 })).toBe("created");
  return id;
}

describe.each(bothEngines())("on %s", (_, start) => {
  const at = storeForEach(start);

  test("several at once: each listing once, all of them, two of a host at a time", async () => {
    const { bench, store } = at();
    const ids: string[] = [];
    for (let count = 0; count < 40; count++) {
      ids.push(await addListing(store, `shop${count % 5}.example`));
    }
    const checked: string[] = [];
    const busy = new Map<string, number>();
    let most = 0;
    const probeOf =
      (process: number): Probe =>
      async ({ resource }) => {
        const { host, pathname } = new URL(resource);
        const place = `${process} ${host}`;
        busy.set(place, (busy.get(place) ?? 0) + 1);
        most = Math.max(most, busy.get(place) ?? 0);
        checked.push(pathname.slice(1));
        await Promise.resolve();
        busy.set(place, (busy.get(place) ?? 1) - 1);
        return passed;
      };
    const stores = await Promise.all(
      Array.from({ length: bench.isConcurrent ? 4 : 2 }, () => bench.open()),
    );
    const schedulers = stores.map((one, index) => keepWith(one, probeOf(index)));
    await expect.poll(() => checked.length).toBeGreaterThanOrEqual(ids.length);
    await Promise.all(schedulers.map((scheduler) => scheduler.stop()));
    await Promise.all(stores.map((one) => one.close()));
    expect(checked.toSorted()).toEqual(ids.toSorted());
    expect(most).toBeLessThanOrEqual(2);
    const all = await store.listListings(account);
    expect(new Set(all.map(({ check }) => check.state))).toEqual(new Set(["live"]));
  });

  test("an endpoint that hangs delays no other, and is left when the process ends", async () => {
    const { store } = at();
    const slow: string[] = [];
    for (let count = 0; count < 4; count++) slow.push(await addListing(store, "slow.example"));
    const quick = await addListing(store, "quick.example");
    const done: string[] = [];
    let hanging = 0;
    const scheduler = keepWith(store, async ({ resource }, signal) => {
      if (resource.includes("quick")) {
        done.push(resource);
        return passed;
      }
      hanging++;
      await new Promise((ended) => signal?.addEventListener("abort", ended));
      return { ...passed, outcome: "absent" };
    });
    const stateOf = async (id: string) => (await store.findListing(id))?.check;
    await expect.poll(() => stateOf(quick)).toMatchObject({ state: "live" });
    expect(hanging).toBe(2);
    await scheduler.stop();
    expect(await stateOf(slow[0] ?? "")).toMatchObject({ state: "pending", triedAt: null });
  });

  test("whoever dies in the middle of one leaves it to the next", async () => {
    const { store } = at();
    const id = await addListing(store, "shop.example");
    const first = Promise.withResolvers<undefined>();
    const dead = keepWith(store, () => {
      first.resolve(undefined);
      return new Promise<never>(() => {});
    });
    await first.promise;
    void dead.stop();
    const checked: Listing["resource"][] = [];
    const later = { ...systemClock, nowMs: () => systemClock.nowMs() + 61_000 };
    const heir = keepWith(
      store,
      async ({ resource }) => {
        checked.push(resource);
        return passed;
      },
      later,
    );
    await expect.poll(() => checked.length).toBe(1);
    await heir.stop();
    expect(await store.findListing(id)).toMatchObject({ check: { state: "live" } });
  });

  test("a store that fails ends nothing: it goes on when the store does", async () => {
    const { store } = at();
    const id = await addListing(store, "shop.example");
    let failures = 0;
    const failing = {
      ...store,
      takeDueListings: (...parameters: Parameters<ServiceStore["takeDueListings"]>) => {
        if (failures++ < 2) return Promise.reject(new Error("the disk is full"));
        return store.takeDueListings(...parameters);
      },
    };
    const scheduler = keepWith(failing, async () => passed);
    await expect
      .poll(async () => {
        scheduler.wake();
        return (await store.findListing(id))?.check;
      })
      .toMatchObject({ state: "live" });
    expect(failures).toBeGreaterThan(2);
    await scheduler.stop();
  });
});
