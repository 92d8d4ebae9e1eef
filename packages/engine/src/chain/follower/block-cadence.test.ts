/** The pauses between looks at the head, in milliseconds. */
import { expect, test } from "vitest";
import { createBlockCadence, type BlockCadence } from "./block-cadence.ts";

/** Milliseconds after its own time at which a block is here. */
const delayMs = 300;

/** What it took to see some blocks. */
interface Followed {
  readonly cadence: BlockCadence;
  readonly looks: number;
  /** Milliseconds from a block's arrival until it was seen, at most. */
  readonly lateMs: number;
  readonly nowMs: number;
}

/** Looks for blocks as the cadence says; `aheadMs` is what our clock shows too much. */
function follow(gapSeconds: number, blocks: number, aheadMs = 0): Followed {
  const cadence = createBlockCadence();
  let [nowMs, looks, lateMs] = [aheadMs, 0, 0];
  for (let number = 1; number <= blocks; number++) {
    const time = number * gapSeconds;
    const hereMs = time * 1_000 + delayMs + aheadMs;
    for (; nowMs < hereMs; looks++) {
      nowMs += cadence.pauseMs(nowMs);
      if (nowMs < hereMs) cadence.noteEmptyLook();
    }
    cadence.noteHead({ number, time: BigInt(time) }, nowMs);
    if (number > blocks / 2) lateMs = Math.max(lateMs, nowMs - hereMs);
  }
  return { cadence, looks, lateMs, nowMs };
}

/** The pauses of a cadence that finds nothing, for some seconds. */
function pausesFrom(cadence: BlockCadence, fromMs: number, forMs: number): number[] {
  const pauses: number[] = [];
  for (let nowMs = fromMs; ; cadence.noteEmptyLook()) {
    nowMs += cadence.pauseMs(nowMs);
    if (nowMs > fromMs + forMs) return pauses;
    pauses.push(cadence.pauseMs(nowMs));
  }
}

test.each([
  ["two seconds", 2, 0],
  ["two seconds, by a clock that is an hour ahead", 2, 3_600_000],
  ["two seconds, by a clock that is an hour behind", 2, -3_600_000],
  ["a second", 1, 0],
])("a block every %s: little more than one look each, soon after it came", (_, gap, aheadMs) => {
  const { looks, lateMs } = follow(gap, 200, aheadMs);
  expect(looks).toBeLessThan(200 * 1.35);
  expect(lateMs).toBeLessThanOrEqual(200);
});

test("a block that does not come is looked for ever more seldom, at most once a second", () => {
  const { cadence, nowMs } = follow(2, 20);
  const dueMs = nowMs + cadence.pauseMs(nowMs);
  expect(dueMs - nowMs).toBeGreaterThan(1_700);
  cadence.noteEmptyLook();
  expect(pausesFrom(cadence, dueMs, 5_000)).toEqual([200, 400, 800, 1_000, 1_000, 1_000]);
});

test("a head that was seen late is followed by one that comes in time", () => {
  const { cadence } = follow(2, 200);
  cadence.noteHead({ number: 201, time: 402n }, 403_700);
  expect(Math.abs(403_700 + cadence.pauseMs(403_700) - 404_300)).toBeLessThan(250);
});

test("a time of day that is put forward an hour: as few looks soon after", () => {
  const { cadence, nowMs } = follow(2, 20);
  const hourMs = 3_600_000;
  let looks = 0;
  let [atMs, number] = [nowMs + hourMs, 20];
  for (; number < 120; number++) {
    const hereMs = (number + 1) * 2_000 + delayMs + hourMs;
    for (; atMs < hereMs; looks++) {
      atMs += cadence.pauseMs(atMs);
      if (atMs < hereMs) cadence.noteEmptyLook();
    }
    cadence.noteHead({ number: number + 1, time: BigInt((number + 1) * 2) }, atMs);
  }
  expect(looks).toBeLessThan(100 * 1.35 + 40);
});

test("nothing is slept through for longer than a period", () => {
  const { cadence, nowMs } = follow(2, 20);
  cadence.noteHead({ number: 21, time: 3_600n }, nowMs);
  expect(cadence.pauseMs(nowMs)).toBeLessThanOrEqual(2_000);
});

test("what is sent waits for the next block where they come regularly", () => {
  const { cadence, nowMs } = follow(2, 20);
  expect(cadence.wakePauseMs(nowMs + 1_000)).toBe(Number.POSITIVE_INFINITY);
  // Two blocks should have come since: no one has looked, or the chain stands still.
  expect(cadence.wakePauseMs(nowMs + 6_000)).toBe(1_000);
});

test("blocks that are made on demand are looked for as soon as something is sent", () => {
  const cadence = createBlockCadence();
  for (let number = 1; number <= 4; number++) cadence.noteHead({ number, time: 7n }, 7_500);
  expect(cadence.wakePauseMs(7_600)).toBe(25);
  expect(cadence.pauseMs(7_600)).toBe(50);
});
