/** The environment of a run: chain, nodes, transports, facilitators and callers. */
import { startDevnet, type Devnet } from "@farthing/devnet";
import type { Clock } from "@farthing/facilitator";
import type { Loss, SeenBlock, Submission } from "@farthing/lab/audit";
import type { NodeCall, NodeReply } from "@farthing/lab/json-rpc";
import type { Hex } from "@farthing/protocol";
import { createObservedFaults, observedKindOf, type ObservedFaults } from "./observed-faults.ts";
import { createCallers, type Callers } from "./callers.ts";
import { createWorld, type World } from "./chain-world.ts";
import {
  batchContract,
  buyersInAll,
  placeContractPayers,
  type ContractPayers,
} from "./contract-payers.ts";
import type { Databases, RunDatabase } from "./databases.ts";
import { createKeys, createTables } from "./surfaces.ts";
import { createFacilitatorChild, type FacilitatorChild } from "./facilitator-child.ts";
import type { Findings } from "../model/traces/findings.ts";
import { startFaultyTransport, type FaultyTransport } from "@farthing/lab/faulty-transport";
import { createNodeView, type NodeView } from "./node-view.ts";
import { createResponseTimeouts } from "./response-timeout.ts";
import type { Plan } from "./plan.ts";
import { createPayerWallets, type PayerWallets } from "./payer-wallets.ts";
import { createRefunds, type Refunds } from "./refunds.ts";
import { seededRandomByName, type SeededRandom } from "./seeded-random.ts";
import { serviceSettings } from "./service-settings.ts";
import { createTrace, type Trace } from "./trace.ts";
import {
  beginTime,
  createVirtualClock,
  surfaceName,
  speedName,
  startName,
  type VirtualTime,
} from "./virtual-time.ts";
import { openKeyService, type KeyService } from "./web3signer.ts";

/** Everything that runs during a simulation. */
export interface SimEnvironment extends Chain {
  readonly plan: Plan;
  readonly clock: Clock;
  readonly trace: Trace;
  readonly observedFaults: ObservedFaults;
  readonly devnet: Devnet;
  readonly database: RunDatabase;
  readonly processes: readonly FacilitatorChild[];
  readonly callers: Callers;
  readonly payerWallets: PayerWallets;
  /** Processes that said they were ready while nothing could be written. */
  readonly falselyReady: string[];
  /** Of commits of the database. */
  readonly losses: Loss[];
  /** What the store wrote up to each loss, and up to the end. */
  readonly engineSteps: Findings[];
  /** Undefined in a run without any. */
  readonly contracts: ContractPayers | undefined;
  /** Undefined where the service has the keys itself. */
  readonly keyService: KeyService | undefined;
  readonly refunds: Refunds;
  /** Makes a block one period later, or lets the period pass without one. */
  period(makesBlock?: boolean): Promise<void>;
}

/** The chain, its nodes and the transports to them. */
interface Chain {
  readonly world: World;
  readonly nodes: readonly NodeView[];
  readonly transports: readonly FaultyTransport[];
  /** How nodes treat transactions, see {@link Plan}; may change at any time. */
  readonly nodeConditions: { pool: Plan["pool"] };
  /** Every transaction that was sent to a node, in order. */
  readonly submissions: readonly Submission[];
  /** The blocks that a process has read, in the order of the first looks. */
  readonly seenBlocks: readonly SeenBlock[];
  /** Transactions that another program sent from a relayer wallet. */
  readonly foreign: Set<Hex>;
}

/** What a database loses has the same ids when it is found again. */
const idSecret = "0f".repeat(32);

/** XDC's block period. */
const blockMs = 2_000;

interface SetUpOptions {
  readonly stack: AsyncDisposableStack;
  /** The name of a mutant that is in place in the service. */
  readonly mutant: string | undefined;
}

/** Starts an environment, which ends with the stack. */
export async function setUp(
  plan: Plan,
  databases: Databases,
  { stack, mutant }: SetUpOptions,
): Promise<SimEnvironment> {
  const time = beginTime();
  const clock = createVirtualClock(time);
  const trace = createTrace(clock);
  trace.note(`time runs ${time.speed} times as fast`);
  const observedFaults = createObservedFaults();
  const { relayers, service } = plan;
  const devnet = await startDevnet({ blockTimeSeconds: 0, buyers: buyersInAll(plan), relayers });
  stack.defer(() => devnet.stop());
  const contracts = plan.faultKinds.includes("contracts")
    ? await placeContractPayers(devnet, plan)
    : undefined;
  const database = await openDatabase(databases, plan, time);
  stack.defer(() => database.close());
  const random = seededRandomByName(plan.seed);
  const chain = await openChain({ plan, devnet, clock, trace, observedFaults, random }, stack);
  const { world, transports } = chain;
  const accounts = { own: devnet.seller.address, foreign: devnet.treasury.address };
  const isPublic = service.servedSurface === "public";
  const keys = isPublic ? await createKeys(database.url, clock, accounts) : undefined;
  const keyService = await openKeyService(plan, devnet.relayers, observedFaults, stack);
  const rpcUrls = transports.map(({ url }) => url).join(",");
  const env = {
    [startName]: `${time.startedAtMs}`,
    [speedName]: `${time.speed}`,
    [surfaceName]: service.servedSurface,
    FARTHING_PORT: "0",
    ...serviceSettings(devnet, rpcUrls, database.url, keyService?.settings),
    FARTHING_ID_SECRET: idSecret,
    FARTHING_KEYLESS_GAS_PER_DAY: "0",
    FARTHING_BATCH_MAX: `${plan.batchMax}`,
    FARTHING_CONFIRMATIONS: `${service.confirmations}`,
    FARTHING_LANE_IN_FLIGHT: `${service.inFlight}`,
    ...(plan.hasBatchContract ? { [`FARTHING_BATCHER_${devnet.chainId}`]: batchContract } : {}),
  };
  const processes = Array.from({ length: service.processes }, () =>
    createFacilitatorChild({ env, mutant, trace, observedFaults }),
  );
  stack.defer(async () => {
    await Promise.all(processes.map((one) => one.kill()));
    for (const one of processes) one.cleanUp();
  });
  await Promise.all(processes.map((one) => one.start()));
  const waiting = new Set<{ periods: number; resolve(): void }>();
  const blocksLater = (periods: number) =>
    new Promise<void>((resolve) => waiting.add({ periods, resolve }));
  const callers = createCallers({
    chainId: devnet.chainId,
    trace,
    random,
    keys,
    timeouts: createResponseTimeouts({ clock, askNode: () => devnet.rpc("eth_blockNumber", []) }),
    surface: isPublic ? "public" : "self-built",
    urls: () => processes.flatMap((one) => one.url() ?? []),
    highest: world.highest,
    headTime: world.headTime,
    blocksLater,
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
  const payerWallets = createPayerWallets({ plan, devnet, clock, contracts });
  const base = { ...chain, plan, clock, trace, observedFaults, devnet, database, processes };
  const notes = { falselyReady: [], losses: [], engineSteps: [] };
  const refunds = createRefunds({ devnet, clock, callers, payerWallets, blocksLater });
  return { ...base, ...notes, callers, payerWallets, refunds, contracts, keyService, period };
}

/** A database with its tables, whose every change is noted. */
async function openDatabase(databases: Databases, { service }: Plan, time: VirtualTime) {
  const database = await databases.open(service.database, time);
  await createTables(database.url);
  await database.noteSteps();
  return database;
}

/** One call after the other, as a node takes those of a batch. */
async function answerEach(node: NodeView, calls: readonly NodeCall[], lag: number) {
  const replies: NodeReply[] = [];
  for (const call of calls) replies.push(await node.answer(call, lag));
  return replies;
}

interface ChainDeps extends Pick<
  SimEnvironment,
  "plan" | "devnet" | "clock" | "trace" | "observedFaults"
> {
  random(name: string): SeededRandom;
}

async function openChain(deps: ChainDeps, stack: AsyncDisposableStack): Promise<Chain> {
  const { plan, clock, trace, observedFaults, random } = deps;
  const world = await createWorld(deps);
  const nodeConditions = { pool: plan.pool };
  const submissions: Submission[] = [];
  const seenBlocks: SeenBlock[] = [];
  const nodes: NodeView[] = [];
  const transports: FaultyTransport[] = [];
  stack.defer(async () => {
    await Promise.all(transports.map((transport) => transport.stop()));
  });
  for (let index = 0; index < plan.nodes; index++) {
    const node = createNodeView({
      index,
      world,
      trace,
      observedFaults,
      others: () => nodes.filter((other) => other !== node),
      onSubmission: (submission) => void submissions.push(submission),
      onHeader(number) {
        if (seenBlocks.some((seen) => seen.number === number)) return;
        seenBlocks.push({ number, atBlock: world.head() });
      },
      drawFate: ({ from, nonce }) => {
        const fates = random(`fate/${index}/${from}/${nonce}`);
        return {
          lateBlocks: fates.chance(nodeConditions.pool.late) ? fates.whole(1, 6) : 0,
          isDropped: fates.chance(nodeConditions.pool.dropped),
          keptBlocks: fates.chance(nodeConditions.pool.kept) ? fates.whole(5, 30) : 0,
        };
      },
    });
    nodes.push(node);
    transports.push(
      await startFaultyTransport({
        upstream: { answer: (calls, lag) => answerEach(node, calls, lag) },
        clock,
        // A stream for each kind of request in each block: a request more or less in one block,
        // which is a matter of milliseconds, changes nothing in the next.
        randomOf: (methods) => random(`road/${index}/${world.head()}/${methods}`),
        onFault: (fault) => observedFaults.note(observedKindOf(fault)),
        note: (text) => trace.note(`transport ${index}: ${text}`),
      }),
    );
  }
  const foreign = new Set<Hex>();
  return { world, nodes, transports, nodeConditions, submissions, seenBlocks, foreign };
}
