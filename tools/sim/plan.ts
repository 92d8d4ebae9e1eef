/**
 * What happens in a run, drawn from its seed: who pays what and how it is asked for, what people do
 * to the token behind the facilitator's back, what befalls blocks, nodes, wallets and the process.
 * The plan counts in blocks; nothing in it depends on how the facilitator behaves.
 */
import { finalDepth, type Keep } from "./chain-world.ts";
import { transportFaults, type TransportFault } from "./fault-proxy.ts";
import { createRolls, type Rolls } from "./rolls.ts";

/** Kinds of trouble; a run has those that its seed draws, or those that it is told to have. */
export const troubles = [
  "road",
  "pool",
  "lag",
  "outage",
  "token",
  "reorg",
  "wallet",
  "crash",
] as const;

/** One of {@link troubles}. */
export type Trouble = (typeof troubles)[number];

/** How a caller asks for a settlement. */
export interface Ask {
  /** Blocks after the payment's own. */
  readonly afterBlocks: number;
  /** Value of the Prefer header; "" for none. */
  readonly prefer: "" | "respond-async" | "wait=4" | "wait=12";
  /** Callers who ask this at the same moment. */
  readonly atOnce: number;
  /** Times that it is asked again, a block later, when nothing was judged. */
  readonly again: number;
}

/** One authorization. */
export interface PlannedPayment {
  readonly index: number;
  readonly block: number;
  /** The contract wallet when undefined. */
  readonly buyer: number | undefined;
  /** USDC base units. */
  readonly units: number;
  /** Seconds from its own time. */
  readonly validFor: number;
  /** Seconds from its own time until it begins; 0 and less: valid at once. */
  readonly beginsIn: number;
  readonly isVerified: boolean;
  readonly asks: readonly Ask[];
  readonly isWatched: boolean;
}

/** Something that happens beside the payments. */
export type Event = { readonly block: number } & (
  | { readonly what: "drain" | "refill" | "blacklist" | "unblacklist"; readonly buyer: number }
  | { readonly what: "pause" | "unpause" | "wallet-refuses" | "wallet-accepts" }
  | { readonly what: "cancel" | "front-run"; readonly payment: number; readonly isAhead: boolean }
  | { readonly what: "reorganise"; readonly depth: number; readonly keep: Keep }
  | { readonly what: "no-block" }
  | { readonly what: "empty-wallet" | "fill-wallet"; readonly relayer: number }
  | { readonly what: "kill" | "stop" | "start" | "hand-over" }
  | { readonly what: "down" | "up" | "node-restart"; readonly node: number }
  | { readonly what: "lag"; readonly node: number; readonly blocks: number }
);

/** What a run is made of. */
export interface Plan {
  readonly seed: number;
  readonly troubles: readonly Trouble[];
  readonly blocks: number;
  readonly nodes: number;
  readonly relayers: number;
  readonly buyers: number;
  /** Settlements of one transaction at most. */
  readonly batchMax: number;
  readonly payments: readonly PlannedPayment[];
  readonly events: readonly Event[];
  readonly road: { readonly percent: number; readonly faults: readonly TransportFault[] };
  /** Of a hundred transactions that a node takes. */
  readonly pool: { readonly late: number; readonly dropped: number; readonly kept: number };
}

/** Longest and shortest run in blocks of 2 s. */
const blocksOfRun = { least: 12, most: 22 };

/** Draws a run. `only`: exactly these troubles. */
export function drawPlan(seed: number, only?: readonly Trouble[]): Plan {
  const rolls = createRolls(seed, "plan");
  const chosen = troubles.filter(() => rolls.chance(55));
  const has = new Set(only ?? chosen);
  const size = {
    blocks: rolls.whole(blocksOfRun.least, blocksOfRun.most),
    nodes: rolls.pick([1, 2, 2, 3]),
    relayers: rolls.pick([1, 1, 2]),
    buyers: rolls.whole(2, 5),
    batchMax: rolls.pick([1, 50, 50]),
  };
  const payments = drawPayments(createRolls(seed, "payments"), size);
  const events = [...has].flatMap((trouble) =>
    (eventsOf[trouble] ?? none)(createRolls(seed, `events/${trouble}`), size, payments),
  );
  return {
    seed,
    troubles: troubles.filter((trouble) => has.has(trouble)),
    ...size,
    payments,
    events: events.toSorted((one, other) => one.block - other.block),
    road: drawRoad(createRolls(seed, "road"), has),
    pool: drawPool(createRolls(seed, "pool"), has),
  };
}

type Size = Pick<Plan, "blocks" | "nodes" | "relayers" | "buyers">;
type DrawEvents = (
  rolls: Rolls,
  size: Size,
  payments: readonly PlannedPayment[],
) => readonly Event[];

const none: DrawEvents = () => [];

function drawPayments(rolls: Rolls, size: Size): PlannedPayment[] {
  const count = rolls.whole(4, 18);
  const isBurst = rolls.chance(30);
  const burst = rolls.whole(2, size.blocks - 4);
  return Array.from({ length: count }, (_, index) => ({
    index,
    block: isBurst && rolls.chance(70) ? burst : rolls.whole(1, size.blocks - 2),
    buyer: rolls.chance(12) ? undefined : rolls.whole(0, size.buyers - 1),
    units: rolls.pick([1, 1_000, 10_000, 2_500_000, 400_000_000]),
    validFor: rolls.pick([10, 20, 40, 90, 300, 3_600]),
    beginsIn: rolls.pick([-600, -600, -600, -1, 0, 3]),
    isVerified: rolls.chance(60),
    asks: drawAsks(rolls),
    isWatched: rolls.chance(30),
  }));
}

function drawAsks(rolls: Rolls): Ask[] {
  const count = rolls.pick([1, 1, 2, 3]);
  return Array.from({ length: count }, (_, index) => ({
    afterBlocks: index === 0 ? rolls.pick([0, 0, 0, 1, 2]) : rolls.whole(0, 8),
    prefer: rolls.pick(["", "", "respond-async", "wait=4", "wait=12"] as const),
    atOnce: rolls.pick([1, 1, 1, 2, 4]),
    again: rolls.pick([0, 2, 6]),
  }));
}

function drawRoad(rolls: Rolls, has: ReadonlySet<Trouble>): Plan["road"] {
  const faults = transportFaults.filter(() => rolls.chance(50));
  const percent = rolls.pick([5, 15, 30, 50]);
  return has.has("road") ? { percent, faults } : { percent: 0, faults: [] };
}

function drawPool(rolls: Rolls, has: ReadonlySet<Trouble>): Plan["pool"] {
  const pool = {
    late: rolls.pick([0, 20, 50]),
    dropped: rolls.pick([0, 10, 40]),
    kept: rolls.pick([0, 10, 40]),
  };
  return has.has("pool") ? pool : { late: 0, dropped: 0, kept: 0 };
}

/** A time in the run, and one some blocks later. */
function span(rolls: Rolls, size: Size, lengthMax: number): { from: number; to: number } {
  const from = rolls.whole(1, size.blocks - 2);
  return { from, to: from + rolls.whole(1, lengthMax) };
}

function times(rolls: Rolls, most: number, draw: () => readonly Event[]): Event[] {
  return Array.from({ length: rolls.whole(1, most) }, draw).flat();
}

const eventsOf: Readonly<Partial<Record<Trouble, DrawEvents>>> = {
  token: (rolls, size, payments) => times(rolls, 6, () => drawTokenEvent(rolls, size, payments)),
  reorg: (rolls, size) =>
    times(rolls, 3, () => [
      {
        block: rolls.whole(2, size.blocks),
        what: "reorganise",
        depth: rolls.whole(1, finalDepth),
        keep: rolls.pick(["all", "some", "none"] as const),
      },
    ]),
  wallet: (rolls, size) =>
    times(rolls, 2, () => {
      const { from, to } = span(rolls, size, 6);
      const relayer = rolls.whole(0, size.relayers - 1);
      return [
        { block: from, what: "empty-wallet", relayer },
        { block: to, what: "fill-wallet", relayer },
      ];
    }),
  crash: (rolls, size) =>
    times(rolls, 3, () => {
      const { from, to } = span(rolls, size, 4);
      if (rolls.chance(25)) return [{ block: from, what: "hand-over" }];
      return [
        { block: from, what: rolls.pick(["kill", "kill", "stop"] as const) },
        { block: rolls.chance(50) ? from : to, what: "start" },
      ];
    }),
  outage: (rolls, size) =>
    times(rolls, 3, () => {
      const { from, to } = span(rolls, size, 6);
      const node = rolls.whole(0, size.nodes - 1);
      return rolls.chance(30)
        ? [
            { block: from, what: "no-block" },
            { block: from, what: "no-block" },
          ]
        : [
            { block: from, what: "down", node },
            { block: to, what: "up", node },
          ];
    }),
  lag: (rolls, size) =>
    times(rolls, 4, () => {
      const { from, to } = span(rolls, size, 8);
      const node = rolls.whole(0, size.nodes - 1);
      return [
        { block: from, what: "lag", node, blocks: rolls.whole(1, 6) },
        { block: to, what: "lag", node, blocks: 0 },
      ];
    }),
  pool: (rolls, size) =>
    times(rolls, 2, () => [
      {
        block: rolls.whole(1, size.blocks),
        what: "node-restart",
        node: rolls.whole(0, size.nodes - 1),
      },
    ]),
};

function drawTokenEvent(
  rolls: Rolls,
  size: Size,
  payments: readonly PlannedPayment[],
): readonly Event[] {
  const { from, to } = span(rolls, size, 5);
  const buyer = rolls.whole(0, size.buyers - 1);
  const payment = rolls.pick(payments);
  // Around the time at which the payment is on its way.
  const block = payment.block + rolls.whole(0, 3);
  const isAhead = rolls.chance(70);
  switch (
    rolls.pick(["front-run", "front-run", "cancel", "drain", "blacklist", "pause", "wallet"])
  ) {
    case "front-run":
      return [{ block, what: "front-run", payment: payment.index, isAhead }];
    case "cancel":
      return [{ block, what: "cancel", payment: payment.index, isAhead }];
    case "drain":
      return [
        { block: from, what: "drain", buyer },
        { block: to, what: "refill", buyer },
      ];
    case "blacklist":
      return [
        { block: from, what: "blacklist", buyer },
        { block: to, what: "unblacklist", buyer },
      ];
    case "pause":
      return [
        { block: from, what: "pause" },
        { block: to, what: "unpause" },
      ];
    default:
      return [
        { block: from, what: "wallet-refuses" },
        { block: to, what: "wallet-accepts" },
      ];
  }
}
