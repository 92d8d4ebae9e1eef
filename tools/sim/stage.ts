/** Everything that stands while a run is played: chain, nodes, roads, facilitators, callers. */
import { startDevnet, type Devnet } from "@farthing/devnet";
import type { Clock } from "@farthing/facilitator";
import type { Hex } from "@farthing/protocol";
import { createBites, type Bites } from "./bites.ts";
import { createCallers, type Callers } from "./callers.ts";
import { createWorld, type World } from "./chain-world.ts";
import type { Databases, RunDatabase } from "./databases.ts";
import { createKeys } from "./doors.ts";
import { createFacilitatorChild, type FacilitatorChild } from "./facilitator-child.ts";
import { openRoad, type Road } from "./fault-proxy.ts";
import { createNodeView, type NodeView, type Sighting } from "./node-view.ts";
import type { Plan } from "./plan.ts";
import { createPurses, type Purses } from "./purses.ts";
import { rollsByName, type Rolls } from "./rolls.ts";
import { createTrace, type Trace } from "./trace.ts";
import { beginTime, createVirtualClock, faceName, speedName, startName } from "./virtual-time.ts";

/** A stage. */
export interface Stage extends Chain {
  readonly plan: Plan;
  readonly clock: Clock;
  readonly trace: Trace;
  readonly bites: Bites;
  readonly devnet: Devnet;
  readonly database: RunDatabase;
  readonly processes: readonly FacilitatorChild[];
  readonly callers: Callers;
  readonly purses: Purses;
  /** Makes a block one period later, or lets the period pass without one. */
  period(makesBlock?: boolean): Promise<void>;
}

/** The chain and the ways to it. */
interface Chain {
  readonly world: World;
  readonly nodes: readonly NodeView[];
  readonly roads: readonly Road[];
  /** What nodes do with transactions from now on, see {@link Plan}. */
  readonly weather: { pool: Plan["pool"] };
  /** Everything that was sent to a node, in order. */
  readonly sightings: readonly Sighting[];
  /** Transactions that another program sent from a relayer wallet. */
  readonly foreign: Set<Hex>;
}

/** XDC's block period. */
const blockMs = 2_000;

/** Sets a stage up; what is started is ended with the stack. */
export async function setUp(
  plan: Plan,
  databases: Databases,
  stack: AsyncDisposableStack,
): Promise<Stage> {
  const time = beginTime();
  const clock = createVirtualClock(time);
  const trace = createTrace(clock);
  trace.note(`time runs ${time.speed} times as fast`);
  const bites = createBites();
  const { buyers, relayers, service } = plan;
  const devnet = await startDevnet({ blockTimeSeconds: 0, buyers, relayers });
  stack.defer(() => devnet.stop());
  const database = await databases.open(service.database, time);
  stack.defer(() => database.close());
  const rolls = rollsByName(plan.seed);
  const chain = await openChain({ plan, devnet, clock, trace, bites, rolls }, stack);
  const { world, roads } = chain;
  const accounts = { own: devnet.seller.address, foreign: devnet.treasury.address };
  const isPublic = service.face === "public";
  const keys = isPublic ? await createKeys(database.url, clock, accounts) : undefined;
  const env = {
    [startName]: `${time.startedAtMs}`,
    [speedName]: `${time.speed}`,
    [faceName]: service.face,
    FARTHING_PORT: "0",
    [`FARTHING_RPC_${devnet.chainId}`]: roads.map(({ url }) => url).join(","),
    FARTHING_RELAYER_KEYS: devnet.relayers.map(({ privateKey }) => privateKey).join(","),
    DATABASE_URL: database.url,
    FARTHING_RATE_LIMIT: "0",
    FARTHING_MIN_AMOUNT: "0",
    FARTHING_PAYER_CAP: "0",
    FARTHING_PAYER_COUNT: "0",
    FARTHING_KEYLESS_GAS_PER_DAY: "0",
    FARTHING_BATCH_MAX: `${plan.batchMax}`,
    FARTHING_CONFIRMATIONS: `${service.confirmations}`,
    FARTHING_LANE_IN_FLIGHT: `${service.inFlight}`,
  };
  const processes = Array.from({ length: service.processes }, () =>
    createFacilitatorChild(env, trace, bites),
  );
  stack.defer(async () => {
    await Promise.all(processes.map((one) => one.kill()));
  });
  await Promise.all(processes.map((one) => one.start()));
  const waiting = new Set<{ periods: number; resolve(): void }>();
  const callers = createCallers({
    chainId: devnet.chainId,
    clock,
    trace,
    rolls,
    keys,
    door: isPublic ? "public" : "self-built",
    urls: () => processes.flatMap((one) => one.url() ?? []),
    highest: world.highest,
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
  const standing = { ...chain, plan, clock, trace, bites, devnet, database, processes };
  return { ...standing, callers, purses, period };
}

interface ChainDeps extends Pick<Stage, "plan" | "devnet" | "clock" | "trace" | "bites"> {
  rolls(name: string): Rolls;
}

async function openChain(deps: ChainDeps, stack: AsyncDisposableStack): Promise<Chain> {
  const { plan, clock, trace, bites, rolls } = deps;
  const world = await createWorld(deps);
  const weather = { pool: plan.pool };
  const sightings: Sighting[] = [];
  const nodes: NodeView[] = [];
  const roads: Road[] = [];
  stack.defer(async () => {
    await Promise.all(roads.map((road) => road.stop()));
  });
  for (let index = 0; index < plan.nodes; index++) {
    const node = createNodeView({
      index,
      world,
      trace,
      bites,
      others: () => nodes.filter((other) => other !== node),
      onSeen: (sighting) => void sightings.push(sighting),
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
    roads.push(await openRoad({ node, rolls, clock, trace, bites, head: world.head }));
  }
  return { world, nodes, roads, weather, sightings, foreign: new Set() };
}
