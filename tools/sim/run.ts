/** Plays one plan: chain, nodes, roads, facilitator, callers; then lets it rest and audits it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startDevnet, type Devnet } from "@farthing/devnet";
import type { Clock } from "@farthing/facilitator";
import { audit, type Evidence, type Violation } from "./auditor.ts";
import { createCallers, type Callers } from "./callers.ts";
import { createWorld, type World } from "./chain-world.ts";
import { createFacilitatorChild, type FacilitatorChild } from "./facilitator-child.ts";
import { openRoad, type Road } from "./fault-proxy.ts";
import { createHappenings, type Happenings } from "./happenings.ts";
import { readLedger } from "./ledger.ts";
import { createNodeView, type NodeView } from "./node-view.ts";
import type { Plan } from "./plan.ts";
import { createPurses, type Purses } from "./purses.ts";
import { rollsByName } from "./rolls.ts";
import { readStored, unrest } from "./stored.ts";
import { createTrace, type Trace } from "./trace.ts";
import { createVirtualClock, startName } from "./virtual-time.ts";

/** How a run went. */
export interface RunReport {
  readonly plan: Plan;
  readonly evidence: Evidence;
  readonly violations: readonly Violation[];
  readonly faults: number;
  /** Of the machine. */
  readonly ms: number;
  readonly trace: readonly string[];
}

/** Everything that stands while a run is played. */
export interface Stage {
  readonly plan: Plan;
  readonly clock: Clock;
  readonly trace: Trace;
  readonly devnet: Devnet;
  readonly world: World;
  readonly nodes: readonly NodeView[];
  readonly roads: readonly Road[];
  readonly child: FacilitatorChild;
  readonly callers: Callers;
  readonly purses: Purses;
  readonly databasePath: string;
  /** What nodes do with transactions from now on, see {@link Plan}. */
  readonly weather: { pool: Plan["pool"] };
  /** Makes a block one period later, or lets the period pass without one. */
  period(makesBlock?: boolean): Promise<void>;
}

/** XDC's block period. */
const blockMs = 2_000;

/**
 * Blocks within which everything must have come to rest once all faults are over: the relayer
 * replaces what is not mined after 25 blocks, and nodes that failed rest for up to 15.
 */
const restBlocksMax = 60;

/** Blocks after which what was mined last is final, with one to notice it. */
const finalBlocks = 5;

/** Payments that must go through after all that: more than wallets, so that each has its turn. */
const probesPerWallet = 2;

/** Plays a plan. */
export async function run(plan: Plan): Promise<RunReport> {
  const startedAt = Date.now();
  await using stack = new AsyncDisposableStack();
  const stage = await setUp(plan, stack);
  const { trace, roads } = stage;
  const happenings = createHappenings(stage);
  await play(stage, happenings);
  await happenings.heal();
  const restless = await rest(stage, happenings);
  const probes = await probe(stage);
  const evidence = await close(stage, { restless, probes });
  return {
    plan,
    evidence,
    violations: audit(evidence),
    faults: roads.reduce((sum, { count }) => sum + count, 0) + plan.events.length,
    ms: Date.now() - startedAt,
    trace: trace.lines(),
  };
}

async function setUp(plan: Plan, stack: AsyncDisposableStack): Promise<Stage> {
  const startedAtMs = Date.now();
  const clock = createVirtualClock(startedAtMs);
  const trace = createTrace(clock);
  const folder = mkdtempSync(join(tmpdir(), "farthing-sim-"));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const { buyers, relayers } = plan;
  const devnet = await startDevnet({ blockTimeSeconds: 0, buyers, relayers });
  stack.defer(() => devnet.stop());
  const world = await createWorld(devnet, clock, trace);
  const weather = { pool: plan.pool };
  const { nodes, roads } = await openNodes(plan, world, trace, weather);
  stack.defer(async () => {
    await Promise.all(roads.map((road) => road.stop()));
  });
  const databasePath = join(folder, "farthing.db");
  const child = createFacilitatorChild(
    {
      [startName]: `${startedAtMs}`,
      FARTHING_PORT: "0",
      [`FARTHING_RPC_${devnet.chainId}`]: roads.map(({ url }) => url).join(","),
      FARTHING_RELAYER_KEYS: devnet.relayers.map(({ privateKey }) => privateKey).join(","),
      DATABASE_URL: `sqlite:${databasePath}`,
      FARTHING_RATE_LIMIT: "0",
      FARTHING_PAYER_CAP: "0",
      FARTHING_BATCH_MAX: `${plan.batchMax}`,
    },
    trace,
  );
  stack.defer(() => child.kill());
  await child.start();
  const waiting = new Set<{ periods: number; resolve(): void }>();
  const callers = createCallers({
    chainId: devnet.chainId,
    clock,
    trace,
    url: child.url,
    head: world.head,
    blocksLater: (periods) => new Promise((resolve) => waiting.add({ periods, resolve })),
  });
  async function period(makesBlock = true): Promise<void> {
    await clock.sleep(blockMs);
    if (makesBlock) await world.mine();
    for (const entry of waiting) {
      if (--entry.periods > 0) continue;
      waiting.delete(entry);
      entry.resolve();
    }
  }
  const purses = createPurses(plan, devnet, clock);
  const standing = { plan, clock, trace, devnet, world, nodes, roads, child, callers };
  return { ...standing, purses, databasePath, weather, period };
}

async function openNodes(plan: Plan, world: World, trace: Trace, weather: Stage["weather"]) {
  const rolls = rollsByName(plan.seed);
  const nodes: NodeView[] = [];
  const roads: Road[] = [];
  for (let index = 0; index < plan.nodes; index++) {
    const node = createNodeView({
      index,
      world,
      trace,
      others: () => nodes.filter((other) => other !== node),
      fateOf: ({ from, nonce }) => {
        const fates = rolls(`fate/${index}/${from}/${nonce}`);
        return {
          lateBlocks: fates.chance(weather.pool.late) ? fates.whole(1, 6) : 0,
          isDropped: fates.chance(weather.pool.dropped),
          keptBlocks: fates.chance(weather.pool.kept) ? fates.whole(5, 30) : 0,
        };
      },
    });
    nodes.push(node);
    roads.push(await openRoad({ node, rolls, trace, head: world.head }));
  }
  return { nodes, roads };
}

async function play({ plan, roads, period }: Stage, happenings: Happenings): Promise<void> {
  for (const road of roads) {
    road.faultPercent = plan.road.percent;
    road.faults = plan.road.faults;
  }
  for (let block = 1; block <= plan.blocks; block++) {
    const makesBlock = await happenings.at(block);
    await period(makesBlock);
  }
}

/** Makes blocks until nothing is under way; gives what still is when time is up. */
async function rest(stage: Stage, happenings: Happenings): Promise<string[]> {
  const { databasePath, trace, period } = stage;
  const isPlayed = happenings.done();
  for (let block = 0; block < restBlocksMax; block++) {
    await period();
    if (isPlayed() && unrest(readStored(databasePath)).length === 0) break;
  }
  const left = unrest(readStored(databasePath));
  if (!isPlayed()) left.push("a caller still waits for an answer");
  trace.note(left.length > 0 ? `not at rest: ${left.join("; ")}` : "at rest");
  return left;
}

/** Pays a few more times, without any fault, while blocks go on. */
async function probe(stage: Stage): Promise<number[]> {
  const { plan, callers, purses, period } = stage;
  const probes = Array.from(
    { length: plan.relayers * probesPerWallet },
    (_, index) => 1_000 + index,
  );
  const asking = Promise.all(probes.map((index) => callers.payNow(index, purses.probe(index))));
  const isDone = flagOf(asking);
  while (!isDone()) await period();
  await asking;
  for (let block = 0; block < finalBlocks; block++) await period();
  return probes;
}

async function close(
  stage: Stage,
  { restless, probes }: Pick<Evidence, "restless" | "probes">,
): Promise<Evidence> {
  const { plan, devnet, world, child, callers, purses, databasePath } = stage;
  const relayers = devnet.relayers.map(({ address }) => address);
  const known = new Set(readStored(databasePath).settlements.map(({ nonce }) => nonce));
  const ledger = await readLedger(devnet, relayers);
  const used = new Set(ledger.entries.map(({ nonce }) => nonce));
  for (const [index, payment] of purses.signed) {
    // Asking for an authorization that is neither claimed nor used would be a new payment.
    const { nonce } = payment.authorization;
    if (known.has(nonce) || used.has(nonce)) await callers.askAtLast(index, payment);
  }
  await child.stop();
  return {
    payments: purses.signed,
    probes,
    answers: callers.answers,
    ledger,
    stored: readStored(databasePath),
    relayers: relayers.map((relayer) => relayer.toLowerCase()),
    uprooted: world.uprooted,
    restless,
    crashes: child.crashes(),
    wasEnded: plan.troubles.includes("crash"),
  };
}

/** Whether a promise has ended, for loops that go on until then. */
function flagOf(promise: Promise<unknown>): () => boolean {
  let hasEnded = false;
  const end = () => {
    hasEnded = true;
  };
  promise.then(end, end);
  return () => hasEnded;
}
