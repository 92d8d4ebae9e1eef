/** The pauses between looks at the head, in milliseconds. */
import { expect, test } from "vitest";
import { createBlockCadence } from "./block-cadence.ts";

/** A cadence that has seen blocks come at a pace for a while; the newest at time 0. */
function settledAt(gapMs: number) {
  const cadence = createBlockCadence();
  for (let number = 1; number <= 20; number++) cadence.noteHead(number, (number - 20) * gapMs);
  return cadence;
}

test("a block every two seconds: few looks before it is due, then every tenth of a second", () => {
  const cadence = settledAt(2_000);
  const pauses: number[] = [];
  for (let now = 0; now < 2_400; now += pauses.at(-1) ?? 0) pauses.push(cadence.pauseMs(now));
  expect(pauses).toEqual([...Array.from({ length: 10 }, () => 200), 100, 100, 100, 100]);
});

test("the look at which a block is due is not slept through", () => {
  const cadence = settledAt(1_000);
  expect(Math.round(cadence.pauseMs(880))).toBe(120);
});

test("blocks that come at once are looked for at once", () => {
  expect(settledAt(30).pauseMs(100)).toBe(25);
});

test("blocks seen late, several together, count as many", () => {
  const cadence = createBlockCadence();
  for (let at = 0; at < 20; at++) cadence.noteHead(at * 4, at * 4_000);
  // One a second: due at 77,000.
  expect(Math.round(cadence.pauseMs(76_950))).toBe(50);
});

test("a chain that stands still is looked at now and then", () => {
  expect(settledAt(2_000).pauseMs(60_000)).toBe(200);
});

test("an idle hour does not slow down what follows", () => {
  const cadence = settledAt(1_000);
  cadence.noteHead(21, 3_600_000);
  expect(cadence.pauseMs(3_600_000)).toBe(200);
  cadence.noteHead(22, 3_601_000);
  cadence.noteHead(23, 3_602_000);
  expect(cadence.pauseMs(3_603_200)).toBeLessThanOrEqual(100);
});
