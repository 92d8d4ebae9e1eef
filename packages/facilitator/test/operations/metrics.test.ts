/** The metrics of a facilitator at work: right names, right numbers, and labels of few values. */
import type { Devnet } from "@farthing/devnet";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  bodyOn,
  frontRun,
  newDatabaseUrl,
  serveOn,
  startChain,
  walletAt,
  withMember,
  type Served,
} from "../support/facilitator.testing.ts";
import { metricTable } from "../../src/operations/metrics-table.ts";
import { inspectStore } from "@farthing/engine/storage";
import { startRpcProxy, type RpcProxy } from "@farthing/lab/rpc-proxy";

let devnet: Devnet;
let proxy: RpcProxy;
let served: Served;
beforeAll(async () => {
  devnet = await startChain({ blockTimeSeconds: 1, relayers: 3 });
  proxy = await startRpcProxy(devnet.rpcUrl);
  served = await serve();
});
afterAll(async () => {
  await served?.stop();
  await proxy?.stop();
  await devnet?.stop();
});

function serve(env: Readonly<Record<string, string>> = {}): Promise<Served> {
  return serveOn(devnet, {
    rpcUrl: proxy.url,
    wallets: [0, 1],
    env: { FARTHING_METRICS_PORT: "0", ...env },
  });
}

async function read(from: Served = served): Promise<string> {
  const response = await fetch(`${from.metricsUrl}/metrics`);
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
  return response.text();
}

/** The value of a series; 0 when it is not there. */
function valueOf(
  text: string,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number {
  const line = text
    .split("\n")
    .find(
      (one) =>
        one.startsWith(`${name}{`) &&
        Object.entries(labels).every(([key, value]) => one.includes(`${key}="${value}"`)),
    );
  return line === undefined ? 0 : Number(line.split(" ").at(-1));
}

const network = "eip155:51";

/** By how much a series grows while something happens. */
async function growthOf(
  name: string,
  labels: Readonly<Record<string, string>>,
  happen: () => Promise<unknown>,
): Promise<number> {
  const before = valueOf(await read(), name, labels);
  await happen();
  return valueOf(await read(), name, labels) - before;
}

test("names and labels are those of the table, beside the process's own", async () => {
  await served.post("/settle", bodyOn(devnet));
  const text = await read();
  const ours = [...text.matchAll(/^# TYPE ((?:x402|http)_\S+) (\S+)$/gm)].map(
    ([, name = "", kind]) => [name, kind],
  );
  expect(Object.fromEntries(ours)).toEqual(
    Object.fromEntries(Object.entries(metricTable).map(([name, { kind }]) => [name, kind])),
  );
  expect(text).toContain("process_cpu_seconds_total");
  for (const [, name = "", labels = ""] of text.matchAll(/^((?:x402|http)_\w+)\{(.*)\}/gm)) {
    const metric = Object.entries(metricTable).find(
      ([known]) => name === known || name.replace(/_(bucket|sum|count)$/, "") === known,
    );
    const keys = [...labels.matchAll(/(\w+)="/g)]
      .map(([, key]) => key)
      .filter((key) => key !== "le");
    expect([name, new Set(keys)]).toEqual([name, new Set(metric?.[1].labels)]);
  }
});

/** Names and labels that operators' dashboards and alarms are made with: they stay. */
const promised = {
  x402_verify_requests_total: ["network", "result", "reason"],
  x402_settle_requests_total: ["network", "result", "reason"],
  x402_settle_duration_seconds: [],
  x402_tx_confirm_seconds: [],
  x402_tx_finalize_seconds: [],
  x402_relayer_balance_xdc: ["relayer_index"],
  x402_relayer_payments_left: ["relayer_index"],
  x402_relayer_inflight: ["relayer_index"],
  x402_rpc_requests_total: ["endpoint_index", "method", "outcome"],
  x402_rpc_head_age_seconds: [],
  x402_credits_debited_total: [],
  x402_credit_purchases_total: ["state"],
  x402_settlements_reconciled_total: ["outcome"],
  http_request_duration_seconds: ["route", "method", "status"],
};

test.each(Object.entries(promised))("%s is there, with %s", async (name, labels) => {
  const text = await read();
  expect(text).toMatch(new RegExp(`^# TYPE ${name} `, "m"));
  const known: readonly string[] =
    Object.entries(metricTable).find(([own]) => own === name)?.[1].labels ?? [];
  expect(labels.filter((label) => !known.includes(label))).toEqual([]);
});

test.each([
  ["x402_settle_requests_total", { result: "not_judged", reason: "queue_full" }],
  ["x402_settle_requests_total", { result: "not_judged", reason: "service_unavailable" }],
  ["x402_settlements_reconciled_total", { outcome: "failed_after_send" }],
  ["x402_lane_leases_total", { relayer_index: "1", event: "lost" }],
  ["x402_relayer_used_elsewhere_total", { relayer_index: "1" }],
  ["x402_emails_total", { outcome: "given_up" }],
  ["x402_trace_spans_total", { outcome: "queue_full" }],
  ["x402_relayer_sign_seconds_count", { relayer_index: "1", outcome: "failed" }],
])("%s of an alarm is there before anything happens: %o", async (name, labels) => {
  const series = (await read())
    .split("\n")
    .filter(
      (line) =>
        line.startsWith(`${name}{`) &&
        Object.entries(labels).every(([key, value]) => line.includes(`${key}="${value}"`)),
    );
  expect(series).toEqual([expect.stringMatching(/ 0$/)]);
});

const verify = (body: unknown) => () => served.post("/verify", body);
const settle = (body: unknown) => () => served.post("/settle", body);

describe("what happens is counted", () => {
  test.each([
    ["valid", "none", () => bodyOn(devnet)],
    [
      "invalid",
      "amount_mismatch",
      () => withMember(bodyOn(devnet), "paymentRequirements.amount", "1"),
    ],
    ["not_judged", "invalid_request", () => "no JSON"],
  ])("verify: %s, %s", async (result, reason, body) => {
    const known = result === "not_judged" ? "none" : network;
    const labels = { network: known, result, reason };
    expect(await growthOf("x402_verify_requests_total", labels, verify(body()))).toBe(1);
  });

  test("settle: its answer, its duration, its transaction, by whom", async () => {
    const before = await read();
    const { body } = await served.post("/settle", bodyOn(devnet));
    expect(body).toMatchObject({ success: true });
    const after = await read();
    const growth = (name: string, labels = {}) =>
      valueOf(after, name, labels) - valueOf(before, name, labels);
    expect(growth("x402_settle_requests_total", { network, result: "confirmed" })).toBe(1);
    expect(growth("x402_settlements_total", { state: "confirmed", settled_by: "relayer" })).toBe(1);
    for (const name of ["x402_settle_duration_seconds", "x402_tx_confirm_seconds"]) {
      expect(growth(`${name}_count`, { network })).toBe(1);
      expect(growth(`${name}_sum`, { network })).toBeLessThan(10);
    }
    expect(growth("x402_batch_settlements_sum", { network })).toBe(1);
    expect(growth("x402_claims_total", { network, result: "created" })).toBe(1);
    expect(growth("x402_database_seconds_count", { operation: "claim" })).toBe(1);
    // As a number of floating point.
    expect(growth("x402_settled_usdc_total", { network, kind: "payment" })).toBeCloseTo(0.01, 9);
    const sends = { endpoint_index: "0", method: "eth_sendRawTransaction", outcome: "ok" };
    expect(growth("x402_rpc_requests_total", sends)).toBe(1);
    const route = { route: "/settle", method: "POST", status: "200" };
    expect(growth("http_request_duration_seconds_count", route)).toBe(1);
  });

  test("settle: refused, and a repeat that moves nothing", async () => {
    const used = bodyOn(devnet);
    await frontRun(devnet, used);
    const refused = { network, result: "refused", reason: "already_settled" };
    expect(await growthOf("x402_settle_requests_total", refused, settle(used))).toBe(1);
    const body = bodyOn(devnet);
    await served.post("/settle", body);
    const moved = { state: "confirmed" };
    expect(await growthOf("x402_settlements_total", moved, settle(body))).toBe(0);
  });

  test("a third party's transaction settles ours", async () => {
    const labels = { network, outcome: "settled_by_other" };
    const growth = await growthOf("x402_settlements_reconciled_total", labels, async () => {
      const body = bodyOn(devnet, { payer: walletAt(devnet.buyers, 1) });
      proxy.reset();
      // Whatever we send is lost on the way.
      proxy.react = ({ method }) =>
        method === "eth_sendRawTransaction" ? { result: `0x${"0".repeat(64)}` } : undefined;
      const settled = served.post("/settle", body);
      await expect.poll(() => proxy.countOf("eth_sendRawTransaction")).toBeGreaterThan(0);
      await frontRun(devnet, body);
      expect((await settled).body).toMatchObject({ success: true });
      proxy.react = () => undefined;
    });
    expect(growth).toBe(1);
  });

  test.each([
    ["rate_limited", { error: { code: -32_005, message: "slow down" } }],
    ["no_answer", "down"],
  ] as const)("a node's failures, by their class: %s", async (outcome, reaction) => {
    const labels = { network, method: "eth_call", outcome };
    proxy.react = ({ method }) => (method === "eth_call" ? reaction : undefined);
    const growth = await growthOf("x402_rpc_requests_total", labels, verify(bodyOn(devnet)));
    proxy.react = () => undefined;
    expect(growth).toBeGreaterThan(0);
  });

  test("finality, when it comes", async () => {
    await served.post("/settle", bodyOn(devnet));
    await expect
      .poll(async () => valueOf(await read(), "x402_tx_finalize_seconds_count", { network }))
      .toBeGreaterThan(0);
  });
});

test("what is there is looked up: balances, wallets, head", async () => {
  const text = await read();
  for (const index of ["0", "1"]) {
    const balance = valueOf(text, "x402_relayer_balance_xdc", { relayer_index: index });
    expect([balance > 99, balance <= 100]).toEqual([true, true]);
  }
  expect(valueOf(text, "x402_relayer_held", { relayer_index: "1" })).toBe(1);
  expect(valueOf(text, "x402_lane_leases_total", { event: "taken", relayer_index: "1" })).toBe(1);
  expect(valueOf(text, "x402_rpc_head_age_seconds", { network })).toBeLessThan(30);
  expect(valueOf(text, "x402_rpc_finalized_lag_blocks", { network })).toBeGreaterThan(0);
});

/** How many series callers can have a hand in. */
const count = async () =>
  (await read()).split("\n").filter((line) => /^(x402_verify|http)/.test(line)).length;

/** What a caller can think of. */
const wild = (index: number) =>
  Promise.all([
    served.get(`/there-is-nothing-${index}`),
    served.get(`/settlements/stl_${index}`),
    served.post(
      "/verify",
      withMember(bodyOn(devnet), "paymentRequirements.network", `eip155:${index}`),
    ),
    fetch(`${served.url}/verify`, { method: "PROPFIND" }),
  ]);

test("callers cannot make series: unknown paths, methods, networks and codes are one each", async () => {
  await wild(1000);
  const before = await count();
  for (const index of [1001, 1002, 1003]) await wild(index);
  expect(await count()).toBe(before);
});

test("a port that is taken: the start says which setting, and holds no wallet", async () => {
  const { port } = new URL(served.metricsUrl ?? "");
  const options = { wallets: [2], databaseUrl: newDatabaseUrl() };
  const start = (env = {}) => serveOn(devnet, { ...options, env });
  await expect(start({ FARTHING_METRICS_PORT: port })).rejects.toThrow(/set FARTHING_METRICS_PORT/);
  const { wallets } = await inspectStore(options.databaseUrl, Date.now());
  expect(wallets.filter(({ holder }) => holder !== null)).toEqual([]);
});

test("another listener: none without a port, not on the callers' port", async () => {
  expect((await served.get("/metrics")).status).toBe(404);
  expect((await fetch(`${served.metricsUrl}/settle`, { method: "POST" })).status).toBe(404);
  const quiet = await serveOn(devnet, { wallets: [2] });
  expect(quiet.metricsUrl).toBeUndefined();
  await quiet.stop();
});
