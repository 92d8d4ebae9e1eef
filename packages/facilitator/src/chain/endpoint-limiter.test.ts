/** What a limiter learns from refusals, in every style of limit. */
import { describe, expect, test } from "vitest";
import type { RpcPriority } from "./endpoint-limiter.ts";
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

describe("a pace is learned and kept", () => {
  test.each(styles)("%s", async (_, limit) => {
    const { clock, node, ask } = start(limit);
    const stop = [
      demand((calls) => ask(calls), clock, { perSecond: 12, calls: 1 }),
      demand((calls) => ask(calls), clock, { perSecond: 1, calls: 6 }),
    ];
    await clock.advance(60_000);
    const before = { ...node };
    await clock.advance(300_000);
    for (const end of stop) end();
    expect(node.refused - before.refused).toBeLessThanOrEqual(8);
  });
});
