/** The doctor's look at an endpoint's rate, in virtual time: what is enough, and what collapses. */
import { expect, test } from "vitest";
import {
  createLimitedNode,
  createVirtualClock,
  type NodeLimit,
} from "../endpoints/limited-node.testing.ts";
import { checkRate } from "./rate-check.ts";

async function look(limit: NodeLimit) {
  const clock = createVirtualClock();
  const node = createLimitedNode(limit, clock);
  const looking = checkRate(node, { clock, seconds: 10 });
  await clock.advance(15_000);
  return { line: await looking, asked: node.asked };
}

const bucket = (perSecond: number, burst: number): NodeLimit => ({
  perSecond,
  kind: "bucket",
  burst,
  counts: "requests",
});

test("ten requests a second are enough, also where none may come at once", async () => {
  for (const limit of [bucket(10, 10), { ...bucket(10, 1), kind: "spaced" as const }]) {
    const { line, asked } = await look(limit);
    expect(line).toMatchObject({ name: "rate 0", status: "ok" });
    expect(line.text).toBe("8 requests a second for 10 seconds");
    expect(asked).toBe(80);
  }
});

test("five a second are found out, also behind a burst that is larger than one look", async () => {
  for (const burst of [5, 16]) {
    const { line } = await look(bucket(5, burst));
    expect(line.status).toBe("warn");
    expect(line.text).toMatch(/it takes about 5 a second$/);
    expect(line.fix).toMatch(/^enough for about 1 payment a second; for more raise its limit/);
  }
});

test("less than a payment a second takes is said to report payments late", async () => {
  const { line } = await look(bucket(2, 2));
  expect([line.status, line.fix]).toEqual([
    "warn",
    expect.stringMatching(/^less than one payment a second takes, so payments are reported late/),
  ]);
});

test("an endpoint that counts calls takes less than its number says", async () => {
  const { line } = await look({ ...bucket(5, 5), counts: "calls", isPartial: true });
  expect([line.status, line.fix]).toEqual([
    "warn",
    expect.stringMatching(/^less than one payment/),
  ]);
});

test("an endpoint that takes some and then nothing must be replaced", async () => {
  const { line } = await look(bucket(0.01, 16));
  expect([line.status, line.text]).toEqual([
    "fail",
    expect.stringMatching(/^64 of 80 requests at 8 a second were refused \(rate_limited/),
  ]);
});
