/** /status for people: numbers of the service at work, incidents, and nothing that is secret. */
import type { Devnet } from "@farthing/devnet";
import { Fault } from "@farthing/engine/base";
import { startRpcProxy, type RpcProxy } from "@farthing/lab/rpc-proxy";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openStore, type ServiceStore } from "../../src/features/open-store.ts";
import { createServiceRecord } from "../../src/payments/service-record.ts";
import { RecentDurations } from "../../src/payments/recent-durations.ts";
import {
  bodyOn,
  createSteeredClock,
  newDatabaseUrl,
  serveOn,
  startChain,
  type Served,
} from "../support/facilitator.testing.ts";

let devnet: Devnet;
let proxy: RpcProxy;
let served: Served;
let pings = 0;
let isDatabaseGone = false;

/** Looks at the checks follow each other at once. */
const clock = createSteeredClock();
clock.hurryFromMs = 15_000;

beforeAll(async () => {
  devnet = await startChain({ blockTimeSeconds: 1 });
  proxy = await startRpcProxy(devnet.rpcUrl);
  const databaseUrl = newDatabaseUrl();
  const store = await openStore(databaseUrl);
  served = await serveOn(devnet, {
    databaseUrl,
    store: failing(store),
    clock,
    rpcUrl: `${proxy.url}/secret-path?key=secret-query`,
    env: { FARTHING_METRICS_PORT: "0" },
  });
});
afterAll(async () => {
  await served?.stop();
  await proxy?.stop();
  await devnet?.stop();
});

function failing(store: ServiceStore): ServiceStore {
  return {
    ...store,
    async ping() {
      pings++;
      if (isDatabaseGone) throw new Fault("storage_unavailable", "The database failed at ping");
      await store.ping();
    },
  };
}

/** The page as it is written now: past the five seconds for which it is kept, or before them. */
async function read(): Promise<string> {
  clock.aheadMs = clock.aheadMs === 0 ? 6_000 : 0;
  const response = await fetch(`${served.url}/status`);
  expect(response.status).toBe(200);
  return response.text();
}

/** The pauses between looks at the checks, so far. */
const looksOf = () => clock.waits.filter((ms) => ms === 15_000).length;

/** The words of a page, without its markup. */
const wordsOf = (page: string) => page.replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");

test("shows blocks, wallets, endpoints and what was settled in the last hour", async () => {
  // Its wait for the outcome is cut short as well.
  await served.post("/settle", bodyOn(devnet));
  await expect.poll(async () => wordsOf(await read())).toContain("Last hour 1 confirmed");
  const words = wordsOf(await read());
  expect(words).toContain("All checks pass");
  expect(words).toMatch(/Newest \d+, \d+ s old/);
  expect(words).toContain("1 of 1 can take work here");
  expect(words).toMatch(/Last hour 1 confirmed: half within \d+ s, 95% within \d+ s/);
  expect(words).toMatch(/Endpoint 0 \d+ answered: half within \d+ m?s/);
  expect(words).toContain("No check has failed since");
});

test("what took longer than is measured is told with the bound", async () => {
  await devnet.rpc("evm_setIntervalMining", [0]);
  const settled = served.post("/settle", bodyOn(devnet));
  await expect.poll(async () => wordsOf(await read())).toContain("On their way 1 transaction");
  clock.aheadMs = 400_000;
  await devnet.rpc("evm_setIntervalMining", [1]);
  await settled;
  await expect
    .poll(async () => {
      clock.aheadMs += 6_000;
      return wordsOf(await (await fetch(`${served.url}/status`)).text());
    })
    .toMatch(/Last hour 2 confirmed: half within \d+ s, over 5% in more than 300 s/);
});

test("has the headers of a page of ours, names no endpoint, and is not for search engines", async () => {
  const response = await fetch(`${served.url}/status`);
  const page = await response.text();
  expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(response.headers.get("cache-control")).toBe("public, max-age=5");
  expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(page).toContain('name="robots" content="noindex"');
  for (const secret of ["secret-path", "secret-query", new URL(proxy.url).host]) {
    expect(page).not.toContain(secret);
  }
});

test("however many ask at once, the database is asked as if there were one", async () => {
  await read();
  clock.frozenMs = clock.nowMs();
  const before = { pings, looks: looksOf() };
  await Promise.all(Array.from({ length: 200 }, () => fetch(`${served.url}/status`)));
  // Each look at the checks pings once, and the time of the page stands still.
  expect(pings - before.pings).toBeLessThanOrEqual(looksOf() - before.looks + 1);
  clock.frozenMs = undefined;
});

test("a database that goes and comes back is an incident with a beginning and an end", async () => {
  isDatabaseGone = true;
  await expect
    .poll(async () => wordsOf(await read()))
    .toMatch(
      /1 check fails .* Database Failing The database failed.* Database: The database failed[^.]*\. Now since [\d-]+ [\d:]+ UTC/,
    );
  const metrics = await (await fetch(`${served.metricsUrl}/metrics`)).text();
  expect(metrics).toMatch(/^x402_ready\{check="database"\} 0$/m);
  expect(metrics).toMatch(/^x402_ready\{check="eip155:51"\} 1$/m);
  isDatabaseGone = false;
  await expect
    .poll(async () => wordsOf(await read()))
    .toMatch(
      /All checks pass .* Database: The database failed[^.]*\. [\d-]+ [\d:]+ UTC to [\d-]+ [\d:]+ UTC/,
    );
});

type Figures = Readonly<Record<"measuredMinutes" | "availableMinutes" | "share", number>>;

test("pictures of the last day and quarter are drawn from what is kept, with their tables", async () => {
  expect(wordsOf(await read())).toContain("Minutes in which no process ran are not measured");
  clock.aheadMs = 900_000;
  // What the page knows of the database is a minute old at most.
  await expect
    .poll(async () => {
      clock.aheadMs += 61_000;
      return wordsOf(await (await fetch(`${served.url}/status`)).text());
    })
    .toMatch(
      /Available in [\d.]+% of the measured minutes of the last 24 hours; .* 2 settlements were confirmed in the last 24 hours: half within \d+ s .* Half within 95% within .* last 90 days .* Not measured/,
    );
  // Programs read the same figures as JSON.
  const { networks } = Object((await served.get("/v1/status")).body);
  const [{ availability }] = networks;
  expect(Object.keys(availability)).toEqual(["last24Hours", "last90Days"]);
  for (const { measuredMinutes, availableMinutes, share } of Object.values<Figures>(availability)) {
    expect(measuredMinutes).toBeGreaterThan(0);
    expect(share).toBe(availableMinutes / measuredMinutes);
  }
});

test("incidents and durations stay bounded, and the last hour is the last hour", () => {
  let now = 0;
  const own = { nowMs: () => now, sleep: async () => undefined };
  const record = createServiceRecord(own);
  for (let at = 0; at < 100; at++) {
    record.note([{ name: "database", ok: at % 2 === 1, text: `${at} ${"long".repeat(500)}` }]);
    now += 1_000;
  }
  const incidents = record.incidents();
  expect(incidents).toHaveLength(30);
  expect(incidents[0]).toMatchObject({ since: 98_000, until: 99_000 });
  expect(incidents.every(({ text }) => text.length <= 300)).toBe(true);

  const durations = new RecentDurations(own, [1, 2, 4]);
  expect(durations.summary()).toBeUndefined();
  for (let minute = 0; minute < 200; minute++) {
    for (const seconds of [0.5, 1.5, 1.5, 100]) durations.note(seconds);
    now += 60_000;
  }
  expect(durations.summary()).toEqual({ count: 59 * 4, half: 2, most: Infinity, longest: 4 });
  now += 3_600_000;
  expect(durations.summary()).toBeUndefined();
});
