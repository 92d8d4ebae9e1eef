/** The fee follows the gas price, or what a settlement costs; what was claimed keeps the fee it had. */
import type { Devnet } from "@farthing/devnet";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { silentLog, systemClock } from "@farthing/engine/base";
import {
  bodyOn,
  createSteeredClock,
  newDatabaseUrl,
  serveOn,
  startChain,
  textAt,
  type Served,
} from "../../../test/support/facilitator.testing.ts";
import { createPresentFee, fallAfterMs } from "../../payments/present-fee.ts";
import { createFeeRule, feeSetting } from "../../payments/settlement-fee.ts";
import { createApiKey } from "../api-keys/key-text.ts";
import { openStore, type ServiceStore } from "../open-store.ts";

const gwei = 1_000_000_000n;
const usual = (25n * gwei) / 2n;

let devnet: Devnet;
let store: ServiceStore;
let served: Served;
let headers: Readonly<Record<string, string>>;
const clock = createSteeredClock();

beforeAll(async () => {
  devnet = await startChain({ relayers: 1, gasPriceWei: usual });
  const databaseUrl = newDatabaseUrl();
  store = await openStore(databaseUrl);
  const account = devnet.seller.address;
  const made = await createApiKey(store, systemClock, { account, mode: "test", label: "t" });
  headers = { authorization: `Bearer ${made.text}` };
  const grant = { account, kind: "grant", credits: 100, actor: "test", note: null } as const;
  await store.grantCredits(grant, systemClock.nowMs());
  const env = { FARTHING_CREDITS_PER_SETTLEMENT: "12.5:1,625:60" };
  served = await serveOn(devnet, { selfBuilt: false, databaseUrl, store, clock, env });
});
afterAll(async () => {
  await served?.stop();
  await devnet?.stop();
});

const hook = {
  channel: "webhook",
  url: "https://shop.example/hook",
  secret: "whsec_x",
  events: ["fee.changed"],
  createdAt: Date.now(),
  disabledAt: null,
  pausedAt: null,
  isPausedByOwner: false,
} as const;

const credits = () => store.findCredits(devnet.seller.address);

/** What the service says of its fee: to programs at the start, and for people and doctors. */
async function saidFees(): Promise<unknown[]> {
  const { kinds } = Object((await served.get("/supported")).body);
  const hosted = Object((await served.get("/api/facilitator/supported")).body);
  const { networks } = Object((await served.get("/v1/status")).body);
  return [
    kinds[0].extra.settlementFee?.credits,
    hosted.kinds[0].extra.settlementFee,
    networks[0].settlementFeeUsdc,
  ];
}

const supportedSince = async (): Promise<unknown> =>
  Object((await served.get("/supported")).body).kinds[0].extra.settlementFee.since;

test("a table by gas price: each surface says the present fee, and a claim keeps the fee it was made at", async () => {
  expect(await saidFees()).toEqual([1, undefined, "0.001000"]);
  expect(await supportedSince()).toBeNull();
  await devnet.rpc("evm_setAutomine", [false]);
  const async = { ...headers, prefer: "respond-async" };
  const { body: claimed } = await served.post("/settle", bodyOn(devnet), async);
  expect(await credits()).toEqual({ available: 99, held: 1 });

  const account = devnet.seller.address;
  const endpoint = { id: "whk_fees", account, ...hook };
  await store.createWebhook(endpoint, { endpointsMax: 5 });
  await devnet.setGasPrice(625n * gwei);
  await devnet.rpc("evm_setAutomine", [true]);
  const stateOf = async () => {
    await devnet.mine();
    return (await served.get(`/settlements/${textAt(claimed, "id")}`, headers)).body["state"];
  };
  await expect.poll(stateOf).toBe("confirmed");
  clock.hurryFromMs = 1_000;
  await expect.poll(saidFees).toEqual([60, undefined, "0.060000"]);
  // The caller's wait is not hurried.
  clock.hurryFromMs = Number.POSITIVE_INFINITY;
  const { networks } = Object((await served.get("/v1/status")).body);
  const since = networks[0].settlementFeeSince;
  expect(Date.parse(since)).toBeGreaterThan(endpoint.createdAt);
  expect(await supportedSince()).toBe(since);
  const told = await store.listDeliveries(endpoint.id, { limit: 5 });
  expect(told.items.map(({ body }) => JSON.parse(body))).toEqual([
    {
      type: "fee.changed",
      timestamp: since,
      data: { credits: 60, creditsBefore: 1, usdc: "0.060000", since },
    },
  ]);
  expect(await credits()).toEqual({ available: 99, held: 0 });

  const wait = { ...headers, prefer: "wait=20" };
  const { body: paid } = await served.post("/settle", bodyOn(devnet), wait);
  expect(paid).toMatchObject({ success: true });
  expect(await credits()).toEqual({ available: 39, held: 0 });

  const denied = await served.post("/settle", bodyOn(devnet), wait);
  expect([denied.status, denied.body]).toMatchObject([
    403,
    {
      error: "insufficient_facilitator_credits",
      message: expect.stringMatching(/A settlement costs 60 credits \(0\.06 USDC\) now\.$/),
    },
  ]);
  expect(await store.auditCredits(10)).toEqual([]);
});

const usdc = (perXdc: number) => BigInt(perXdc * 1_000_000) * 1_000_000n;

test("by cost and margin: due when half of the margin is used up, or when a quarter is saved", () => {
  const market: { wei: bigint | undefined; xdc: bigint | undefined } = { wei: usual, xdc: usdc(1) };
  const rule = createFeeRule({
    creditsPerSettlement: "auto",
    feeMarginPercent: 20,
    xdcPrice: { now: () => market.xdc },
    gasPriceWei: () => market.wei,
  });
  const at = (present: number | undefined, wei?: bigint, perXdc?: number) => {
    Object.assign(market, { wei, xdc: perXdc && usdc(perXdc) });
    return rule.due(present);
  };
  // 0.05625 XDC at 625 gwei; at 0.05 USDC 0.0028125, and a fifth more is 3.375 credits.
  expect(at(1, 625n * gwei)).toBeUndefined();
  expect(at(1, undefined, 0.05)).toBeUndefined();
  expect(at(undefined, usual, 0.05)).toBe(1);
  expect(at(1, 625n * gwei, 0.05)).toBe(4);
  expect(at(4, 625n * gwei, 0.5)).toBe(34);
  expect(at(34, 625n * gwei, 0.54)).toBe(34);
  expect(at(34, 625n * gwei, 0.56)).toBe(38);
  expect(at(34, 625n * gwei, 0.4)).toBe(34);
  expect(at(34, 625n * gwei, 0.3)).toBe(21);
});

/** A process of the service: what its node says of the gas price decides what it proposes. */
function processOn(at: ServiceStore, text: string, now: { ms: number }) {
  const node = { wei: usual };
  const process = createPresentFee({
    rule: createFeeRule({
      creditsPerSettlement: feeSetting(text) ?? 0,
      feeMarginPercent: 20,
      xdcPrice: { now: () => usdc(0.05) },
      gasPriceWei: () => node.wei,
    }),
    store: at,
    clock: { ...systemClock, nowMs: () => now.ms },
    log: silentLog,
  });
  return {
    ...process,
    async sees(wei: bigint) {
      node.wei = wei;
      await process.look();
      return process.fee();
    },
  };
}

test("auto is one fee for all processes, also after a restart, and falls when that is due for an hour", async () => {
  const shared = await openStore("sqlite::memory:");
  onTestFinished(() => shared.close());
  const now = { ms: 1_000 };
  const [one, other] = [processOn(shared, "auto", now), processOn(shared, "auto", now)];
  expect([await one.sees(usual), await other.sees(usual)]).toEqual([1, 1]);
  expect(one.feeSince()).toBeNull();
  now.ms = 2_000;
  // The first that sees the price changes it; the second one's node is behind.
  expect([await one.sees(625n * gwei), await other.sees(usual)]).toEqual([4, 4]);
  expect([one.feeSince(), other.feeSince()]).toEqual([2_000, 2_000]);
  now.ms += fallAfterMs - 1;
  expect(await other.sees(usual)).toBe(4);
  // The price swings: the hour begins anew.
  await other.sees(625n * gwei);
  now.ms += 1_000;
  expect(await other.sees(usual)).toBe(4);
  now.ms += fallAfterMs - 1;
  expect(await other.sees(usual)).toBe(4);
  const restarted = processOn(shared, "auto", now);
  expect(await restarted.sees(625n * gwei)).toBe(4);
  now.ms += 1;
  expect([await other.sees(usual), await one.sees(usual)]).toEqual([1, 1]);
  expect(one.feeSince()).toBe(now.ms);
});

test("the settings of the process that was started last count", async () => {
  const shared = await openStore("sqlite::memory:");
  onTestFinished(() => shared.close());
  const now = { ms: 1_000 };
  const old = processOn(shared, "3", now);
  expect(await old.sees(usual)).toBe(3);
  const renewed = processOn(shared, "2", now);
  expect([await renewed.sees(usual), await old.sees(usual)]).toEqual([2, 2]);
  // What one settlement costs is no other number in a table: nothing is announced.
  const table = processOn(shared, "12.5:2,625:60", now);
  now.ms = 5_000;
  expect([await table.sees(usual), table.feeSince()]).toEqual([2, 1_000]);
  expect(await table.sees(625n * gwei)).toBe(60);
  expect([await old.sees(usual), await renewed.sees(usual)]).toEqual([60, 60]);
});
