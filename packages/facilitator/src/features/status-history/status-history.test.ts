/** The history of the service: what several processes add to it, what is kept of it, and its pictures. */
import { apothem, xdc } from "@farthing/protocol";
import { silentLog } from "@farthing/engine/base";
import { describe, expect, onTestFinished, test } from "vitest";
import { bothEngines } from "../../../test/stores/store-benches.testing.ts";
import { historyCharts } from "../../payments/history-charts.ts";
import { daysOf, hoursOf, latencyOf, totalOf } from "../../payments/history-sums.ts";
import {
  createServiceHistory,
  longer,
  type HistoryPart,
  type ServiceHistoryStore,
} from "../../payments/service-history.ts";

const { chainId } = apothem;
const start = Date.UTC(2026, 10, 20, 12, 0);
const minuteMs = 60_000;
const slot = start / (30 * minuteMs);
const hour = start / (60 * minuteMs);

describe.each(bothEngines())("on %s", (_, open) => {
  test("processes join their minutes and add their settlements; what is old goes", async () => {
    const bench = await open();
    onTestFinished(bench.stop);
    const [one, other] = [await bench.open(), await bench.open()];
    onTestFinished(async () => {
      await one.close();
      await other.close();
    });
    const part = (looked: number, available: number, settlements: number): HistoryPart => ({
      availability: [{ slot, looked, available }],
      latency: [{ hour, within: 3, settlements }],
    });
    const kept = { slot: slot - 10, hour: hour - 10 };
    const old = {
      availability: [{ slot: slot - 11, looked: 1, available: 1 }],
      latency: [{ hour: hour - 11, within: 1, settlements: 1 }],
    };
    await one.addServiceHistory(chainId, old, { slot: 0, hour: 0 });
    await Promise.all([
      one.addServiceHistory(chainId, part(0b0111, 0b0101, 2), kept),
      other.addServiceHistory(chainId, part(0b1010, 0b0010, 3), kept),
    ]);
    await other.addServiceHistory(xdc.chainId, part(1, 1, 1), kept);
    expect(await one.readServiceHistory(chainId)).toEqual(part(0b1111, 0b0111, 5));
    // The last bit of a slot is no sign.
    await one.addServiceHistory(chainId, part(2 ** 29, 2 ** 29, 1), kept);
    const { availability } = await one.readServiceHistory(chainId);
    expect(availability).toMatchObject([{ looked: 2 ** 29 + 0b1111 }]);
  });
});

/** A process with a clock that the test moves, and what it has written. */
function openProcess(store?: ServiceHistoryStore) {
  const written: HistoryPart[] = [];
  const time = { now: start, isGone: false };
  const own: ServiceHistoryStore = {
    async addServiceHistory(_chainId, part) {
      if (time.isGone) throw new Error("the database takes no writes");
      written.push(part);
    },
    readServiceHistory: async () => written.at(-1) ?? { availability: [], latency: [] },
  };
  const history = createServiceHistory({
    store: store ?? own,
    networks: [{ network: apothem }],
    clock: { nowMs: () => time.now, sleep: async () => undefined },
    log: silentLog,
  });
  return { history, written, time };
}

test("a minute is available when every look finds the database and the network usable", async () => {
  const { history, written, time } = openProcess();
  const look = (failing?: string) => {
    const names = ["database", apothem.id, xdc.id];
    history.note(names.map((name) => ({ name, ok: name !== failing })));
    time.now += 30_000;
  };
  for (const failing of [undefined, undefined, "database", undefined, xdc.id, undefined]) {
    look(failing);
  }
  look(apothem.id);
  await history.start().stop();
  // The fourth minute is not over, and is written when the process ends.
  expect(written).toEqual([
    { availability: [{ slot, looked: 0b1111, available: 0b0101 }], latency: [] },
  ]);
});

test("what cannot be written waits, and is written once", async () => {
  const { history, written, time } = openProcess();
  history.note([{ name: "database", ok: true }]);
  history.noteSettled(chainId, 2.5);
  time.isGone = true;
  await history.start().stop();
  expect(written).toEqual([]);
  time.isGone = false;
  time.now += minuteMs;
  history.note([{ name: "database", ok: false }]);
  history.noteSettled(chainId, 2.5);
  history.noteSettled(chainId, 1_000);
  await history.start().stop();
  await history.start().stop();
  expect(written).toEqual([
    {
      availability: [{ slot, looked: 0b11, available: 0b01 }],
      latency: [
        { hour, within: 3, settlements: 2 },
        { hour, within: longer, settlements: 1 },
      ],
    },
  ]);
});

test("while nothing can be written for days, a day waits", async () => {
  const { history, written, time } = openProcess();
  time.isGone = true;
  for (let halfHour = 0; halfHour < 200; halfHour++) {
    history.note([{ name: "database", ok: false }]);
    time.now += 30 * minuteMs;
  }
  time.isGone = false;
  await history.start().stop();
  expect(written[0]?.availability).toHaveLength(48);
});

test("what is noted while a write fails stays before what is older", async () => {
  const written: HistoryPart[] = [];
  let isGone = true;
  const { history, time } = openProcess({
    async addServiceHistory(_chainId, part) {
      if (!isGone) return void written.push(part);
      for (let halfHour = 0; halfHour < 2; halfHour++) look();
      throw new Error("the database takes no writes");
    },
    readServiceHistory: async () => ({ availability: [], latency: [] }),
  });
  function look(): void {
    history.note([{ name: "database", ok: true }]);
    time.now += 30 * minuteMs;
  }
  for (let halfHour = 0; halfHour < 48; halfHour++) look();
  await history.start().stop();
  isGone = false;
  look();
  await history.start().stop();
  const slots = written[0]?.availability
    .map((one) => one.slot)
    .toSorted((one, other) => one - other);
  expect(slots).toEqual(Array.from({ length: 48 }, (_, index) => slot + 3 + index));
});

test("gaps count neither as available nor as failing, and the present hour is not over", () => {
  const now = start + 40 * minuteMs;
  const slots = [
    { slot: slot - 48 * 3, looked: 0b11, available: 0b01 },
    { slot, looked: 2 ** 30 - 1, available: 2 ** 30 - 2 },
    { slot: slot + 1, looked: 0b1111, available: 0b1111 },
  ];
  expect(hoursOf(slots, now)).toHaveLength(24);
  expect(hoursOf(slots, now).at(-1)).toEqual({ start, past: 40, looked: 34, available: 33 });
  expect(totalOf(daysOf(slots, now))).toEqual({
    past: 89 * 1440 + 760,
    looked: 36,
    available: 34,
  });
  expect(latencyOf([], start)).toMatchObject({ settlements: 0 });
  const counts = [
    { hour, within: longer, settlements: 1 },
    { hour, within: 2, settlements: 5 },
    { hour, within: 4, settlements: 4 },
  ];
  expect(latencyOf(counts, start)).toEqual({ start, settlements: 10, half: 2, most: Infinity });
});

test("the largest pictures of two networks fit a page for slow connections", () => {
  const availability = Array.from({ length: 90 * 48 }, (_, index) => ({
    slot: slot - index,
    looked: 2 ** 30 - 2,
    available: 2 ** 30 - 4,
  }));
  const latency = Array.from({ length: 24 }, (_, index) => ({
    hour: hour - index,
    within: 3,
    settlements: 1_000_000,
  }));
  const drawn = historyCharts({ availability, latency }, "Apothem Network", start).text;
  // The page has 100 kB, of which a third is for everything else.
  expect(drawn.replaceAll(/\n\s+/g, "\n").length).toBeLessThan(35_000);
});

test("pictures say in words what they show; a failing minute is never 100%", () => {
  const now = start + 59 * minuteMs;
  const slots = Array.from({ length: 900 }, (_, index) => ({
    slot: slot - index,
    looked: 2 ** 30 - 1,
    available: index === 5 ? 2 ** 30 - 2 : 2 ** 30 - 1,
  }));
  const part = { availability: slots, latency: [{ hour, within: longer, settlements: 1 }] };
  const page = historyCharts(part, "Apothem", now).text.replaceAll(/\s+/g, " ");
  expect(page).toContain("Available in 99.99% of the measured minutes of the last 90 days");
  expect(page).toContain(
    "1 settlement was confirmed in the last 24 hours: half within more than 300 s",
  );
  expect(page).toMatch(/<td>\s*09:00\s*<\/td>\s*<td>98.33%<\/td>\s*<td>1 min<\/td>/);
  const empty = historyCharts(undefined, "Apothem", now).text;
  expect(empty).toContain("Nothing of the last 24 hours is measured yet.");
  expect(empty).not.toContain("<svg");
});
