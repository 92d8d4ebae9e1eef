/** Draws a run of channels: the calls, and what happens beside them. */
import { createSeededRandom, type SeededRandom } from "../seeded-random.ts";
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
  /** Calls between shop and facilitator are lost, or their answers. */
  "road",
  /** Buyers sign backwards, twice, and ask for refunds. */
  "buyers",
  /** The seller claims and refunds by itself. */
  "seller",
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
  | { readonly what: "withdraw"; readonly buyer: number; readonly isLate: boolean }
  | { readonly what: "reorganise"; readonly depth: number }
  | { readonly what: "dear" | "cheap" | "gone" | "claim" }
  | { readonly what: "lag"; readonly blocks: number }
  | { readonly what: "refund"; readonly buyer: number }
);

export interface ChannelPlan {
  readonly seed: number;
  readonly faultKinds: readonly ChannelFaultKind[];
  readonly buyers: number;
  readonly shops: number;
  readonly events: readonly ChannelEvent[];
  /** Of a thousand steps of a process, those at which it dies. */
  readonly deathsPerThousand: number;
  /** Of a hundred calls between shop and facilitator. */
  readonly lostPercent: number;
}

/** Time in which calls are made. */
export const callsMs = 600_000;

const maxCost = 1_000;

export function drawChannelPlan(seed: number, named?: readonly ChannelFaultKind[]): ChannelPlan {
  const random = createSeededRandom(seed, "channels");
  const faultKinds = named ?? channelFaultKinds.filter(() => random.chance(40));
  const has = new Set(faultKinds);
  const buyers = random.whole(1, 3);
  const shops = random.whole(1, 2);
  const at = () => random.whole(1, callsMs);
  const events: ChannelEvent[] = [
    ...drawCalls(random, { buyers, shops, has }),
    ...times(random, has.has("withdraw"), 2, () => [
      {
        atMs: at(),
        what: "withdraw",
        buyer: random.whole(0, buyers - 1),
        isLate: random.chance(50),
      },
    ]),
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
    ...times(random, has.has("gone"), 1, () => [{ atMs: at(), what: "gone" }]),
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

interface Drawing {
  readonly buyers: number;
  readonly shops: number;
  readonly has: ReadonlySet<ChannelFaultKind>;
}

/** Calls come in bursts, so that several are made before a voucher is passed on. */
function drawCalls(random: SeededRandom, { buyers, shops, has }: Drawing): ChannelEvent[] {
  return Array.from({ length: random.whole(2, 8) }, () => {
    const [buyer, begin] = [random.whole(0, buyers - 1), random.whole(0, callsMs)];
    const isMetered = random.chance(30);
    return Array.from({ length: random.whole(1, 14) }, (_, nth): ChannelEvent => {
      const isOdd = has.has("buyers") && random.chance(25);
      return {
        atMs: begin + nth * random.pick([10, 200, 3_000]),
        what: "call",
        buyer,
        shop: random.whole(0, shops - 1),
        manner: isOdd ? random.pick(manners) : "honest",
        cost: isMetered ? random.whole(0, maxCost) : maxCost,
      };
    });
  }).flat();
}
