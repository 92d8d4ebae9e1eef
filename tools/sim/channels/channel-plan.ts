/** Draws a run of channels: the calls, and what happens beside them. */
import { createSeededRandom, type SeededRandom } from "../seeded-random.ts";
import { databaseNames, type DatabaseName } from "./lost-commits.ts";
import { manners, type Manner } from "./sim-buyer.ts";

/** Kinds of faults; a run has those that its seed draws, or those that the command names. */
export const channelFaultKinds = [
  /** The facilitator dies at any of its steps, and starts again. */
  "facilitator",
  /** A shop's process dies at any of its steps, and starts again. */
  "shop",
  /** All shops die for good. */
  "gone",
  /** Payers withdraw all that is not claimed, and finish it at once or late. */
  "withdraw",
  "reorg",
  /** The price of gas is above what the facilitator pays. */
  "gas",
  /** The facilitator's node is behind, and its transactions wait. */
  "late",
  /** The facilitator's database, or the shop's records, lose their last commits. */
  "losses",
  /** Calls between shop and facilitator are lost, or their answers. */
  "road",
  /** Buyers sign backwards, twice, and ask for refunds. */
  "buyers",
  /** The seller claims and refunds by itself. */
  "seller",
  /** Another seller lies to the vault. */
  "liar",
] as const;
export type ChannelFaultKind = (typeof channelFaultKinds)[number];

export type ChannelEvent = { readonly atMs: number } & (
  | {
      readonly what: "call";
      readonly buyer: number;
      readonly shop: number;
      readonly manner: Manner;
      readonly cost: number;
    }
  | { readonly what: "call at the liar"; readonly cost: number }
  | { readonly what: "withdraw"; readonly buyer: number; readonly isLate: boolean }
  | { readonly what: "reorganise"; readonly depth: number }
  | { readonly what: "dear" | "cheap" | "gone" | "claim" }
  | { readonly what: "lag"; readonly blocks: number }
  | { readonly what: "refund"; readonly buyer: number }
  | { readonly what: "copy" | "lose"; readonly database: DatabaseName }
);

export interface ChannelPlan {
  readonly seed: number;
  readonly faultKinds: readonly ChannelFaultKind[];
  readonly buyers: number;
  readonly shops: number;
  readonly events: readonly ChannelEvent[];
  /** How often the shop's records lose commits. */
  readonly recordLosses: number;
  /** Of a thousand steps of a process, those at which it dies. */
  readonly deathsPerThousand: number;
  /** Of a hundred calls between shop and facilitator. */
  readonly lostPercent: number;
}

/** Time in which calls are made. */
export const callsMs = 1_200_000;

/** Withdrawals begin in this time, so that those that are finished at once end while calls are made. */
const withdrawalsMs = 240_000;

/** The time of a withdrawal, and a block. */
export const withdrawMs = 904_000;

const maxCost = 1_000;

export function drawChannelPlan(seed: number, named?: readonly ChannelFaultKind[]): ChannelPlan {
  const random = createSeededRandom(seed, "channels");
  const faultKinds = named ?? channelFaultKinds.filter(() => random.chance(40));
  const has = new Set(faultKinds);
  const buyers = random.whole(1, 3);
  const shops = random.whole(1, 2);
  const at = () => random.whole(1, callsMs);
  const calls = drawCalls(random, { buyers, shops, has });
  /** In the middle of calls, where most is at stake. */
  const amid = () => random.pick(calls).atMs + random.whole(0, 300);
  const goneAtMs = amid();
  /** Either of the two: nobody knows what both have lost. */
  const database = random.pick(databaseNames);
  const events: ChannelEvent[] = [
    ...calls,
    ...times(random, has.has("withdraw"), 2, () => {
      const [buyer, atMs] = [random.whole(0, buyers - 1), random.whole(1, withdrawalsMs)];
      return [
        // There is something to withdraw, and calls that meet the end of the withdrawal.
        ...drawBurst(random, { buyer, begin: atMs - 1_000, shops, has }),
        { atMs, what: "withdraw", buyer, isLate: random.chance(50) },
        ...drawBurst(random, { buyer, begin: atMs + withdrawMs - 9_000, shops, has }),
      ];
    }),
    ...times(random, has.has("reorg"), 6, () => [
      { atMs: at(), what: "reorganise", depth: random.whole(1, 3) },
    ]),
    ...times(random, has.has("gas"), 2, () => {
      const atMs = at();
      return [
        { atMs, what: "dear" },
        { atMs: atMs + random.whole(10_000, 150_000), what: "cheap" },
      ];
    }),
    ...times(random, has.has("late"), 4, () => [
      { atMs: at(), what: "lag", blocks: random.whole(0, 5) },
    ]),
    ...times(random, has.has("gone"), 1, () => [{ atMs: goneAtMs, what: "gone" }]),
    ...times(random, has.has("liar"), 4, () => drawLiesAt(random, amid())),
    ...times(random, has.has("losses"), 3, () =>
      drawLoss(random, { has, calls, goneAtMs, database }),
    ),
    ...times(random, has.has("seller"), 4, () => [
      { atMs: at(), what: "claim" },
      ...(random.chance(40)
        ? [{ atMs: at(), what: "refund", buyer: random.whole(0, buyers - 1) } as const]
        : []),
    ]),
  ];
  return {
    seed,
    faultKinds,
    buyers,
    shops,
    recordLosses: events.filter((one) => one.what === "lose" && one.database === "records").length,
    events: events.toSorted((one, other) => one.atMs - other.atMs),
    deathsPerThousand: random.pick([5, 20, 60]),
    lostPercent: has.has("road") ? random.pick([5, 20, 40]) : 0,
  };
}

function times(
  random: SeededRandom,
  isDrawn: boolean,
  max: number,
  draw: () => readonly ChannelEvent[],
): ChannelEvent[] {
  const count = random.whole(1, max);
  return isDrawn ? Array.from({ length: count }, draw).flat() : [];
}

/** A shop hands its vouchers over again within this time; one that is gone before hands none. */
const handAgainMs = 420_000;

function drawLiesAt(random: SeededRandom, atMs: number): ChannelEvent[] {
  return Array.from({ length: random.whole(1, 8) }, (_, nth) => ({
    atMs: atMs + nth * 1_500 + (nth > 0 ? 5_000 : 0),
    what: "call at the liar",
    cost: random.whole(0, maxCost),
  }));
}

/** Calls are lost that were charged and handed over in the seconds before. */
function drawLoss(
  random: SeededRandom,
  {
    has,
    calls,
    goneAtMs,
    database,
  }: {
    readonly has: ReadonlySet<ChannelFaultKind>;
    readonly calls: readonly ChannelEvent[];
    readonly goneAtMs: number;
    readonly database: DatabaseName;
  },
): ChannelEvent[] {
  const atMs = random.pick(calls).atMs + random.whole(1_500, 10_000);
  const isTooLate = has.has("gone") && database === "vault" && atMs > goneAtMs - handAgainMs;
  if (isTooLate) return [];
  return [
    { atMs: Math.max(0, atMs - random.whole(1_500, 30_000)), what: "copy", database },
    { atMs, what: "lose", database },
  ];
}

interface Drawing {
  readonly buyers: number;
  readonly shops: number;
  readonly has: ReadonlySet<ChannelFaultKind>;
}

/** Calls come in bursts, so that several are made before a voucher is passed on. */
function drawCalls(random: SeededRandom, drawing: Drawing): ChannelEvent[] {
  return Array.from({ length: random.whole(2, 8) }, () => {
    const [buyer, begin] = [random.whole(0, drawing.buyers - 1), random.whole(0, callsMs)];
    return drawBurst(random, { ...drawing, buyer, begin });
  }).flat();
}

interface Burst extends Pick<Drawing, "shops" | "has"> {
  readonly buyer: number;
  readonly begin: number;
}

function drawBurst(random: SeededRandom, { buyer, begin, shops, has }: Burst): ChannelEvent[] {
  const isMetered = random.chance(30);
  const pauseMs = random.pick([10, 200, 3_000]);
  return Array.from({ length: random.whole(1, 14) }, (_, nth): ChannelEvent => {
    const isOdd = has.has("buyers") && random.chance(25);
    return {
      // The first call makes a deposit, which takes a block.
      atMs: begin + nth * pauseMs + (nth > 0 ? 5_000 : 0),
      what: "call",
      buyer,
      shop: random.whole(0, shops - 1),
      manner: isOdd ? random.pick(manners) : "honest",
      cost: isMetered ? random.whole(0, maxCost) : maxCost,
    };
  });
}
