/** Draws what happens beside the payments, trouble by trouble. */
import { finalDepth } from "./chain-world.ts";
import type { Event, Plan, PlannedPayment, Trouble } from "./plan.ts";
import { createRolls, type Rolls } from "./rolls.ts";

/** How large a run is. */
export type Size = Pick<Plan, "blocks" | "nodes" | "relayers" | "buyers">;

/** What events are drawn for. */
interface Ground extends Size {
  readonly processes: number;
  readonly payments: readonly Pick<PlannedPayment, "index" | "block">[];
}

type DrawEvents = (rolls: Rolls, ground: Ground) => readonly Event[];

/** When a rush begins, and for how many blocks payments come. */
export function rushBlock({ blocks }: Size): number {
  return Math.max(2, Math.floor(blocks / 3));
}
export const rushBlocks = 4;

/** Draws the events of a run, each trouble's from a stream of its own. */
export function drawEvents(seed: number, has: ReadonlySet<Trouble>, ground: Ground): Event[] {
  const events = [...has].flatMap((trouble) =>
    (eventsOf[trouble] ?? none)(createRolls(seed, `events/${trouble}`), ground),
  );
  const rolls = createRolls(seed, "processes");
  return events
    .map((event) =>
      "process" in event ? { ...event, process: rolls.whole(0, ground.processes - 1) } : event,
    )
    .toSorted((one, other) => one.block - other.block);
}

const none: DrawEvents = () => [];

/** A time in the run, and one some blocks later. */
function span(rolls: Rolls, size: Size, lengthMax: number): { from: number; to: number } {
  const from = rolls.whole(1, size.blocks - 2);
  return { from, to: from + rolls.whole(1, lengthMax) };
}

function times(rolls: Rolls, most: number, draw: () => readonly Event[]): Event[] {
  return Array.from({ length: rolls.whole(1, most) }, draw).flat();
}

const eventsOf: Readonly<Partial<Record<Trouble, DrawEvents>>> = {
  token: (rolls, size) => times(rolls, 6, () => drawTokenEvent(rolls, size)),
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
      if (rolls.chance(25)) return [{ block: from, what: "hand-over", process: 0 }];
      return [
        { block: from, what: rolls.pick(["kill", "kill", "stop"] as const), process: 0 },
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
  rules: (rolls, size) => times(rolls, 5, () => drawRuleEvents(rolls, size)),
  rush: (rolls, size) => {
    // The node that wallets send to at first: it forgets what they sent, and does not see it mined.
    const from = rushBlock(size) + rolls.whole(1, 3);
    return [
      { block: from, what: "lag", node: 0, blocks: rolls.whole(2, 5) },
      { block: from + rolls.whole(0, 1), what: "node-restart", node: 0 },
      { block: from + rolls.whole(3, 6), what: "lag", node: 0, blocks: 0 },
    ];
  },
  stranger: (rolls, size) =>
    times(rolls, 3, () => [
      {
        block: rolls.whole(1, size.blocks - 2),
        what: "wallet-used",
        relayer: rolls.whole(0, size.relayers - 1),
      },
    ]),
};

function drawRuleEvents(rolls: Rolls, size: Ground): readonly Event[] {
  const { from, to } = span(rolls, size, 6);
  const node = rolls.whole(0, size.nodes - 1);
  switch (rolls.pick(["gas-price", "gas-price", "fee-cap", "pool-full"])) {
    case "gas-price":
      return [
        // 12.5 gwei is the least; above 100 nothing is sent by default.
        { block: from, what: "gas-price", gwei: rolls.pick([14, 20, 40, 90, 130]) },
        { block: to, what: "gas-price", gwei: 12.5 },
      ];
    case "fee-cap":
      return [
        // A payment alone costs 1.6, a batch of ten 14.5 of these at the least price.
        { block: from, what: "fee-cap", node, milliXdc: rolls.pick([1, 3, 6]) },
        { block: to, what: "fee-cap", node, milliXdc: 1_000 },
      ];
    default:
      return [
        { block: from, what: "pool-full", node },
        { block: to, what: "pool-free", node },
      ];
  }
}

function drawTokenEvent(rolls: Rolls, size: Ground): readonly Event[] {
  const { from, to } = span(rolls, size, 5);
  const buyer = rolls.whole(0, size.buyers - 1);
  const payment = rolls.pick(size.payments);
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
