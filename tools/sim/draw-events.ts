/** Draws the events beside the payments, for each kind of fault. */
import { finalDepth } from "@farthing/lab/audit";
import type { Event, Plan, PlannedPayment, FaultKind } from "./plan.ts";
import { createSeededRandom, type SeededRandom } from "./seeded-random.ts";

/** How large a run is. */
export type Size = Pick<Plan, "blocks" | "nodes" | "relayers" | "buyers">;

/** What events are drawn for. */
interface EventScope extends Size {
  readonly processes: number;
  readonly payments: readonly Pick<PlannedPayment, "index" | "block">[];
}

type DrawEvents = (random: SeededRandom, scope: EventScope) => readonly Event[];

/** When a rush begins, and for how many blocks payments come. */
export function rushBlock({ blocks }: Size): number {
  return Math.max(2, Math.floor(blocks / 3));
}
export const rushBlocks = 4;

/** Draws the events of a run, those of each fault kind from a stream of their own. */
export function drawEvents(seed: number, has: ReadonlySet<FaultKind>, scope: EventScope): Event[] {
  const events = [...has].flatMap((faultKind) =>
    (eventsOf[faultKind] ?? none)(createSeededRandom(seed, `events/${faultKind}`), scope),
  );
  const random = createSeededRandom(seed, "processes");
  return events
    .map((event) =>
      "process" in event ? { ...event, process: random.whole(0, scope.processes - 1) } : event,
    )
    .toSorted((one, other) => one.block - other.block);
}

const none: DrawEvents = () => [];

/** A time in the run, and one some blocks later. */
function span(random: SeededRandom, size: Size, lengthMax: number): { from: number; to: number } {
  const from = random.whole(1, size.blocks - 2);
  return { from, to: from + random.whole(1, lengthMax) };
}

function times(random: SeededRandom, max: number, draw: () => readonly Event[]): Event[] {
  return Array.from({ length: random.whole(1, max) }, draw).flat();
}

const eventsOf: Readonly<Partial<Record<FaultKind, DrawEvents>>> = {
  token: (random, size) => times(random, 6, () => drawTokenEvent(random, size)),
  reorg: (random, size) =>
    times(random, 3, () => [
      {
        block: random.whole(2, size.blocks),
        what: "reorganise",
        depth: random.whole(1, finalDepth),
        keep: random.pick(["all", "some", "none"] as const),
      },
    ]),
  wallet: (random, size) =>
    times(random, 2, () => {
      const { from, to } = span(random, size, 6);
      const relayer = random.whole(0, size.relayers - 1);
      return [
        { block: from, what: "empty-wallet", relayer },
        { block: to, what: "fill-wallet", relayer },
      ];
    }),
  crash: (random, size) =>
    times(random, 3, () => {
      const { from, to } = span(random, size, 4);
      if (random.chance(25)) return [{ block: from, what: "hand-over", process: 0 }];
      return [
        { block: from, what: random.pick(["kill", "kill", "stop"] as const), process: 0 },
        { block: random.chance(50) ? from : to, what: "start" },
      ];
    }),
  outage: (random, size) =>
    times(random, 3, () => {
      const { from, to } = span(random, size, 6);
      const node = random.whole(0, size.nodes - 1);
      return random.chance(30)
        ? [
            { block: from, what: "no-block" },
            { block: from, what: "no-block" },
          ]
        : [
            { block: from, what: "down", node },
            { block: to, what: "up", node },
          ];
    }),
  lag: (random, size) =>
    times(random, 4, () => {
      const { from, to } = span(random, size, 8);
      const node = random.whole(0, size.nodes - 1);
      return [
        { block: from, what: "lag", node, blocks: random.whole(1, 6) },
        { block: to, what: "lag", node, blocks: 0 },
      ];
    }),
  pool: (random, size) =>
    times(random, 2, () => [
      {
        block: random.whole(1, size.blocks),
        what: "node-restart",
        node: random.whole(0, size.nodes - 1),
      },
    ]),
  rules: (random, size) => times(random, 5, () => drawRuleEvents(random, size)),
  rush: (random, size) => {
    // The node that wallets send to at first: it forgets what they sent, and does not see it mined.
    const from = rushBlock(size) + random.whole(1, 3);
    return [
      { block: from, what: "lag", node: 0, blocks: random.whole(2, 5) },
      { block: from + random.whole(0, 1), what: "node-restart", node: 0 },
      { block: from + random.whole(3, 6), what: "lag", node: 0, blocks: 0 },
    ];
  },
  stranger: (random, size) =>
    times(random, 3, () => [
      {
        block: random.whole(1, size.blocks - 2),
        what: "wallet-used",
        relayer: random.whole(0, size.relayers - 1),
      },
    ]),
};

function drawRuleEvents(random: SeededRandom, size: EventScope): readonly Event[] {
  const { from, to } = span(random, size, 6);
  const node = random.whole(0, size.nodes - 1);
  switch (random.pick(["gas-price", "gas-price", "fee-cap", "pool-full"])) {
    case "gas-price":
      return [
        // 12.5 gwei is the least; above 100 nothing is sent by default.
        { block: from, what: "gas-price", gwei: random.pick([14, 20, 40, 90, 130]) },
        { block: to, what: "gas-price", gwei: 12.5 },
      ];
    case "fee-cap":
      return [
        // A payment alone costs 1.6, a batch of ten 14.5 of these at the least price.
        { block: from, what: "fee-cap", node, milliXdc: random.pick([1, 3, 6]) },
        { block: to, what: "fee-cap", node, milliXdc: 1_000 },
      ];
    default:
      return [
        { block: from, what: "pool-full", node },
        { block: to, what: "pool-free", node },
      ];
  }
}

function drawTokenEvent(random: SeededRandom, size: EventScope): readonly Event[] {
  const { from, to } = span(random, size, 5);
  const buyer = random.whole(0, size.buyers - 1);
  const payment = random.pick(size.payments);
  // Around the time at which the payment is on its way.
  const block = payment.block + random.whole(0, 3);
  const isAhead = random.chance(70);
  switch (
    random.pick(["front-run", "front-run", "cancel", "drain", "blacklist", "pause", "wallet"])
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
