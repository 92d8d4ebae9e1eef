/** Runs a soak: chain, PostgreSQL, fleet, payments and kills; then waits until nothing is open, and audits. */
import { startDevnet, type Devnet } from "@farthing/devnet";
import { keyIn } from "@farthing/facilitator/testing/api-keys";
import type { Address } from "@farthing/protocol";
import type { Client } from "pg";
import { readLedger, readPostgresRows, type Violation } from "@farthing/lab/audit";
import { checkEngineSteps } from "../model/traces/check-engine-steps.ts";
import { notePostgresSteps, readPostgresSteps } from "../model/traces/stored-steps.ts";
import { isOfPath, pathsTaken } from "../sim/recovery-paths.ts";
import { createSeededRandom } from "../sim/seeded-random.ts";
import { auditSoak, type SoakEvidence } from "./audit.ts";
import { createCallers, type Callers } from "./callers.ts";
import { startDatabase, type SoakDatabase } from "./database.ts";
import { spreadFailOvers, type FailOvers } from "./fail-overs.ts";
import { startFleet, type Fleet } from "./fleet.ts";
import { startKills, type Blow } from "./kills.ts";
import { watchLanes, type LaneWatch, type TakeOver } from "./lane-watch.ts";
import {
  drawPayments,
  drawRefunds,
  payeesOf,
  type GivenBack,
  type SoakOptions,
  type SoakPayment,
} from "./plan.ts";
import { readFences, readRestless } from "./stored-rows.ts";
import { parseSigned, type Signed } from "./writers.ts";

/** The result of a soak. */
export interface SoakReport {
  readonly options: SoakOptions;
  readonly evidence: SoakEvidence;
  readonly violations: readonly Violation[];
  readonly blows: readonly Blow[];
  readonly takeOvers: readonly TakeOver[];
  readonly failOvers: FailOvers["done"];
  /** Recovery paths that it took, by their words. */
  readonly paths: ReadonlySet<string>;
  /** From the first question to the last outcome. */
  readonly ms: number;
}

/** Receives the progress. */
export type SoakListener = (progress: {
  readonly ms: number;
  readonly confirmed: number;
  readonly kills: number;
  readonly failOvers: number;
  readonly serving: number;
}) => void;

/** XDC makes a block in two seconds; half of that is more blocks for the same time. */
const blockTimeSeconds = 1;

/** Time between two reports of how far it is. */
const progressMs = 10_000;

/** How long the store may take to come to rest: a lease, a replacement, finality; and looks at it. */
const restMs = 90_000;
const restLookMs = 500;

/** Blocks after which what was mined last is final for everybody. */
const finalBlocks = 5;

/** What the database loses has the same ids when it is found again. */
const idSecret = "0f".repeat(32);

interface SoakEnvironment {
  readonly options: SoakOptions;
  readonly devnet: Devnet;
  readonly database: SoakDatabase;
  readonly fleet: Fleet;
  readonly callers: Callers;
  readonly payments: readonly SoakPayment[];
  readonly givenBack: readonly GivenBack[];
  readonly signed: readonly Signed[];
  /** Lines of logs that show recovery paths. */
  readonly pathLines: readonly string[];
}

export async function soak(options: SoakOptions, listener?: SoakListener): Promise<SoakReport> {
  await using stack = new AsyncDisposableStack();
  const environment = await setUp(options, stack);
  const { fleet, callers, database, devnet, payments, givenBack } = environment;
  const { seed, inFlight, failOvers: times } = options;
  const random = createSeededRandom(seed, "kills");
  const startedAt = performance.now();
  const kills = startKills({ ...options, fleet, random });
  stack.defer(() => kills.stop());
  const failOvers = spreadFailOvers({ database, times, payments: payments.length, callers });
  const watch = await startWatch(environment, kills.blows, stack);
  const progress = setInterval(() => {
    const serving = fleet.serving().length;
    const ms = performance.now() - startedAt;
    const now = { kills: kills.blows.length, failOvers: failOvers.done.length, serving };
    listener?.({ ms, confirmed: callers.confirmed(), ...now });
  }, progressMs);
  stack.defer(() => clearInterval(progress));
  const { mayBegin } = failOvers;
  await callers.settleAll(payments, givenBack, { inFlight, mayBegin });
  const ms = performance.now() - startedAt;
  clearInterval(progress);
  await failOvers.end();
  await kills.stop();
  await watch.stop();
  await fleet.whole();
  const client = await database.connect();
  stack.defer(() => client.end());
  await rest(client);
  await callers.askAtLast([...payments, ...refundsOf(givenBack)], inFlight);
  const processProblems = [...(await fleet.stop()), ...fleet.crashes()];
  await standStill(devnet);
  const { losses, done } = failOvers;
  const evidence = await gather(environment, { client, processProblems, losses });
  const violations = auditSoak(evidence);
  const { blows } = kills;
  const { takeOvers } = watch;
  const paths = pathsTaken({ steps: [evidence.steps], lines: environment.pathLines });
  return { options, evidence, violations, blows, takeOvers, failOvers: done, paths, ms };
}

/** A server that is killed cannot be watched. */
async function startWatch(
  { database, options }: SoakEnvironment,
  blows: readonly Blow[],
  stack: AsyncDisposableStack,
): Promise<LaneWatch> {
  if (options.failOvers > 0) return { takeOvers: [], stop: async () => undefined };
  const client = await database.connect();
  stack.defer(() => client.end());
  const watch = watchLanes(client, blows);
  stack.defer(() => watch.stop());
  return watch;
}

async function setUp(options: SoakOptions, stack: AsyncDisposableStack): Promise<SoakEnvironment> {
  const { payers: buyers, relayers, processes, logs } = options;
  const devnet = await startDevnet({ blockTimeSeconds, buyers, relayers });
  stack.defer(() => devnet.stop());
  const database = await startDatabase(options);
  stack.defer(() => database.stop());
  const databaseUrl = database.url;
  const keys = await createKeys(databaseUrl, payeesOf(devnet));
  await noteSteps(database);
  const env = {
    FARTHING_PORT: "0",
    [`FARTHING_RPC_${devnet.chainId}`]: devnet.rpcUrl,
    FARTHING_RELAYER_KEYS: devnet.relayers.map(({ privateKey }) => privateKey).join(","),
    FARTHING_RATE_LIMIT: "0",
    FARTHING_MIN_AMOUNT: "0",
    FARTHING_PAYER_COUNT: "0",
    FARTHING_KEYLESS_GAS_PER_DAY: "0",
    FARTHING_LOG_LEVEL: "info",
    FARTHING_ID_SECRET: idSecret,
    DATABASE_URL: databaseUrl,
  };
  const payments = drawPayments(devnet, options);
  // A refund that the database has lost is not recorded again, since it must not buy anything.
  const givenBack = options.failOvers > 0 ? [] : drawRefunds(devnet, payments);
  const signed: Signed[] = [];
  const pathLines: string[] = [];
  const onLine = (pid: number, line: string) => {
    if (isOfPath(line)) pathLines.push(line);
    const found = parseSigned(pid, line);
    if (found) signed.push(found);
  };
  const fleet = await startFleet({ processes, env, logs, onLine });
  stack.defer(async () => void (await fleet.stop()));
  const callers = createCallers({ chainId: devnet.chainId, fleet, keys });
  const base = { options, devnet, database, fleet, callers, signed, pathLines };
  return { ...base, payments, givenBack };
}

function refundsOf(givenBack: readonly GivenBack[]): SoakPayment[] {
  return givenBack.flatMap(({ parts }) => parts);
}

/** Creates an API key for each payee, for the public surface. */
async function createKeys(databaseUrl: string, payees: readonly Address[]) {
  const keys = new Map<string, string>();
  for (const account of payees) keys.set(account, await keyIn(databaseUrl, account));
  return keys;
}

/** Notes what the engines write, whose tables are there. */
async function noteSteps(database: SoakDatabase): Promise<void> {
  const client = await database.connect();
  await notePostgresSteps(client);
  await client.end();
}

/** Waits until everything is final; what is not by then, the audit finds. */
async function rest(client: Client): Promise<void> {
  const until = performance.now() + restMs;
  while ((await readRestless(client)) > 0 && performance.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, restLookMs));
  }
}

/** From here on there is one answer to every question. */
async function standStill({ rpc, mine }: Devnet): Promise<void> {
  await rpc("evm_setIntervalMining", [0]);
  await mine(finalBlocks);
}

async function gather(
  environment: SoakEnvironment,
  {
    client,
    ...seen
  }: Pick<SoakEvidence, "processProblems" | "losses"> & { readonly client: Client },
): Promise<SoakEvidence> {
  const { devnet, callers, payments, givenBack, signed } = environment;
  const relayers = devnet.relayers.map(({ address }) => address);
  const payees = payeesOf(devnet);
  const holdings = new Map<Address, bigint>();
  for (const holder of [...payees, ...devnet.buyers.map(({ address }) => address)]) {
    holdings.set(holder, await devnet.usdc.balanceOf(holder));
  }
  const { responses, outcomes, unanswered } = callers;
  return {
    chainId: devnet.chainId,
    payments,
    refunds: refundsOf(givenBack),
    responses,
    outcomes,
    unanswered,
    ...seen,
    signed,
    ledger: await readLedger(devnet, relayers),
    stored: await readPostgresRows(client),
    steps: await checkEngineSteps(readPostgresSteps(client)),
    fences: await readFences(client),
    relayers,
    holdings,
    payees,
  };
}
