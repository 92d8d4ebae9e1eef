/** What /metrics shows of the state of a service at work, and not of single events. */
import type { Devnet } from "@farthing/devnet";
import { Fault } from "@farthing/engine/base";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openStore } from "../../src/features/open-store.ts";
import {
  bodyOn,
  createSteeredClock,
  newDatabaseUrl,
  serveOn,
  startChain,
  type Served,
} from "../support/facilitator.testing.ts";

let devnet: Devnet;
let served: Served;
let isUnreadable = false;
/** How often the state was read. */
let reads = 0;
const clock = createSteeredClock();
// A sample is taken each minute.
clock.hurryFromMs = 60_000;
beforeAll(async () => {
  devnet = await startChain({ relayers: 2 });
  const databaseUrl = newDatabaseUrl();
  const store = await openStore(databaseUrl);
  served = await serveOn(devnet, {
    databaseUrl,
    clock,
    wallets: [0, 1],
    env: { FARTHING_METRICS_PORT: "0", FARTHING_HEAD_AGE_MAX: "0" },
    store: {
      ...store,
      async countOpenSettlements(...args) {
        reads++;
        if (isUnreadable) throw new Fault("storage_unavailable", "The database is gone");
        return store.countOpenSettlements(...args);
      },
    },
  });
});
afterAll(async () => {
  await served?.stop();
  await devnet?.stop();
});

/** The series of a metric by their labels, without the only network. */
async function seriesOf(name: string): Promise<Record<string, number>> {
  const text = await (await fetch(`${served.metricsUrl}/metrics`)).text();
  const series = [...text.matchAll(new RegExp(`^${name}(?:\\{([^}]*)\\})? (\\S+)$`, "gm"))];
  return Object.fromEntries(
    series.map(([, labels = "", value]) => [
      labels.replace(/network="eip155:51",?/, "").replace(/,$/, ""),
      Number(value),
    ]),
  );
}

const soon = { timeout: 60_000, interval: 100 };
const poll = (name: string) => expect.poll(() => seriesOf(name), soon);

test("open payments by state, and since when; none once they are confirmed", async () => {
  await poll("x402_open_payments").toEqual({ 'state="queued"': 0, 'state="submitted"': 0 });
  await devnet.rpc("evm_setAutomine", [false]);
  const settle = () => served.post("/settle", bodyOn(devnet), { prefer: "respond-async" });
  await Promise.all([settle(), settle(), settle()]);
  await poll("x402_open_payments").toEqual({ 'state="queued"': 0, 'state="submitted"': 3 });
  const ages = await seriesOf("x402_open_payments_oldest_seconds");
  expect(ages).toEqual({ 'state="queued"': 0, 'state="submitted"': expect.any(Number) });
  await poll("x402_open_payments_oldest_seconds").toMatchObject({
    'state="submitted"': expect.toSatisfy((age: number) => age > 1),
  });
  await devnet.rpc("evm_setAutomine", [true]);
  await devnet.mine();
  await poll("x402_open_payments").toEqual({ 'state="queued"': 0, 'state="submitted"': 0 });
  expect(await seriesOf("x402_open_payments_oldest_seconds")).toMatchObject({
    'state="submitted"': 0,
  });
});

/** What both wallets have spent. */
async function spent(): Promise<number> {
  const series = await seriesOf("x402_gas_spent_xdc_total");
  expect(Object.keys(series)).toEqual(['relayer_index="0"', 'relayer_index="1"']);
  return (series['relayer_index="0"'] ?? 0) + (series['relayer_index="1"'] ?? 0);
}

test("the gas that the wallets have spent, by wallet", async () => {
  await served.post("/settle", bodyOn(devnet));
  const balances = await Promise.all(
    devnet.relayers.map(({ address }) => devnet.rpc<string>("eth_getBalance", [address, "latest"])),
  );
  const left = balances.reduce((sum, balance) => sum + Number(balance) / 1e18, 0);
  // The first payments were sent before the first look, or after it.
  await expect.poll(spent, soon).toBeGreaterThan(0);
  expect(await spent()).toBeLessThanOrEqual(200 - left + 1e-9);
});

test("the size of the database, and the room that its disk has", async () => {
  const [bytes] = Object.values(await seriesOf("x402_database_bytes"));
  expect(bytes).toBeGreaterThan(10_000);
  const [free] = Object.values(await seriesOf("x402_database_free_bytes"));
  expect(free).toBeGreaterThan(0);
});

test("what waits in the outbox, of each channel", async () => {
  expect(await seriesOf("x402_outbox_waiting")).toEqual({
    'channel="webhook"': 0,
    'channel="email"': 0,
  });
});

test("a state that cannot be read keeps its values, and the warning is counted", async () => {
  const warning = 'level="warn",event="state_read_failed"';
  expect(await seriesOf("x402_log_lines_total")).not.toHaveProperty(warning);
  isUnreadable = true;
  await expect
    .poll(async () => (await seriesOf("x402_log_lines_total"))[warning], soon)
    .toBeGreaterThan(1);
  expect(await seriesOf("x402_open_payments")).toMatchObject({ 'state="queued"': 0 });
  isUnreadable = false;
  const before = reads;
  await expect.poll(() => reads, soon).toBeGreaterThan(before + 1);
});
