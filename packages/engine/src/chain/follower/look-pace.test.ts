/** Rests between looks at the head: when the time of day is put back, and when blocks are irregular. */
import { describe, expect, test } from "vitest";
import type { BlockHead } from "../reads/block-headers.ts";
import { createLookPace, idlePauseMs } from "./look-pace.ts";

const startMs = 1_700_000_000_000;
const hourMs = 3_600_000;

test("a look comes no later when the clock goes back an hour", () => {
  const pace = createLookPace();
  pace.noteAttention(startMs);
  pace.noteLook("nothing", "none", startMs);
  pace.pauseMs("none", startMs);
  expect(pace.wokenPauseMs("none", startMs - hourMs)).toBeLessThanOrEqual(idlePauseMs);
  expect(pace.isAttentive(startMs - hourMs + 10_000)).toBe(false);
});

test("nor after a look that failed", () => {
  const pace = createLookPace();
  pace.noteLook("failed", "none", startMs);
  const restMs = pace.pauseMs("none", startMs);
  expect(pace.wokenPauseMs("none", startMs - hourMs)).toBe(restMs);
});

/** A block by its own time, in seconds, and when it is there, in milliseconds. */
interface Arrival {
  readonly time: number;
  readonly hereMs: number;
}

const headAt = (number: number, time: number): BlockHead => {
  const hash = `0x${number.toString(16).padStart(64, "0")}` as const;
  return { number, hash, parentHash: hash, time: BigInt(time) };
};

/** Requests of an outcome that is waited for all the time: looks, and one for the logs of what they find. */
function countRequests(blocks: readonly Arrival[]): number {
  const pace = createLookPace();
  const endMs = blocks.at(-1)?.hereMs ?? 0;
  let [nowMs, seen, requests] = [0, 0, 0];
  for (;;) {
    nowMs += pace.pauseMs("outcome", nowMs);
    if (nowMs > endMs) return requests;
    const newest = blocks.filter(({ hereMs }) => hereMs <= nowMs).length;
    const head = blocks[newest - 1];
    const isFound = newest > seen && head !== undefined;
    if (isFound) pace.noteHead(headAt(newest, head.time), nowMs);
    requests += isFound ? 2 : 1;
    seen = newest;
    pace.noteLook(isFound ? "found" : "nothing", "outcome", nowMs);
  }
}

/** Blocks that come after gaps, in seconds, again and again; `stampOf` is what a block says of its time. */
function blocksEvery(gaps: readonly number[], stampOf = (seconds: number) => Math.floor(seconds)) {
  const blocks: Arrival[] = [];
  for (let seconds = 0; seconds < 600;) {
    seconds += gaps[blocks.length % gaps.length] ?? 2;
    blocks.push({ time: stampOf(seconds), hereMs: seconds * 1_000 + 300 });
  }
  return blocks;
}

describe("one payment that waits for ten minutes: at most two requests a second", () => {
  test.each([
    ["a block every two seconds", blocksEvery([2])],
    ["a block after two seconds, or after four or six", blocksEvery([2, 4, 2, 6])],
    ["a little late each", blocksEvery([2.3, 2.7, 2.5, 2.9])],
    ["a leader missing all the time", blocksEvery([2, 2, 10])],
    ["times that go half as fast", blocksEvery([2], (seconds) => Math.floor(seconds / 2))],
    ["no blocks", blocksEvery([600])],
  ])("%s", (_, blocks) => {
    expect(countRequests(blocks)).toBeLessThanOrEqual(2 * 600);
  });
});
