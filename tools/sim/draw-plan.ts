/** Draws a run from its seed. */
import { drawConditions } from "./draw-conditions.ts";
import { drawEvents, rushBlock, rushBlocks, type Size } from "./draw-events.ts";
import { troubles, type Ask, type Plan, type PlannedPayment } from "./plan.ts";
import type { Service, Trouble } from "./plan.ts";
import { createRolls, type Rolls } from "./rolls.ts";
import { transportFaults } from "./transport-faults.ts";

/** Troubles that are drawn together; the others came later, and must not move what these draw. */
const drawnTogether = 8;

/** Longest and shortest run in blocks of 2 s. */
const blocksOfRun = { least: 12, most: 22 };

/** What a run must have, whatever its seed draws. */
export interface Wishes {
  /** Exactly these troubles. */
  readonly troubles?: readonly Trouble[] | undefined;
  readonly service?: Partial<Service> | undefined;
}

/** Draws a run. */
export function drawPlan(seed: number, wishes: Wishes = {}): Plan {
  const rolls = createRolls(seed, "plan");
  const first = troubles.slice(0, drawnTogether).filter(() => rolls.chance(55));
  const later = troubles
    .slice(drawnTogether)
    .filter((trouble) => createRolls(seed, `trouble/${trouble}`).chance(30));
  const has = new Set(wishes.troubles ?? [...first, ...later]);
  const size = {
    blocks: rolls.whole(blocksOfRun.least, blocksOfRun.most),
    nodes: rolls.pick([1, 2, 2, 3]),
    relayers: rolls.pick([1, 1, 2]),
    buyers: rolls.whole(2, 5),
    batchMax: rolls.pick([1, 50, 50]),
  };
  const service = drawService(seed, wishes.service);
  const drawn = drawPayments(createRolls(seed, "payments"), size);
  const rush = has.has("rush") ? drawRush(createRolls(seed, "rush"), size, drawn.length) : [];
  return {
    seed,
    troubles: troubles.filter((trouble) => has.has(trouble)),
    service,
    ...size,
    // A rush in batches would fit into a transaction or two.
    batchMax: has.has("rush") ? 1 : size.batchMax,
    payments: withDoors(seed, service, [...drawn, ...rush]),
    events: drawEvents(seed, has, { ...size, processes: service.processes, payments: drawn }),
    road: drawRoad(createRolls(seed, "road"), has),
    pool: drawPool(createRolls(seed, "pool"), has),
    conditions: has.has("ordinary")
      ? drawConditions(createRolls(seed, "ordinary"), size.nodes)
      : [],
  };
}

/** What the seed says about the service, but for what is wished. */
export function drawService(seed: number, wished: Partial<Service> = {}): Service {
  const rolls = createRolls(seed, "service");
  const drawn = {
    database: rolls.pick(["sqlite", "postgres"] as const),
    face: rolls.pick(["self-built", "public"] as const),
    confirmations: rolls.pick([1, 1, 2, 4]),
    inFlight: rolls.pick([8, 8, 2, 10]),
  };
  const service = { ...drawn, ...wished };
  return { ...service, processes: service.database === "postgres" ? processesMax : 1 };
}

/** Processes that share a PostgreSQL; SQLite has one. */
const processesMax = 2;

type DrawnAsk = Omit<Ask, "door" | "polls" | "waitSeconds">;
type DrawnPayment = Omit<PlannedPayment, "asks"> & { readonly asks: readonly DrawnAsk[] };

function drawPayments(rolls: Rolls, size: Size): DrawnPayment[] {
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

function drawAsks(rolls: Rolls): DrawnAsk[] {
  const count = rolls.pick([1, 1, 2, 3]);
  return Array.from({ length: count }, (_, index) => ({
    afterBlocks: index === 0 ? rolls.pick([0, 0, 0, 1, 2]) : rolls.whole(0, 8),
    prefer: rolls.pick(["", "", "respond-async", "wait=4", "wait=12"] as const),
    atOnce: rolls.pick([1, 1, 1, 2, 4]),
    again: rolls.pick([0, 2, 6]),
  }));
}

/** Many small payments within a few blocks, each asked for until it is judged. */
function drawRush(rolls: Rolls, size: Size, firstIndex: number): DrawnPayment[] {
  const from = rushBlock(size);
  return Array.from({ length: rolls.whole(24, 40) }, (_, index) => ({
    index: firstIndex + index,
    block: from + rolls.whole(0, rushBlocks - 1),
    buyer: rolls.whole(0, size.buyers - 1),
    units: rolls.whole(1, 1_000),
    validFor: rolls.pick([90, 300, 3_600]),
    beginsIn: -600,
    isVerified: false,
    asks: [{ afterBlocks: 0, prefer: "respond-async", atOnce: 1, again: 6 }],
    isWatched: false,
  }));
}

/** Which face each caller goes to, and how often he asks afterwards. */
function withDoors(
  seed: number,
  { face }: Service,
  payments: readonly DrawnPayment[],
): PlannedPayment[] {
  const rolls = createRolls(seed, "doors");
  return payments.map((payment) => ({
    ...payment,
    asks: payment.asks.map((ask) => {
      const isPublic = rolls.chance(70);
      const polls = rolls.pick([0, 2, 6]);
      const waitSeconds = rolls.pick([0, 4, 20]);
      const own = { ...ask, door: "self-built", polls: 0, waitSeconds: 0 } as const;
      if (face === "self-built") return own;
      return { ...own, door: isPublic ? "public" : "hosted", polls, waitSeconds };
    }),
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
