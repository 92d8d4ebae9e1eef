/** What a limiter learns from refusals, in every style of limit, and that it keeps to it. */
import { networkOfChain } from "@farthing/protocol";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { silentLog } from "../../base/log.ts";
import { createChain } from "./chain.ts";
import { EndpointLimiter, type RpcPriority } from "./endpoint-limiter.ts";
import {
  createLimitedNode,
  createVirtualClock,
  type LimitedNode,
  type NodeLimit,
  type VirtualClock,
} from "./limited-node.testing.ts";
import { limitEndpoint } from "./limited-endpoint.ts";

const call = { method: "eth_blockNumber", params: [] };

/** Asks without end: `perSecond` questions of so many calls each. */
function demand(
  ask: (calls: number) => Promise<unknown>,
  clock: VirtualClock,
  { perSecond, calls }: { readonly perSecond: number; readonly calls: number },
) {
  const state = { isOver: false };
  void (async () => {
    while (!state.isOver) {
      void ask(calls);
      await clock.sleep(1_000 / perSecond);
    }
  })();
  return () => {
    state.isOver = true;
  };
}

function start(limit: NodeLimit) {
  const clock = createVirtualClock();
  const node: LimitedNode = createLimitedNode(limit, clock);
  const endpoint = limitEndpoint(node, { clock, onLearned: () => {} });
  const ask = (calls: number, priority: RpcPriority = "outcome") =>
    endpoint.ask(
      Array.from({ length: calls }, () => call),
      {
        priority,
        untilMs: clock.nowMs() + 6_000,
      },
    );
  return { clock, node, ask };
}

const styles: readonly (readonly [string, NodeLimit])[] = [
  ["5 requests in each second", { perSecond: 5, kind: "window", counts: "requests" }],
  ["a bucket of 5/s that holds 5", { perSecond: 5, kind: "bucket", burst: 5, counts: "requests" }],
  [
    "a bucket of 5/s that holds 50",
    { perSecond: 5, kind: "bucket", burst: 50, counts: "requests" },
  ],
  ["5/s without any burst", { perSecond: 5, kind: "spaced", counts: "requests" }],
  ["20 calls in each second", { perSecond: 20, kind: "window", counts: "calls", isPartial: true }],
  ["20 calls, whole requests refused", { perSecond: 20, kind: "window", counts: "calls" }],
  ["5 calls, whole requests refused", { perSecond: 5, kind: "window", counts: "calls" }],
];

/** Refusals in five minutes at an endpoint whose limit is known: now and then more is tried. */
const triesMax = 15;

describe("a pace is learned and kept, and most of what the endpoint takes is used", () => {
  test.each(styles)("%s", async (_, limit) => {
    const { clock, node, ask } = start(limit);
    const stop = [
      demand((calls) => ask(calls), clock, { perSecond: limit.perSecond * 2, calls: 1 }),
      demand((calls) => ask(calls), clock, { perSecond: 1, calls: 6 }),
    ];
    await clock.advance(60_000);
    const before = { ...node };
    await clock.advance(300_000);
    for (const end of stop) end();
    expect(node.refused - before.refused).toBeLessThanOrEqual(triesMax);
    expect((node.takenCalls - before.takenCalls) / 300).toBeGreaterThan(limit.perSecond / 2);
  });
});

/** Random limits, and demand that comes in bursts and lulls. */
const limitArbitrary = fc.record({
  perSecond: fc.integer({ min: 2, max: 40 }),
  kind: fc.constantFrom("window" as const, "bucket" as const, "spaced" as const),
  burst: fc.integer({ min: 1, max: 60 }),
  counts: fc.constantFrom("requests" as const, "calls" as const),
  isPartial: fc.boolean(),
});
const demandArbitrary = fc.array(
  fc.record({
    afterMs: fc.oneof(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 5_000 })),
    count: fc.integer({ min: 1, max: 12 }),
    calls: fc.integer({ min: 1, max: 12 }),
    priority: fc.constantFrom<RpcPriority>("send", "outcome", "verification"),
  }),
  { minLength: 10, maxLength: 80 },
);

test("whatever is asked of whatever node, no request comes sooner than the learned pace", async () => {
  await fc.assert(
    fc.asyncProperty(limitArbitrary, demandArbitrary, async (limit, turns) => {
      const clock = createVirtualClock();
      const node = createLimitedNode(limit, clock, () => 20);
      const spacings: { readonly earliestMs: number; readonly atMs: number }[] = [];
      let earliestMs = 0;
      const watched: typeof node = {
        ...node,
        send(calls) {
          const atMs = clock.nowMs();
          spacings.push({ earliestMs, atMs });
          const { requestsPerSecond: rate, countsCalls } = endpoint.limiter.limits();
          const units = countsCalls ? calls.length : 1;
          earliestMs = rate === undefined ? 0 : atMs + (units / rate) * 1_000;
          return node.send(calls);
        },
      };
      const endpoint = limitEndpoint(watched, { clock, onLearned: () => {} });
      const asked: Promise<unknown>[] = [];
      for (const { afterMs, count, calls, priority } of turns) {
        await clock.advance(afterMs);
        for (let nth = 0; nth < count; nth++) {
          const untilMs = clock.nowMs() + 6_000;
          const questions = Array.from({ length: calls }, () => call);
          asked.push(endpoint.ask(questions, { priority, untilMs }));
        }
      }
      await clock.advance(60_000);
      // No request waits beyond its deadline, and one without a turn is told.
      await Promise.all(asked);
      for (const { earliestMs: soonest, atMs } of spacings) {
        expect(atMs).toBeGreaterThanOrEqual(Math.floor(soonest));
      }
    }),
    { numRuns: 60 },
  );
});

/** The order in which requests go that wait for a pause to end. */
async function orderOf(turns: readonly (readonly [number, RpcPriority])[]) {
  const clock = createVirtualClock();
  const limiter = new EndpointLimiter(clock);
  const first = await limiter.take({ calls: 1, priority: "outcome", untilMs: Infinity });
  if (first) limiter.noteRefused(first);
  const order: RpcPriority[] = [];
  for (const [afterMs, priority] of turns) {
    await clock.advance(afterMs);
    const untilMs = clock.nowMs() + 30_000;
    void limiter.take({ calls: 1, priority, untilMs }).then((permit) => {
      order.push(priority);
      return permit && limiter.noteTaken(permit);
    });
  }
  await clock.advance(60_000);
  return order;
}

describe("who goes first", () => {
  test("a transaction, then what tells outcomes, then a verification", async () => {
    const turns = (["verification", "outcome", "send", "outcome"] as const).map(
      (priority) => [0, priority] as const,
    );
    expect(await orderOf(turns)).toEqual(["send", "outcome", "outcome", "verification"]);
  });

  test("a verification that has waited is not passed for ever", async () => {
    const later = [700, "outcome"] as const;
    expect(await orderOf([[0, "verification"], [1_100 - 700, "outcome"], later])).toEqual([
      "outcome",
      "verification",
      "outcome",
    ]);
  });
});

test("one outage of refusals does not make an endpoint slow for ever", async () => {
  const { clock, node, ask } = start({ perSecond: 1_000, kind: "window", counts: "requests" });
  let isOut = false;
  const send = node.send.bind(node);
  node.send = async (calls) => {
    if (!isOut) return send(calls);
    const error = { code: 429, message: "slow down", data: undefined };
    const refusal = { kind: "refused", refusal: "rate_limited", error, bodyBytes: 9 } as const;
    return { ...refusal, retryAfterMs: undefined };
  };
  const stop = demand((calls) => ask(calls), clock, { perSecond: 30, calls: 1 });
  await clock.advance(10_000);
  isOut = true;
  await clock.advance(40_000);
  isOut = false;
  await clock.advance(300_000);
  const before = node.takenCalls;
  await clock.advance(10_000);
  stop();
  expect((node.takenCalls - before) / 10).toBeGreaterThan(25);
});

test("a patch of refusals in a quiet time teaches no limit by the minute", async () => {
  const { clock, node, ask } = start({ perSecond: 1_000, kind: "window", counts: "requests" });
  let isOut = false;
  const send = node.send.bind(node);
  node.send = async (calls) => {
    if (!isOut) return send(calls);
    const error = { code: 429, message: "slow down", data: undefined };
    const refusal = { kind: "refused", refusal: "rate_limited", error, bodyBytes: 9 } as const;
    return { ...refusal, retryAfterMs: undefined };
  };
  const endIdle = demand((calls) => ask(calls), clock, { perSecond: 1 / 15, calls: 1 });
  await clock.advance(120_000);
  isOut = true;
  await clock.advance(30_000);
  isOut = false;
  await clock.advance(60_000);
  endIdle();
  const before = node.takenCalls;
  const endBusy = demand((calls) => ask(calls), clock, { perSecond: 10, calls: 1 });
  await clock.advance(10_000);
  endBusy();
  expect((node.takenCalls - before) / 10).toBeGreaterThan(4);
});

function startChain(perSecond: number) {
  const clock = createVirtualClock();
  const node = createLimitedNode({ perSecond, kind: "window", counts: "requests" }, clock);
  const network = networkOfChain(51);
  const chain = createChain({ network, endpoints: [node], log: silentLog, clock });
  const read = () => chain.read([call]).catch(() => undefined);
  return { clock, node, chain, read };
}

describe("when the clock goes back an hour", () => {
  test("an endpoint without a known limit is asked at once", async () => {
    const { clock, node, chain, read } = startChain(1_000);
    void read();
    await clock.advance(1_000);
    clock.putBack(3_600_000);
    void read();
    await clock.advance(100);
    expect([node.takenCalls, chain.limits()[0]?.requestsPerSecond]).toEqual([2, undefined]);
  });

  test("one with a limit is asked within its pace, and most of what it takes is used", async () => {
    const { clock, node, read } = startChain(5);
    const stop = demand(read, clock, { perSecond: 10, calls: 1 });
    await clock.advance(60_000);
    clock.putBack(3_600_000);
    const before = { ...node };
    await clock.advance(30_000);
    stop();
    expect(node.refused - before.refused).toBeLessThanOrEqual(triesMax);
    expect((node.takenCalls - before.takenCalls) / 30).toBeGreaterThan(2.5);
  });
});
