/** Sharing wallets by asking: wherever processes start, all end with about as many, and then rest. */
import type { Address } from "@farthing/protocol";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { walletsToAskFor, type Holding } from "./rebalancing.ts";

const walletAt = (index: number): Address => `0x${index.toString(16).padStart(40, "0")}`;

/** Who holds each wallet at first: any of the processes. */
const beginning = fc.record({
  processes: fc.integer({ min: 1, max: 6 }),
  holders: fc.array(fc.nat(), { maxLength: 20 }),
  turns: fc.infiniteStream(fc.nat()),
});

function countsOf(holders: readonly string[], processes: readonly string[]): number[] {
  return processes.map((name) => holders.filter((holder) => holder === name).length);
}

/** Looks by every process in turn without one of them asking for anything. */
function isAtRest(holdings: readonly Holding[], processes: readonly string[]): boolean {
  return processes.every((name) => walletsToAskFor(holdings, name).length === 0);
}

/** More looks than it ever takes: each moves a wallet from many to few, or nothing. */
const looksMax = 200;

test("all end with as many, one more or less, and from then on nothing moves", () => {
  fc.assert(
    fc.property(beginning, ({ processes: count, holders: starts, turns }) => {
      const processes = Array.from({ length: count }, (_, index) => `process ${index}`);
      const holders = starts.map((start) => processes[start % count] ?? "");
      const holdings = () =>
        holders.map((holder, index) => ({ wallet: walletAt(index), holder, isHandingOver: false }));
      for (let look = 0; look < looksMax && !isAtRest(holdings(), processes); look++) {
        const self = processes[(turns.next().value ?? 0) % count] ?? "";
        for (const { wallet } of walletsToAskFor(holdings(), self)) {
          holders[holders.findIndex((_, index) => walletAt(index) === wallet)] = self;
        }
      }
      expect(isAtRest(holdings(), processes)).toBe(true);
      const counts = countsOf(holders, processes);
      expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
    }),
  );
});

test("two who ask at once name the same wallets, so that one of them gets none", () => {
  const holdings = Array.from({ length: 8 }, (_, index) => ({
    wallet: walletAt(index),
    holder: "old",
    isHandingOver: false,
  }));
  const [one, other] = [walletsToAskFor(holdings, "new 1"), walletsToAskFor(holdings, "new 2")];
  expect(one).toHaveLength(4);
  expect(other).toEqual(one);
});

test("what is reserved already is not asked for, and counts for who gets it", () => {
  const holdings = [true, true, false, false].map((isHandingOver, index) => ({
    wallet: walletAt(index),
    holder: isHandingOver ? "new 1" : "old",
    isHandingOver,
  }));
  expect(walletsToAskFor(holdings, "new 2").map(({ wallet }) => wallet)).toEqual([walletAt(2)]);
  expect(walletsToAskFor(holdings, "new 1")).toEqual([]);
});
