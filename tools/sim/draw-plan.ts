/** Draws a run from its seed. */
import { drawConditions, withSlowNodes } from "./draw-conditions.ts";
import { drawContracts } from "./draw-contracts.ts";
import { drawEvents, rushBlock, rushBlocks, type Size } from "./draw-events.ts";
import { faultKinds, type DrawnAsk, type DrawnPayment, type Plan } from "./plan.ts";
import type { FaultKind, PlannedPayment, Service } from "./plan.ts";
import { createSeededRandom, type SeededRandom } from "./seeded-random.ts";
import { transportFaults } from "@farthing/lab/faulty-transport";

/** Fault kinds that are drawn together; later ones must not change what these draw. */
const drawnTogether = 8;

/** Of a hundred runs with contract payers, those with the batch contract. */
const batchContractPercent = 60;

/** Longest and shortest run in blocks of 2 s. */
const runBlocks = { min: 12, max: 22 };

/** Properties that a run must have, whatever its seed draws. */
export interface PlanInput {
  /** Exactly these fault kinds. */
  readonly faultKinds?: readonly FaultKind[] | undefined;
  readonly service?: Partial<Service> | undefined;
}

/** Draws a run. */
export function drawPlan(seed: number, input: PlanInput = {}): Plan {
  const random = createSeededRandom(seed, "plan");
  const first = faultKinds.slice(0, drawnTogether).filter(() => random.chance(55));
  const later = faultKinds
    .slice(drawnTogether)
    .filter((faultKind) => createSeededRandom(seed, `trouble/${faultKind}`).chance(30));
  const has = new Set(input.faultKinds ?? [...first, ...later]);
  const size = {
    blocks: random.whole(runBlocks.min, runBlocks.max),
    nodes: random.pick([1, 2, 2, 3]),
    relayers: random.pick([1, 1, 2]),
    buyers: random.whole(2, 5),
    batchMax: random.pick([1, 50, 50]),
  };
  const needsPostgres = has.has("database");
  const service = drawService(seed, {
    ...(needsPostgres ? { database: "postgres" } : {}),
    ...input.service,
  });
  const drawn = drawPayments(createSeededRandom(seed, "payments"), size);
  const rush = has.has("rush")
    ? drawRush(createSeededRandom(seed, "rush"), size, drawn.length)
    : [];
  const contracts = has.has("contracts")
    ? drawContracts(seed, size, drawn.length + rush.length)
    : { payments: [], events: [] };
  const events = drawEvents(seed, has, { ...size, processes: service.processes, payments: drawn });
  return {
    seed,
    faultKinds: faultKinds.filter((faultKind) => has.has(faultKind)),
    service,
    hasBatchContract:
      has.has("contracts") &&
      createSeededRandom(seed, "batch contract").chance(batchContractPercent),
    ...size,
    // A rush in batches would fit into a transaction or two.
    batchMax: has.has("rush") ? 1 : size.batchMax,
    payments: withSurfaces(seed, service, [...drawn, ...rush, ...contracts.payments]),
    events: [...events, ...contracts.events].toSorted((one, other) => one.block - other.block),
    transport: drawTransport(createSeededRandom(seed, "road"), has),
    pool: drawPool(createSeededRandom(seed, "pool"), has),
    conditions: drawNodeConditions(seed, has, size.nodes),
  };
}

function drawNodeConditions(seed: number, has: ReadonlySet<FaultKind>, nodes: number) {
  const drawn = has.has("ordinary")
    ? drawConditions(createSeededRandom(seed, "ordinary"), nodes)
    : [];
  return has.has("slow") ? withSlowNodes(createSeededRandom(seed, "slow"), drawn, nodes) : drawn;
}

/** Draws the service; requested properties win. */
export function drawService(seed: number, requested: Partial<Service> = {}): Service {
  const random = createSeededRandom(seed, "service");
  const drawn = {
    database: random.pick(["sqlite", "postgres"] as const),
    servedSurface: random.pick(["self-built", "public"] as const),
    confirmations: random.pick([1, 1, 2, 4]),
    inFlight: random.pick([8, 8, 2, 10]),
  };
  const service = { ...drawn, ...requested };
  return { ...service, processes: service.database === "postgres" ? processesMax : 1 };
}

/** Processes that share a PostgreSQL; SQLite has one. */
const processesMax = 2;

function drawPayments(random: SeededRandom, size: Size): DrawnPayment[] {
  const count = random.whole(4, 18);
  const isBurst = random.chance(30);
  const burst = random.whole(2, size.blocks - 4);
  return Array.from({ length: count }, (_, index) => ({
    index,
    block: isBurst && random.chance(70) ? burst : random.whole(1, size.blocks - 2),
    buyer: random.chance(12) ? undefined : random.whole(0, size.buyers - 1),
    units: random.pick([1, 1_000, 10_000, 2_500_000, 400_000_000]),
    validFor: random.pick([10, 20, 40, 90, 300, 3_600]),
    beginsIn: random.pick([-600, -600, -600, -1, 0, 3]),
    isVerified: random.chance(60),
    asks: drawAsks(random),
    isWatched: random.chance(30),
  }));
}

function drawAsks(random: SeededRandom): DrawnAsk[] {
  const count = random.pick([1, 1, 2, 3]);
  return Array.from({ length: count }, (_, index) => ({
    afterBlocks: index === 0 ? random.pick([0, 0, 0, 1, 2]) : random.whole(0, 8),
    prefer: random.pick(["", "", "respond-async", "wait=4", "wait=12"] as const),
    atOnce: random.pick([1, 1, 1, 2, 4]),
    again: random.pick([0, 2, 6]),
  }));
}

/** Many small payments within a few blocks, each requested until there is a result. */
function drawRush(random: SeededRandom, size: Size, firstIndex: number): DrawnPayment[] {
  const from = rushBlock(size);
  return Array.from({ length: random.whole(24, 40) }, (_, index) => ({
    index: firstIndex + index,
    block: from + random.whole(0, rushBlocks - 1),
    buyer: random.whole(0, size.buyers - 1),
    units: random.whole(1, 1_000),
    validFor: random.pick([90, 300, 3_600]),
    beginsIn: -600,
    isVerified: false,
    asks: [{ afterBlocks: 0, prefer: "respond-async", atOnce: 1, again: 6 }],
    isWatched: false,
  }));
}

/** Draws the surface that each caller asks, and how often they poll afterwards. */
function withSurfaces(
  seed: number,
  { servedSurface }: Service,
  payments: readonly DrawnPayment[],
): PlannedPayment[] {
  const random = createSeededRandom(seed, "doors");
  return payments.map((payment) => ({
    ...payment,
    asks: payment.asks.map((ask) => {
      const isPublic = random.chance(70);
      const polls = random.pick([0, 2, 6]);
      const waitSeconds = random.pick([0, 4, 20]);
      const own = { ...ask, surface: "self-built", polls: 0, waitSeconds: 0 } as const;
      if (servedSurface === "self-built") return own;
      return { ...own, surface: isPublic ? "public" : "hosted", polls, waitSeconds };
    }),
  }));
}

function drawTransport(random: SeededRandom, has: ReadonlySet<FaultKind>): Plan["transport"] {
  const faults = transportFaults.filter(() => random.chance(50));
  const percent = random.pick([5, 15, 30, 50]);
  return has.has("road") ? { percent, faults } : { percent: 0, faults: [] };
}

function drawPool(random: SeededRandom, has: ReadonlySet<FaultKind>): Plan["pool"] {
  const pool = {
    late: random.pick([0, 20, 50]),
    dropped: random.pick([0, 10, 40]),
    kept: random.pick([0, 10, 40]),
  };
  return has.has("pool") ? pool : { late: 0, dropped: 0, kept: 0 };
}
