/** The part of the benchmark about requests asks real programs, and compares windows of a round. */
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { addressOf } from "@farthing/seller/testing/listen";
import { openRecords, startSalesStores, storeNames } from "./earlier-sales.ts";
import { channelsSection, measureChannels } from "./channels.ts";
import { buyerSection, measureBuyer } from "./buyer.ts";
import { gatewaySection, measureGateway } from "./gateway.ts";
import { runHttpLoad } from "./http-load.ts";
import { measureSeller, sellerSection } from "./seller.ts";

test("requests through the gateway are measured beside a plain proxy and a stock seller", async () => {
  const plan = {
    connections: [2],
    bodies: [1_048_576],
    streams: { events: 5, connections: [3] },
    idle: 20,
    rounds: 1,
    warmUpMs: 0,
    countMs: 200,
  };
  const figures = await measureGateway(plan, () => undefined);
  for (const { racer, good, p50Ms } of figures.windows) {
    expect(good, racer).toBeGreaterThan(0);
    expect(p50Ms, racer).toBeGreaterThan(0);
  }
  const section = gatewaySection(plan, figures);
  // Of the small requests, and of nginx where it is installed.
  expect(section.match(/^\| 2 \| (?!nginx)/gm)).toHaveLength(13);
  expect(section.match(/^\| 3 \| (the API|plain|gateway)/gm)).toHaveLength(3);
  expect(section).toMatch(/^\| 2 \| pass, SQLite \| .*at least 0\.5/m);
  expect(section).toMatch(/^\| 1 \| gateway \|/m);
  expect(section).toMatch(/^\| 32 \| 1,000 routes \| .*at least 0\.91/m);
  expect(section).toMatch(/^20 connections that have asked once .* take -?[\d.]+ MiB/m);
});

test("requests to the seller's middleware are measured beside a stock seller and an app alone", async () => {
  const plan = {
    connections: [2],
    stores: ["memory", "PostgreSQL"] as const,
    records: [100],
    besideRecords: 3,
    rounds: 1,
    warmUpMs: 0,
    countMs: 200,
  };
  const figures = await measureSeller(plan, () => undefined);
  for (const { racer, good, p50Ms } of figures.windows) {
    expect(good, racer).toBeGreaterThan(0);
    expect(p50Ms, racer).toBeGreaterThan(0);
  }
  const section = sellerSection(plan, figures);
  expect(section.match(/^\| 2 \| /gm)).toHaveLength(10);
  expect(section.match(/^\| 3 \| (memory|PostgreSQL), (0|100) /gm)).toHaveLength(12);
});

test("calls over channels are measured beside passes, balances and the stock seller, with their gas", async () => {
  const plan = {
    stores: ["memory", "SQLite"] as const,
    loads: [{ channels: 6, connections: 2 }],
    rounds: 1,
    warmUpMs: 0,
    countMs: 200,
  };
  const figures = await measureChannels(plan, () => undefined);
  for (const { racer, good, p50Ms } of figures.windows) {
    expect(good, racer).toBeGreaterThan(0);
    expect(p50Ms, racer).toBeGreaterThan(0);
  }
  const section = channelsSection(plan, figures);
  expect(section.match(/^\| 2 \| channel, memory \|/gm)).toHaveLength(3);
  expect(section.match(/^\| 2 \| channel, SQLite \| .*at least 0\.7/gm)).toHaveLength(1);
  expect(section.match(/^\| 2 \| channel, SQLite \| .*at least 3/gm)).toHaveLength(1);
  expect(section).toMatch(/^\| a claim of 100 channels, for each \| 2\d,\d{3} \|/m);
  expect(section).toMatch(/^\| 10,000 calls over a channel, for each call \| \d\d \|/m);
});

test("each store contains as many earlier payments as it is asked for", async () => {
  await using stack = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "farthing-bench-"));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const stores = await startSalesStores(storeNames, folder, stack);
  for (const { name, create } of stores) {
    const opened = await openRecords(await create(3));
    stack.defer(opened.close);
    const acquire = (key: string) =>
      opened.records.acquire(
        { key, fingerprint: "another request", payload: "", validBeforeMs: Date.now() + 1_000 },
        { proof: {}, rule: "bound" },
      );
    expect((await acquire("sold 1")).kind, name).toBe("bound");
    expect((await acquire("sold 3")).kind, name).toBe("bound");
    expect((await acquire("sold 4")).kind, name).toBe("acquired");
  }
});

test("the buyer is measured beside a stock buyer, with its ledger, its command and its bundles", async () => {
  const plan = {
    atOnce: [1, 7],
    ledgers: { payments: [0, 50], rounds: 1, perRound: 2 },
    starts: 1,
    rounds: 1,
    warmUpMs: 0,
    countMs: 100,
  };
  const figures = await measureBuyer(plan, () => undefined);
  for (const { racer, good, p50Ms, cpuMicros } of figures.windows) {
    expect(good, racer).toBeGreaterThan(0);
    expect(p50Ms, racer).toBeGreaterThan(0);
    expect(cpuMicros, racer).toBeGreaterThan(0);
  }
  const paid = figures.windows.filter(({ title }) => title === "Requests that are paid");
  // The first round, which does not count, has paid as well.
  expect(figures.payments).toBeGreaterThan(paid.reduce((sum, { good }) => sum + good, 0));
  for (const { store, payments, pay, limits, size } of figures.ledgers) {
    expect(pay.cpuMicros, `${store} ${payments}`).toBeGreaterThan(0);
    expect(limits.cpuMicros, `${store} ${payments}`).toBeGreaterThan(0);
    expect(size.fileMiB > 0).toBe(store === "file");
  }
  const section = buyerSection(plan, figures);
  expect(section.match(/^\| 1 \| (plain|stock|wrapFetch)/gm)).toHaveLength(7);
  expect(section.match(/^\| 7 \| (plain|stock|wrapFetch)/gm)).toHaveLength(7);
  expect(section.match(/^\| (memory|file) \| (0|50) \|/gm)).toHaveLength(4);
  expect(section).toMatch(/^\| `farthing pay --help`, from a checkout \| \d/m);
  expect(section).toMatch(/^\| wrapFetch \| [\d,]+ \| [\d,]+ \| 0\.\d+ \|/m);
  expect(section).toMatch(/^\| dashboard, index, loaded at the start \| [\d,]+ \|/m);
});

test("counting goes on until there is a response", async () => {
  const phases: string[] = [];
  const server = createServer((_request, response) => {
    // The counting is over by then, and nothing was counted.
    setTimeout(() => response.end(), 150);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  try {
    const figures = await runHttpLoad({
      url: addressOf(server),
      connections: 2,
      ask: () => ({ path: "/", status: 200 }),
      warmUpMs: 0,
      countMs: 50,
      onCounting: () => void phases.push("marked"),
    });
    expect(figures.good).toBe(1);
    expect(figures.perSecond).toBeGreaterThan(0);
    expect(figures.perSecond).toBeLessThanOrEqual(1_000 / 150);
    expect(phases).toHaveLength(2);
  } finally {
    server.close();
  }
});
