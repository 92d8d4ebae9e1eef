/** The fair queue: no caller starves, order is kept within a flow, bounds and shares hold. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FairQueue, type QueuedPayment, type TransactionUse } from "./fair-queue.ts";
import { waitingAloneMax, waitingMax } from "./queue-capacity.ts";

/** Nothing is on its way, and eight transactions may be: one wallet. */
const idle: TransactionUse = {
  capacity: 8,
  keyless: 0,
  alone: 0,
  keylessAlone: 0,
  hasKeyedCallers: true,
};
const batchMax = 50;

let paymentsMade = 0;

function place(changes: Partial<QueuedPayment> = {}): QueuedPayment {
  const id = `stl_${++paymentsMade}`;
  const { isAlone = false } = changes;
  const kind = { isKeyed: false, isAlone, isBounded: isAlone };
  return { id, group: "shop", payer: "payer", since: paymentsMade, ...kind, ...changes };
}

function queueOf(places: readonly QueuedPayment[], aloneMax = 1): FairQueue<QueuedPayment> {
  const queue = new FairQueue<QueuedPayment>(aloneMax);
  for (const one of places) queue.add(one, one);
  return queue;
}

/** Takes until nothing is left; each transaction ends before the next one. */
function takeAll(queue: FairQueue<QueuedPayment>, most = batchMax): QueuedPayment[][] {
  const groups: QueuedPayment[][] = [];
  for (let group = queue.take(idle, most); group; group = queue.take(idle, most)) {
    for (const { id } of group.values) queue.end(id);
    groups.push([...group.values]);
  }
  return groups;
}

/** Payments of twenty payers. */
function ofTwenty(isAlone: boolean): QueuedPayment[] {
  return Array.from({ length: 20 }, (_, index) => place({ isAlone, payer: `p${index}` }));
}

const anyPayments = fc
  .array(
    fc.record({
      group: fc.constantFrom("a", "b", "c"),
      payer: fc.constantFrom("x", "y", "z"),
      isKeyed: fc.boolean(),
      isAlone: fc.boolean(),
      since: fc.integer({ min: 0, max: 1_000 }),
    }),
    { maxLength: 80 },
  )
  .map((changes) => changes.map((one) => place(one)));

describe("what was taken in", () => {
  test("leaves once, plain ones in batches of one kind, contract wallets' alone", () => {
    fc.assert(
      fc.property(anyPayments, fc.integer({ min: 1, max: 10 }), (places, most) => {
        const queue = queueOf(places);
        const groups = takeAll(queue, most);
        const ids = groups.flat().map(({ id }) => id);
        expect(ids.toSorted()).toEqual(places.map(({ id }) => id).toSorted());
        for (const group of groups) {
          expect(group.length).toBeLessThanOrEqual(most);
          if (group.some(({ isAlone }) => isAlone)) expect(group.length).toBe(1);
        }
        expect([queue.size, queue.readySize]).toEqual([0, 0]);
      }),
    );
  });

  test("leaves oldest first, of one payer to one payee", () => {
    fc.assert(
      fc.property(anyPayments, (places) => {
        const plain = places.filter(({ isAlone }) => !isAlone);
        const left = takeAll(queueOf(plain)).flat();
        const flows = Map.groupBy(left, (one) => `${one.isKeyed}${one.group}${one.payer}`);
        for (const flow of flows.values()) {
          const times = flow.map(({ since }) => since);
          expect(times).toEqual(times.toSorted((one, other) => one - other));
        }
      }),
    );
  });

  test("comes back when it was put off, and is gone when it was forgotten", () => {
    fc.assert(
      fc.property(anyPayments, fc.infiniteStream(fc.boolean()), (places, coins) => {
        const queue = queueOf(places, 2);
        const forgotten = new Set<string>();
        const carried = new Set<string>();
        for (let round = 0; queue.size > 0 && round < 1_000; round++) {
          const group = queue.take(idle, 3);
          if (!group) queue.resume(round);
          for (const one of group?.values ?? []) {
            if (coins.next().value) queue.defer(one.id, one, round);
            else {
              queue.carry(one.id, round);
              queue.end(one.id);
              carried.add(one.id);
            }
          }
          const other = places[round % places.length];
          if (other && coins.next().value && !carried.has(other.id)) {
            queue.end(other.id);
            forgotten.add(other.id);
          }
        }
        expect(queue.size).toBe(0);
        expect(carried.size + forgotten.size).toBe(places.length);
      }),
    );
  });
});

describe("no caller starves", () => {
  /** 5,000 payments of 100 payers. */
  const floods: readonly [string, (index: number) => Partial<QueuedPayment>][] = [
    ["to 100 payees", (index) => ({ payer: `h${index % 100}`, group: `g${(index * 7) % 100}` })],
    ["to the same payee", (index) => ({ payer: `h${index % 100}`, group: "shop" })],
    [
      "by payers without end to 100 payees",
      (index) => ({ payer: `h${index}`, group: `g${index % 100}` }),
    ],
  ];

  test.each(floods)("5,000 wait %s: a newcomer leaves with the first 204", (flooding, of) => {
    for (const isKeyed of [false, true]) {
      const flood = Array.from({ length: 5_000 }, (_, index) => place({ isKeyed, ...of(index) }));
      const queue = queueOf(flood);
      const honest = place({ isKeyed, payer: "honest", group: "honest shop" });
      const customer = place({ isKeyed, payer: "customer" });
      queue.add(honest, honest);
      queue.add(customer, customer);
      const left = takeAll(queue).flat();
      expect(left.indexOf(honest)).toBeLessThan(204);
      // At a payee whom others flood, as long as the payers are not without end.
      const isEndless = flooding.startsWith("by payers without end");
      if (!isEndless) expect(left.indexOf(customer)).toBeLessThan(204);
    }
  });

  test("keyed callers go first, and every fourth transaction is a keyless one's", () => {
    const keyed = Array.from({ length: 40 }, () => place({ isKeyed: true }));
    const keyless = Array.from({ length: 40 }, () => place());
    const queue = queueOf([...keyless, ...keyed]);
    const order = Array.from({ length: 8 }, () => queue.take(idle, 5)?.isKeyed);
    expect(order).toEqual([true, true, true, false, true, true, true, false]);
  });

  test("contract wallets that have paid before go first, and every fourth is another's", () => {
    const [others, proven] = [ofTwenty(true), ofTwenty(true)].map((places, index) =>
      places.map((one) => ({ ...one, payer: `${index} ${one.payer}` })),
    );
    const queue = queueOf([...(others ?? []), ...(proven ?? [])]);
    for (const { id } of proven ?? []) queue.prove(id);
    const isProven = (one: QueuedPayment | undefined) => proven?.some(({ id }) => id === one?.id);
    const order = Array.from({ length: 8 }, () => isProven(queue.take(idle, 1)?.values[0]));
    expect(order).toEqual([true, true, true, false, true, true, true, false]);
    expect(takeAll(queue)).toHaveLength(32);
  });

  test("a relayer with one transaction at a time serves every kind", () => {
    const one: TransactionUse = { ...idle, capacity: 1 };
    const kinds = [true, false].flatMap((isKeyed) =>
      [true, false].map((isAlone) => ({ isKeyed, isAlone })),
    );
    const queue = queueOf(
      kinds.flatMap((kind) =>
        Array.from({ length: 20 }, (_, index) =>
          place({ ...kind, payer: `${kind.isKeyed} ${index}` }),
        ),
      ),
    );
    const seen = new Set<string>();
    for (let turn = 0; turn < 10; turn++) {
      const group = queue.take(one, 1);
      seen.add(`${group?.isKeyed} ${group?.isAlone}`);
    }
    expect(seen.size).toBe(4);
  });
});

describe("shares", () => {
  test("keyless callers never have all transactions, nor payments that go alone", () => {
    const queue = queueOf(
      Array.from({ length: 100 }, (_, index) => place({ isAlone: index < 50, payer: `p${index}` })),
    );
    const use = { ...idle };
    for (let group = queue.take(use, 1); group; group = queue.take(use, 1)) {
      use.keyless++;
      if (group.isAlone) use.alone = ++use.keylessAlone;
    }
    expect(use).toMatchObject({ keyless: 6, keylessAlone: 3 });
    const keyed = place({ isKeyed: true, isAlone: true, payer: "another" });
    queue.add(keyed, keyed);
    expect(queue.take(use, 1)?.values).toEqual([keyed]);
  });

  test.each([
    [1, 34],
    [4, 9],
  ])(
    "with %i wallets an unknown contract wallet among 100 hostile ones leaves in block %i",
    (wallets, blocks) => {
      const hostile = Array.from({ length: 100 }, (_, index) =>
        Array.from({ length: 10 }, () =>
          place({ isAlone: true, payer: `h${index}`, group: `g${index}` }),
        ),
      );
      const plain = Array.from({ length: 30_000 }, (_, index) =>
        place({ payer: `p${index % 50}` }),
      );
      const queue = queueOf([...hostile.flat(), ...plain]);
      const unknown = place({ isAlone: true, payer: "unknown", group: "honest shop" });
      const newcomer = place({ payer: "newcomer", group: "honest shop" });
      queue.add(unknown, unknown);
      queue.add(newcomer, newcomer);
      const leftIn = new Map<QueuedPayment, number>();
      for (let block = 1; block <= 40; block++) {
        const use = { ...idle, capacity: idle.capacity * wallets };
        for (let group = queue.take(use, batchMax); group; group = queue.take(use, batchMax)) {
          use.keyless++;
          if (group.isAlone) use.alone = ++use.keylessAlone;
          for (const one of group.values) leftIn.set(one, block);
        }
        // Each that reverted waits for minutes.
        for (const one of leftIn.keys()) {
          if (one.isAlone) queue.pause(one.payer, Number.MAX_SAFE_INTEGER);
          queue.end(one.id);
        }
      }
      expect(leftIn.get(unknown)).toBe(blocks);
      expect(leftIn.get(newcomer)).toBeLessThanOrEqual(3);
    },
  );

  test("without keyed callers keyless ones have all, and payments that go alone have most", () => {
    const use = { ...idle, hasKeyedCallers: false };
    const alone = queueOf(ofTwenty(true));
    for (let group = alone.take(use, 1); group; group = alone.take(use, 1)) {
      use.keyless = use.alone = ++use.keylessAlone;
    }
    expect(use.keyless).toBe(5);
    const plain = queueOf(ofTwenty(false));
    for (let group = plain.take(use, 1); group; group = plain.take(use, 1)) use.keyless++;
    expect(use.keyless).toBe(8);
  });

  test("a batch that goes anyway takes the other class along", () => {
    const queue = queueOf([place({ isKeyed: true }), place(), place()]);
    expect(queue.take({ ...idle, keyless: 6 }, 50)?.values.length).toBe(3);
  });

  test("a payer of payments that go alone has one on the way, and none while paused", () => {
    const places = Array.from({ length: 3 }, () => place({ isAlone: true }));
    const queue = queueOf(places);
    const [first, second] = places;
    expect(queue.take(idle, 1)?.values).toEqual([first]);
    expect(queue.take(idle, 1)).toBeUndefined();
    queue.carry(first?.id ?? "", 1_000);
    // Another one is ready when its payer is paused: it waits, and keeps its place.
    const ready = place({ isAlone: true, payer: "p" });
    queue.add(ready, ready);
    queue.pause("p", 2_000);
    expect([queue.take(idle, 1), queue.size]).toEqual([undefined, 3]);
    queue.resume(2_000);
    expect(queue.take(idle, 1)?.values).toEqual([ready]);
    queue.pause("payer", 5_000);
    queue.end(first?.id ?? "");
    expect(queue.take(idle, 1)).toBeUndefined();
    queue.resume(4_999);
    expect(queue.take(idle, 1)).toBeUndefined();
    queue.resume(5_000);
    expect(queue.take(idle, 1)?.values).toEqual([second]);
    // It comes back from its transaction.
    queue.carry(second?.id ?? "", 5_000);
    if (second) queue.add(second, second);
    queue.end(places[2]?.id ?? "");
    expect(queue.take(idle, 1)?.values).toEqual([second]);
    if (places[2]) queue.add(places[2], places[2]);
    // Its end was never reported.
    queue.carry(second?.id ?? "", 6_000);
    queue.releaseOlderThan(6_001);
    expect(queue.take(idle, 1)?.values).toEqual([places[2]]);
  });

  test("bounded payments share batches, one of each payer at a time", () => {
    const bounded = (payer: string) => place({ isBounded: true, payer });
    const [one, again, two, plain] = [bounded("p1"), bounded("p1"), bounded("p2"), place()];
    const queue = queueOf([one, again, two, plain]);
    expect(new Set(queue.take(idle, 50)?.values)).toEqual(new Set([one, two, plain]));
    for (const { id } of [one, two, plain]) queue.carry(id, 1_000);
    expect(queue.take(idle, 50)).toBeUndefined();
    queue.end(one.id);
    expect(queue.take(idle, 50)?.values).toEqual([again]);
    // What fails in a batch comes back to go alone.
    queue.defer(again.id, again, 2_000, true);
    queue.end(two.id);
    queue.resume(2_001);
    expect(queue.take(idle, 50)).toMatchObject({ values: [again], isAlone: true });
  });
});

describe("bounds", () => {
  test.each([
    ["100 payees", (index: number) => `g${index % 100}`],
    ["the newcomer's payee", () => "honest"],
  ])("100 payers who pay %s leave a newcomer a place", (_payees, groupOf) => {
    for (const isAlone of [false, true]) {
      const queue = queueOf([]);
      for (let index = 0; index < 20_000; index++) {
        const one = place({ isAlone, payer: `h${index % 100}`, group: groupOf(index) });
        if (queue.hasRoom(one)) queue.add(one, one);
      }
      expect(queue.size).toBeGreaterThan(isAlone ? 750 : 5_000);
      expect(queue.hasRoom(place({ isAlone, payer: "honest", group: "honest" }))).toBe(true);
    }
  });

  test("100 payers who come one after the other, each with as many as it can have, do so too", () => {
    for (const isKeyed of [false, true]) {
      for (const isAlone of [false, true]) {
        const queue = queueOf([]);
        for (let payer = 0; payer < 100; payer++) {
          const next = () => place({ isKeyed, isAlone, payer: `h${payer}`, group: `g${payer}` });
          for (let one = next(); queue.hasRoom(one); one = next()) queue.add(one, one);
        }
        const newcomer = { isKeyed, isAlone, payer: "honest", group: "honest" };
        expect(queue.hasRoom(place(newcomer))).toBe(true);
      }
    }
  });

  test("one account holds no more than what is still free to other accounts", () => {
    const queue = queueOf([]);
    for (let index = 0; index < 20_000; index++) {
      const one = place({ isKeyed: true, payer: `h${index}`, group: "account" });
      if (queue.hasRoom(one)) queue.add(one, one);
    }
    expect(queue.size).toBe(waitingMax / 2);
    const newcomer = { isKeyed: true, payer: "honest", group: "another" };
    expect(queue.hasRoom(place(newcomer))).toBe(true);
  });

  test("more payers fill the keyless places and no keyed one", () => {
    fc.assert(
      fc.property(fc.boolean(), (isAlone) => {
        const queue = queueOf([]);
        for (let index = 0; index < 20_000; index++) {
          const one = place({ isAlone, payer: `h${index}`, group: `g${index}` });
          if (queue.hasRoom(one)) queue.add(one, one);
        }
        expect(queue.size).toBe(isAlone ? waitingAloneMax : waitingMax);
        const newcomer = { isAlone, payer: "honest", group: "honest" };
        expect(queue.hasRoom(place(newcomer))).toBe(false);
        expect(queue.hasRoom(place({ ...newcomer, isKeyed: true }))).toBe(true);
      }),
      { numRuns: 2 },
    );
  });

  test("there are fewer places while a batch carries fewer payments", () => {
    let batchPayments = 14;
    const queue = new FairQueue<QueuedPayment>(1, () => batchPayments);
    const fill = () => {
      for (let index = 0; index < 20_000; index++) {
        const one = place({ payer: `h${index}`, group: `g${index}` });
        if (queue.hasRoom(one)) queue.add(one, one);
      }
      return queue.size;
    };
    expect(fill()).toBe(2_240);
    batchPayments = 50;
    expect(fill()).toBe(waitingMax);
    // What waits when the price rises stays.
    batchPayments = 14;
    expect([queue.hasRoom(place({ payer: "p", group: "g" })), queue.size]).toEqual([
      false,
      waitingMax,
    ]);
  });

  test("a reserved place counts until it is given back", () => {
    const queue = queueOf([]);
    const releases = Array.from({ length: waitingMax }, (_, index) =>
      queue.reserve(place({ payer: `p${index}`, group: `g${index}` })),
    );
    const last = place({ payer: "last", group: "last" });
    expect(queue.reserve(last)).toBeUndefined();
    releases[0]?.();
    expect(queue.reserve(last)).toBeDefined();
  });
});
