/** All pairings of buyers, sellers and facilitators of channels, with few calls. */
import { expect, test } from "vitest";
import { pairings, playPairings } from "./pairings/play-pairings.ts";

/** Enough for a top-up, a lost ledger, lost records and a refund. */
const calls = 30;

test("every base unit of every pairing is where both sides say", async () => {
  const { results, violations } = await playPairings({ calls, atOnce: true });
  expect(results.filter(({ problems }) => problems.length > 0)).toEqual([]);
  expect(violations).toEqual([]);
  expect(results.map((result) => result.calls)).toEqual(pairings.map(() => calls));
});
