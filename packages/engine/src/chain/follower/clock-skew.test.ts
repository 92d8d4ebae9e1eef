/** This machine's clock beside the chain's. */
import { expect, test } from "vitest";
import { silentLog } from "../../base/log.ts";
import { createClockSkew } from "./clock-skew.ts";

/** Notes blocks that are seen a second after their time by a clock that is ahead. */
function seenWith(aheadSeconds: number, blocks: number, lines: object[] = []) {
  const log = {
    ...silentLog,
    warn: (fields: object) => lines.push(fields),
    info: (fields: object) => lines.push(fields),
  };
  const skew = createClockSkew({ chainId: 51, log });
  const note = (ahead: number, count: number) => {
    for (let number = 0; number < count; number++) {
      const steadyMs = (number * 2 + 1) * 1_000;
      skew.note(BigInt(number * 2), { nowMs: steadyMs + ahead * 1_000, steadyMs });
    }
  };
  note(aheadSeconds, blocks);
  /** As long after the beginning, by a clock that is ahead. */
  const secondsBy = (ahead: number, steadyMs = 9_000) =>
    skew.seconds({ nowMs: steadyMs + ahead * 1_000, steadyMs });
  return { secondsBy, note };
}

test.each([0, 60, -60])("by the blocks that are seen: %s seconds ahead", (aheadSeconds) => {
  expect(seenWith(aheadSeconds, 3).secondsBy(aheadSeconds)).toBe(aheadSeconds + 1);
});

test("two blocks are not enough, since one may be seen late", () => {
  expect(seenWith(60, 2).secondsBy(60)).toBeUndefined();
});

test("a step of the clock shows at once, also while no block comes", () => {
  const { secondsBy } = seenWith(0, 8);
  expect(secondsBy(3_600)).toBe(3_601);
  expect(secondsBy(0, 60_000)).toBe(1);
});

test("a wrong clock is said once in the log, and so is that it is right again", () => {
  const lines: object[] = [];
  const { note } = seenWith(60, 20, lines);
  expect(lines).toEqual([expect.objectContaining({ event: "clock_skewed", skewSeconds: 61 })]);
  note(0, 20);
  expect(lines).toHaveLength(2);
  expect(lines[1]).toMatchObject({ event: "clock_right" });
});
