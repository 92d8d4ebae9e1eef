/** Groups: at once when nothing runs, full when much is asked, bounded always. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createBatcher, type Batcher, type BatcherOptions } from "./batcher.ts";

interface Group {
  readonly items: readonly number[];
  finish(): void;
  fail(error: Error): void;
}

let groups: Group[];

function batcher(options: Partial<BatcherOptions<number, number>> = {}): Batcher<number, number> {
  return createBatcher<number, number>({
    run: (items) =>
      new Promise((resolve, reject) => {
        groups.push({ items, finish: () => resolve(items.map((n) => n * 10)), fail: reject });
      }),
    itemsMax: 3,
    inFlightMax: 2,
    waitingMax: 5,
    ...options,
  });
}

beforeEach(() => {
  groups = [];
  vi.useFakeTimers();
});
afterEach(() => void vi.useRealTimers());

const askMany = (ask: Batcher<number, number>, count: number) =>
  Array.from({ length: count }, (_, index) => ask(index));

/** What is due in this turn of the event loop. */
const turn = () => vi.advanceTimersByTimeAsync(0);
const itemsOf = () => groups.map(({ items }) => [...items]);

describe("a batcher", () => {
  test("starts at once when nothing runs, with all of the same turn", async () => {
    const ask = batcher();
    const answers = Promise.all([ask(1), ask(2)]);
    await turn();
    expect(itemsOf()).toEqual([[1, 2]]);
    groups[0]?.finish();
    expect(await answers).toEqual([10, 20]);
  });

  test("starts single items at once, and waits after a group that shows a load", async () => {
    const ask = batcher({ itemsMax: 80, inFlightMax: 1, waitingMax: 100, paceMs: 40 });
    const few = askMany(ask, 63);
    await turn();
    groups[0]?.finish();
    const soon = ask(1);
    await turn();
    expect(itemsOf()[1]).toEqual([1]);
    groups[1]?.finish();
    const many = askMany(ask, 64);
    await turn();
    groups[2]?.finish();
    // A load lasts while groups are smaller, but not small.
    for (const [index, count] of [16, 15].entries()) {
      const later = askMany(ask, count);
      await vi.advanceTimersByTimeAsync(39);
      expect(groups).toHaveLength(3 + index);
      await vi.advanceTimersByTimeAsync(1);
      expect(itemsOf()[3 + index]).toHaveLength(count);
      groups[3 + index]?.finish();
      await Promise.all(later);
    }
    const alone = ask(1);
    await turn();
    expect(itemsOf()[5]).toEqual([1]);
    groups[5]?.finish();
    await Promise.all([...few, soon, ...many, alone]);
  });

  test("does not wait for a full group", async () => {
    const ask = batcher({ itemsMax: 20, inFlightMax: 1, waitingMax: 100, paceMs: 40 });
    const answers = Promise.all(askMany(ask, 40));
    await turn();
    groups[0]?.finish();
    await turn();
    expect(itemsOf().map(({ length }) => length)).toEqual([20, 20]);
    groups[1]?.finish();
    await answers;
  });

  test("makes no group larger than allowed and runs no more at a time", async () => {
    const ask = batcher({ waitingMax: 10 });
    const answers = Promise.all([1, 2, 3, 4, 5, 6, 7].map(ask));
    await turn();
    expect(itemsOf()).toEqual([
      [1, 2, 3],
      [4, 5, 6],
    ]);
    groups[1]?.finish();
    await turn();
    expect(itemsOf()[2]).toEqual([7]);
    groups[0]?.finish();
    groups[2]?.finish();
    expect(await answers).toEqual([10, 20, 30, 40, 50, 60, 70]);
  });

  test("fails a group as a whole and no other", async () => {
    const ask = batcher();
    const [first, second] = [ask(1), ask(2)];
    await turn();
    const other = ask(3);
    await turn();
    groups[0]?.fail(new Error("no answer"));
    groups[1]?.finish();
    await expect(first).rejects.toThrow("no answer");
    await expect(second).rejects.toThrow("no answer");
    expect(await other).toBe(30);
  });

  test("refuses what would wait beyond the bound", async () => {
    const ask = batcher({ waitingMax: 2 });
    const answers = [ask(1), ask(2)];
    await expect(ask(3)).rejects.toMatchObject({ code: "queue_full" });
    await turn();
    groups[0]?.finish();
    expect(await Promise.all(answers)).toEqual([10, 20]);
  });
});

describe("gathering while a group runs", () => {
  const gatherMs = 2;

  test("waits for company, as long as said", async () => {
    const ask = batcher({ gatherMs });
    void ask(1);
    await turn();
    void ask(2);
    await turn();
    expect(itemsOf()).toEqual([[1]]);
    await vi.advanceTimersByTimeAsync(gatherMs - 1);
    void ask(3);
    await vi.advanceTimersByTimeAsync(1);
    expect(itemsOf()).toEqual([[1], [2, 3]]);
  });

  test("does not wait when the group is full", async () => {
    const ask = batcher({ gatherMs });
    void ask(1);
    await turn();
    for (const item of [2, 3, 4]) void ask(item);
    await turn();
    expect(itemsOf()).toEqual([[1], [2, 3, 4]]);
  });

  test("does not wait when it is worth it, beside what is on its way", async () => {
    const ask = batcher({ gatherMs, itemsMax: 8, worthItems: 2, inFlightMax: 3, waitingMax: 9 });
    for (const item of [1, 2, 3, 4, 5, 6]) void ask(item);
    await turn();
    for (const item of [7, 8]) void ask(item);
    await turn();
    // Two are enough, but not beside six.
    expect(groups).toHaveLength(1);
    void ask(9);
    await turn();
    expect(itemsOf()).toEqual([
      [1, 2, 3, 4, 5, 6],
      [7, 8, 9],
    ]);
  });

  test("does not wait when nothing runs any more", async () => {
    const ask = batcher({ gatherMs });
    void ask(1);
    await turn();
    void ask(2);
    await turn();
    groups[0]?.finish();
    await turn();
    expect(itemsOf()).toEqual([[1], [2]]);
    // The wait that was cut short starts nothing later.
    await vi.advanceTimersByTimeAsync(gatherMs);
    expect(groups).toHaveLength(2);
  });
});
