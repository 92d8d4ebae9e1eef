/** Turns: how many at once, who is next, and who is sent away. */
import { expect, test } from "vitest";
import { createSlots } from "./slots.ts";

test("hands turns on in the order they were asked for", async () => {
  const slots = createSlots({ slotsMax: 1, waitMs: 60_000 });
  expect(await slots.take()).toBe(true);
  const order: string[] = [];
  const waiting = ["first", "second"].map(async (name) => {
    await slots.take();
    order.push(name);
    slots.free();
  });
  slots.free();
  await Promise.all(waiting);
  expect([order, slots.taken()]).toEqual([["first", "second"], 0]);
});

test("sends away at once when the line is full, and after a while when it does not move", async () => {
  const slots = createSlots({ slotsMax: 1, waitMs: 20 });
  await slots.take();
  const waiting = Array.from({ length: 4 }, () => slots.take());
  expect(await slots.take()).toBe(false);
  expect(await Promise.all(waiting)).toEqual([false, false, false, false]);
  slots.free();
  expect([await slots.take(), slots.taken()]).toEqual([true, 1]);
});
