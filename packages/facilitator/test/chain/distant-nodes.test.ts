/**
 * Nodes that are far away, half broken or silent, on a chain with XDC's block period: a payment takes
 * a few round trips, a second endpoint costs one of its own at most, and /ready says what works.
 */
import type { Devnet } from "@farthing/devnet";
import { systemClock, type Log } from "@farthing/engine/base";
import {
  startOrdinaryNode,
  type NodeConditions,
  type RunningNode,
} from "@farthing/lab/ordinary-node";
import { afterAll, beforeAll, describe, test, type TestContext } from "vitest";
import {
  bodyOn,
  secondsFromNow,
  serveOn,
  startChain,
  walletAt,
  type Served,
  type ServeOptions,
} from "../support/facilitator.testing.ts";

let devnet: Devnet;
beforeAll(async () => {
  devnet = await startChain({ blockTimeSeconds: 2, buyers: 32, relayers: 6 });
});
afterAll(() => devnet?.stop());

const farAway: NodeConditions = { latencyMs: 1_500 };
const halfBroken: NodeConditions = { failingShare: 0.45 };

/** The start asks near nodes that work; what they are like begins when it runs. */
async function serveBehind(
  { onTestFinished }: TestContext,
  conditions: readonly NodeConditions[],
  options: ServeOptions,
): Promise<{ served: Served; nodes: readonly RunningNode[] }> {
  const nodes = await Promise.all(conditions.map(() => startOrdinaryNode(devnet.rpcUrl)));
  const rpcUrl = nodes.map(({ url }) => url).join(",");
  const served = await serveOn(devnet, { ...options, rpcUrl });
  onTestFinished(async () => {
    for (const node of nodes) node.conditions = {};
    await served.stop();
    await Promise.all(nodes.map((node) => node.stop()));
  });
  for (const [index, node] of nodes.entries()) node.conditions = conditions[index] ?? {};
  return { served, nodes };
}

/** Pays, with repeats of what could not be evaluated. */
async function untilPaid({ post }: Served, payer = 0): Promise<void> {
  const body = bodyOn(devnet, { payer: walletAt(devnet.buyers, payer) });
  // What could not be evaluated is asked again at once.
  while ((await post("/settle", body)).body["success"] !== true);
}

/** At the same time, of as many payers. How long each takes at a rate is what the bench measures. */
async function payTogether(served: Served, count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, (_, payer) => untilPaid(served, payer)));
}

const callsOf = (nodes: readonly RunningNode[]) =>
  nodes.reduce((sum, { record }) => sum + record.calls(), 0);

/** Lines of a log, by event. */
function recordLog(): { readonly log: Log; countOf(event: string): number } {
  const events: unknown[] = [];
  const note = (fields: object) => void events.push(Object(fields)["event"]);
  const log = { debug: note, info: note, warn: note, error: note };
  return { log, countOf: (event) => events.filter((one) => one === event).length };
}

describe.concurrent("payments at once", () => {
  test("at a node 1.5 s away are settled, and the log says once that it is slow", async (context) => {
    const { log, countOf } = recordLog();
    const { served } = await serveBehind(context, [farAway], { wallets: [0], log });
    // The distance becomes known with the first replies.
    await payTogether(served, 4);
    await payTogether(served, 24);
    context.expect(countOf("rpc_endpoint_slow")).toBe(1);
  });

  test("at a node that fails 45 % of its requests are paid within few calls", async (context) => {
    const { served, nodes } = await serveBehind(context, [halfBroken], { wallets: [2] });
    for (const { record } of nodes) record.reset();
    const payments = 32;
    await payTogether(served, payments);
    context.expect(callsOf(nodes) / payments).toBeLessThan(9);
  });
});

describe.concurrent("beside them", () => {
  test("/ready says that a node is silent, and that it answers again", async (context) => {
    const { served, nodes } = await serveBehind(context, [{}], { wallets: [3] });
    const [node] = nodes;
    if (!node) return;
    await untilPaid(served);
    const isReady = async () => (await served.get("/ready")).status === 200;
    const untilReady = (state: boolean) =>
      context.expect.poll(isReady, { interval: 50 }).toBe(state);
    await served.post("/settle", bodyOn(devnet), { prefer: "respond-async" });
    node.conditions = { latencyMs: 60_000 };
    await untilReady(false);
    node.conditions = {};
    await untilReady(true);
  });

  test("a clock that steps an hour: the chain's time decides", async (context) => {
    let aheadMs = 0;
    const clock = { ...systemClock, nowMs: () => systemClock.nowMs() + aheadMs };
    const { served } = await serveBehind(context, [{}], { wallets: [4], clock });
    await untilPaid(served);
    const skew = async () => {
      const { networks } = (await served.get("/v1/status")).body;
      return Object(Object(networks)[0])["clockSkewSeconds"];
    };
    await context.expect.poll(skew).not.toBeNull();
    aheadMs = 3_600_000;
    const valid = bodyOn(devnet, { authorization: { validBefore: secondsFromNow(120) } });
    const { body: verified } = await served.post("/verify", valid);
    context.expect(verified).toMatchObject({ isValid: true });
    context.expect((await served.post("/settle", valid)).body).toMatchObject({ success: true });
    aheadMs = -3_600_000;
    const expired = bodyOn(devnet, { authorization: { validBefore: secondsFromNow(-5) } });
    const { body: refused } = await served.post("/settle", expired);
    context.expect(refused).toMatchObject({ errorReason: "authorization_expired" });
  });

  test("a node that fails a tenth of what it is asked lets every start through", async (context) => {
    const node = await startOrdinaryNode(devnet.rpcUrl, { failingShare: 0.1 });
    context.onTestFinished(() => node.stop());
    for (let start = 0; start < 8; start++) {
      const served = await serveOn(devnet, { wallets: [5], rpcUrl: node.url });
      await served.stop();
    }
  });
});
