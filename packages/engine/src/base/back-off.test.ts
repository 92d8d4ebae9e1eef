/** Pauses between tries: doubled up to a bound, with chance, and none without a failure. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { backOffMs } from "./back-off.ts";

test("a pause is doubled with each failure up to its bound, and up to half of it is chance", () => {
  const bounds = fc.record({
    minMs: fc.integer({ min: 1, max: 1_000 }),
    maxMs: fc.integer({ min: 1_000, max: 100_000 }),
  });
  fc.assert(
    fc.property(bounds, fc.integer({ min: 1, max: 10_000 }), (bound, failures) => {
      const least = Math.min(bound.maxMs, bound.minMs * 2 ** (failures - 1));
      const pauseMs = backOffMs(failures, bound);
      expect(pauseMs).toBeGreaterThanOrEqual(least);
      expect(pauseMs).toBeLessThanOrEqual(least * 1.5);
    }),
  );
});

test("without a failure there is no pause", () => {
  expect(backOffMs(0, { minMs: 500, maxMs: 5_000 })).toBe(0);
});
