/** Turns: how many at once, who is next, and who is sent away. */
import { expect, test } from "vitest";
import { createSlots, unpaidShare } from "./slots.ts";

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

test("keeps slots and places in the line for calls that are paid for", async () => {
  const slots = createSlots({ slotsMax: 4, waitMs: 60_000, unpaidMax: unpaidShare(4) });
  for (let nth = 0; nth < 3; nth++) expect(await slots.take(true)).toBe(true);
  const order: string[] = [];
  const wait = async (name: string, isUnpaid: boolean) => {
    await slots.take(isUnpaid);
    order.push(name);
    slots.free(isUnpaid);
  };
  const waiting = Array.from({ length: 16 }, () => wait("unpaid", true));
  expect([await slots.take(true), slots.isLineFull()]).toEqual([false, false]);
  expect(await slots.take()).toBe(true);
  waiting.push(wait("paid", false));
  slots.free();
  await waiting.at(-1);
  expect(order).toEqual(["paid"]);
  for (let nth = 0; nth < 3; nth++) slots.free(true);
  await Promise.all(waiting);
  expect([order.length, slots.taken()]).toEqual([17, 0]);
  expect([1, 2, 64].map(unpaidShare)).toEqual([1, 1, 48]);
});
