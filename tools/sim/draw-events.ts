/** Draws the events beside the payments, for each kind of fault. */
import { finalDepth } from "@farthing/lab/audit";
import { readOnlyBlocksMin } from "./database-events.ts";
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

/**
 * Base fees in gwei that a service pays by default, up to 1,250: the one that XDC has had, the one its
 * releases prepare, and others on both sides. The chain stays at one of them.
 */
const paidGwei = [12.5, 50, 625, 625, 1_000];
const unpaidGwei = 1_600;

/** Longer than it takes a service to find out that nothing is written. */
const readOnlyBlocks = { min: readOnlyBlocksMin, max: readOnlyBlocksMin + 4 };

/** Seconds by which clocks are wrong: a lost hour, minutes, and what a bad oscillator comes to. */
const clockSteps = [-3_600, -90, -8, 8, 90, 3_600];

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
  gas: (random, size) => {
    const blocks = Array.from({ length: random.whole(1, 3) }, () =>
      random.whole(1, size.blocks - 2),
    );
    return blocks
      .toSorted((one, other) => one - other)
      .map((block, index) => ({
        block,
        what: "gas-step",
        gwei: random.pick(index === blocks.length - 1 ? paidGwei : [...paidGwei, unpaidGwei]),
      }));
  },
  database: (random, size) => {
    const from = random.whole(1, size.blocks - 2);
    const to = from + random.whole(readOnlyBlocks.min, readOnlyBlocks.max);
    return [
      { block: from, what: "read-only" },
      // What is still so at the end is healed there.
      { block: to, what: "writable" },
    ];
  },
  loss: (random, size) => {
    const from = random.whole(1, size.blocks - 3);
    const to = Math.min(size.blocks - 1, from + random.pick([1, 1, 2, 5]));
    const copy = { block: from, what: "copy" } as const;
    if (random.chance(50)) return [copy, { block: to, what: "restore" }];
    return [copy, { block: to, what: "fail-over" }];
  },
  signer: (random, size) =>
    times(random, 2, () => {
      const { from, to } = span(random, size, 6);
      return [
        { block: from, what: "signer-down" },
        { block: to, what: "signer-up" },
      ];
    }),
  clock: (random, size) =>
    times(random, 2, () => {
      const { from, to } = span(random, size, 8);
      return [
        { block: from, what: "clock-step", process: 0, seconds: random.pick(clockSteps) },
        { block: to, what: "clock-step", process: 0, seconds: 0 },
      ];
    }),
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
