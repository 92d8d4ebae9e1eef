/** A lease is renewed while its holder works, and not a moment longer. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { holdLease, type Steps } from "./held-lease.ts";
import { createWaiting } from "./waiting.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function scene(renews: readonly boolean[] = []) {
  const done: string[] = [];
  const outcomes = [...renews];
  const step = (name: string) => async () => (done.push(name), true);
  const steps: Steps = {
    settling: step("settling"),
    paid: step("paid"),
    complete: step("complete"),
    discard: step("discard"),
    unlock: step("unlock"),
    renew: async () => (done.push("renew"), outcomes.shift() ?? true),
  };
  return { done, lease: holdLease({ state: "claimed" }, steps, 9_000) };
}

test("three times in its time, until the work ends", async () => {
  const { done, lease } = scene();
  await vi.advanceTimersByTimeAsync(9_000);
  expect(done).toEqual(["renew", "renew", "renew"]);
  expect(await lease.unlock()).toBe(true);
  await vi.advanceTimersByTimeAsync(9_000);
  // What comes after the end does not even ask.
  expect([await lease.settling(), await lease.discard()]).toEqual([false, false]);
  expect(done).toEqual(["renew", "renew", "renew", "unlock"]);
});

test("not when somebody else has it", async () => {
  const { done, lease } = scene([false]);
  await vi.advanceTimersByTimeAsync(9_000);
  expect(await lease.unlock()).toBe(false);
  expect(done).toEqual(["renew"]);
});

test("those who wait for other processes are not gathered without end", async () => {
  let isBusy = true;
  const wait = createWaiting(async () => isBusy, 25);
  const waiting = Array.from({ length: 1_001 }, () => wait("a", 60_000));
  expect(await waiting.at(-1)).toBe(false);
  isBusy = false;
  await vi.advanceTimersByTimeAsync(25);
  expect(await waiting[0]).toBe(true);
});
