/** What /metrics shows of nodes that limit, lag or lose logs, and of a clock that is wrong. */
import type { Devnet } from "@farthing/devnet";
import { startOrdinaryNode, type RunningNode } from "@farthing/lab/ordinary-node";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { systemClock } from "@farthing/engine/base";
import {
  bodyOn,
  countOf,
  serveOn,
  startChain,
  textAt,
  type Served,
  type ServeOptions,
} from "../support/facilitator.testing.ts";
import { createHastenedClock } from "@farthing/engine/testing/hastened-clock";

/** How fast time runs for a limited endpoint and for what asks it: most of the test is waiting. */
const speed = 4;

/** The machine may be busy. */
const soon = { timeout: 120_000, interval: 250 };

let devnet: Devnet;
let node: RunningNode;
let served: Served | undefined;
beforeAll(async () => {
  devnet = await startChain();
});
afterAll(async () => {
  await devnet?.stop();
});
beforeEach(async () => {
  node = await startOrdinaryNode(devnet.rpcUrl, {}, createHastenedClock(speed));
});
afterEach(async () => {
  await devnet.rpc("evm_setAutomine", [true]);
  await served?.stop();
  served = undefined;
  await node.stop();
});

async function serve(options: ServeOptions = {}): Promise<Served> {
  const env = { FARTHING_METRICS_PORT: "0", FARTHING_HEAD_AGE_MAX: "0" };
  served = await serveOn(devnet, { rpcUrl: node.url, env, ...options });
  return served;
}

/** The series of one metric: what their labels say beside the network, and their values. */
async function readMetric({ metricsUrl }: Served, name: string): Promise<Record<string, number>> {
  const text = await (await fetch(`${metricsUrl}/metrics`)).text();
  const series = [...text.matchAll(new RegExp(`^${name}\\{([^}]*)\\} (\\S+)$`, "gm"))];
  return Object.fromEntries(
    series.map(([, labels = "", value]) => [
      labels.replace('network="eip155:51"', "").replace(/^,/, ""),
      Number(value),
    ]),
  );
}

const valueOf = async (from: Served, name: string) => (await readMetric(from, name))[""] ?? NaN;

/** A payment that no block takes; returns its settlement. */
async function settlePending({ post, relayer }: Served): Promise<string> {
  await devnet.rpc("evm_setAutomine", [false]);
  const before = await countOf(devnet, relayer);
  const { body } = await post("/settle", bodyOn(devnet), { prefer: "respond-async" });
  await expect.poll(() => countOf(devnet, relayer), soon).toBe(before + 1);
  return textAt(body, "id");
}

/** The labels of a limit of the only endpoint. */
const ofEndpoint = (limit: string) => `endpoint_index="0",limit="${limit}"`;

test("limits that were met are shown, and those that were not are left out", async () => {
  const from = await serve({ clock: createHastenedClock(speed) });
  const limits = () => readMetric(from, "x402_rpc_learned_limit");
  const limitsAfterPayment = async () => {
    await from.post("/verify", bodyOn(devnet));
    return limits();
  };
  expect(await limits()).toEqual({});
  node.conditions = {
    rateLimit: { perSecond: 2, burst: 1, style: "json_429" },
    batchLimit: { maxCalls: 3, style: "array_with_one_error" },
  };
  await settlePending(from);
  await expect.poll(limitsAfterPayment, soon).toMatchObject({
    [ofEndpoint("requests_per_second")]: expect.any(Number),
    [ofEndpoint("batch_calls")]: expect.any(Number),
  });
  const learned = await limits();
  expect(learned[ofEndpoint("batch_calls")]).toBeLessThanOrEqual(3);
  expect(learned[ofEndpoint("requests_per_second")]).toBeGreaterThanOrEqual(1);
  expect(Object.keys(learned).join()).not.toMatch(/log_range_blocks|body_bytes|calls_per_second/);
  // From now on it counts the calls inside a request: a limit of requests is none any more.
  node.conditions = {
    rateLimit: { perSecond: 3, burst: 1, counts: "calls", style: "late_calls_in_200" },
  };
  await expect
    .poll(limitsAfterPayment, soon)
    .toMatchObject({ [ofEndpoint("calls_per_second")]: expect.any(Number) });
  expect(await limits()).not.toHaveProperty([ofEndpoint("requests_per_second")]);
});

test("blocks without their logs are counted, and for how long", async () => {
  const from = await serve();
  const lag = () => valueOf(from, "x402_rpc_read_lag_blocks");
  const seconds = () => valueOf(from, "x402_rpc_unread_seconds");
  const id = await settlePending(from);
  await devnet.mine();
  const state = async () => (await from.get(`/settlements/${id}`)).body["state"];
  await expect.poll(state, soon).toBe("confirmed");
  expect([await lag(), await seconds()]).toEqual([0, 0]);
  node.conditions = { internalErrors: ["eth_getLogs"] };
  await settlePending(from);
  await devnet.mine(3);
  await expect.poll(lag, soon).toBe(3);
  await expect.poll(seconds, soon).toBeGreaterThan(2);
  node.conditions = {};
  await expect.poll(seconds, soon).toBe(0);
  expect(await lag()).toBe(0);
});

test.each([
  ["ahead", 600],
  ["behind", -600],
])("a clock that is ten minutes %s is shown as that", async (_, skewSeconds) => {
  const nowMs = () => systemClock.nowMs() + skewSeconds * 1_000;
  const from = await serve({ clock: { ...systemClock, nowMs } });
  await settlePending(from);
  const skewAfterBlock = async () => {
    await devnet.mine();
    return valueOf(from, "x402_clock_skew_seconds");
  };
  // A block may be seen late on a machine that is busy.
  const isNear = (skew: number) => skew >= skewSeconds - 5 && skew <= skewSeconds + 30;
  await expect.poll(async () => isNear(await skewAfterBlock()), soon).toBe(true);
});
