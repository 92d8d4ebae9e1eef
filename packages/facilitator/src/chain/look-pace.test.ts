/** Rests between looks at the head when the time of day is put back. */
import { expect, test } from "vitest";
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
