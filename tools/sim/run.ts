/** Runs one plan, waits until nothing is open, and audits the result. */
import {
  audit,
  auditRefunds,
  finalDepth,
  listUnstored,
  readLedger,
  unrest,
  type Evidence,
  type Stored,
  type StoredSettlement,
  type Violation,
} from "@farthing/lab/audit";
import type { Address } from "@farthing/protocol";
import { checkEngineSteps } from "../model/traces/check-engine-steps.ts";
import type { Findings } from "../model/traces/findings.ts";
import { sumOf, type ObservedFaultCounts } from "./observed-faults.ts";
import type { Databases } from "./databases.ts";
import { createEventInjector, type EventInjector } from "./event-injector.ts";
import { pathsTaken } from "./recovery-paths.ts";
import { hasPause, type FaultKind, type Plan } from "./plan.ts";
import { setUp, type SimEnvironment } from "./environment.ts";
import { contractFaults, tokenFaults } from "./token-faults.ts";

/** The result of a run. */
export interface RunReport {
  readonly plan: Plan;
  readonly evidence: Evidence;
  readonly violations: readonly Violation[];
  readonly observedFaults: ObservedFaultCounts;
  /** Recovery paths, by their words. */
  readonly paths: ReadonlySet<string>;
  /** Duration, by the machine's clock. */
  readonly ms: number;
  readonly trace: readonly string[];
}

/**
 * Blocks within which nothing may be open once all faults are over: the relayer replaces what is not
 * mined after 25 blocks, and nodes that failed are left alone for up to 15. The rest of a rush needs
 * more: a wallet's open transactions are mined every two blocks.
 */
const restBlocksMax = 60;
const blocksPerTurn = 2;

/**
 * A payer whose code has made two transactions revert is paused for four minutes, and its payments wait
 * for the end of that.
 */
const pauseBlocks = 120;

function restBlocksOf({ payments, relayers, service, batchMax, faultKinds }: Plan): number {
  const turns = Math.ceil(payments.length / (batchMax * relayers * service.inFlight));
  const pause = faultKinds.includes("contracts") ? pauseBlocks : 0;
  return restBlocksMax + turns * blocksPerTurn + pause;
}

/** Blocks after which the last mined transaction is final, and one to notice it. */
const finalBlocks = 5;

/** More payments than wallets, so that each wallet is used. */
const probesPerWalletDefault = 2;

/** What makes things happen in a run. */
export interface Director extends Pick<EventInjector, "heal" | "isDone"> {
  /** Resolves when all that is planned has happened; the faults may last. */
  play(): Promise<void>;
}

export interface RunOptions {
  /** The plan's own payments and events, block by block, where it is left out. */
  readonly direct?: (environment: SimEnvironment) => Promise<Director>;
  /** The name of a mutant that is in place in the service; the audit has the rules as they are. */
  readonly mutant?: string | undefined;
  /** Payments that must succeed at the end, for each wallet. */
  readonly probesPerWallet?: number;
}

export async function run(
  plan: Plan,
  databases: Databases,
  { direct = directByPlan, mutant, probesPerWallet = probesPerWalletDefault }: RunOptions = {},
): Promise<RunReport> {
  const startedAt = Date.now();
  await using stack = new AsyncDisposableStack();
  const environment = await setUp(plan, databases, { stack, mutant });
  const director = await direct(environment);
  await director.play();
  const confirmedWhileSlow = countWhileSlow(environment);
  await whileBlocksAreMade(director.heal(), environment);
  const restless = await rest(environment, director);
  const probes = await probe(environment, plan.relayers * probesPerWallet);
  // Counted before the processes are stopped, which is not a fault of the run.
  const observedFaults = sumOf([environment.observedFaults.counts()]);
  const sales = await environment.refunds.sales();
  const closed = await close(environment, { restless, probes });
  const evidence = { ...closed, confirmedWhileSlow };
  const { entries } = evidence.ledger;
  return {
    plan,
    evidence,
    violations: [...audit(evidence), ...auditRefunds(environment.devnet.chainId, sales, entries)],
    observedFaults: sumOf([observedFaults, tokenFaults(evidence), contractFaults(plan, evidence)]),
    paths: pathsTaken({
      steps: environment.engineSteps,
      lines: environment.trace.lines(),
      submissions: environment.submissions,
    }),
    ms: Date.now() - startedAt,
    trace: environment.trace.lines(),
  };
}

/**
 * Milliseconds after which the blocks go on beside the events of one: a restore waits for a start, and a
 * start may need blocks that its nodes have not seen.
 */
const eventsMsMax = 30_000;

async function directByPlan(environment: SimEnvironment): Promise<Director> {
  const injector = createEventInjector(environment);
  return { ...injector, play: () => play(environment, injector) };
}

async function play(environment: SimEnvironment, injector: EventInjector): Promise<void> {
  const { plan, transports, period, clock } = environment;
  for (const [index, transport] of transports.entries()) {
    transport.faultPercent = plan.transport.percent;
    transport.faults = plan.transport.faults;
    transport.ordinary.conditions = plan.conditions[index] ?? {};
  }
  const injecting: Promise<boolean>[] = [];
  for (let block = 1; block <= plan.blocks; block++) {
    const injected = injector.injectAt(block);
    injecting.push(injected);
    const makesBlock = await Promise.race([injected, clock.sleep(eventsMsMax).then(() => true)]);
    await period(makesBlock);
  }
  await whileBlocksAreMade(Promise.all(injecting), environment);
}

/** A node that answers late answers, and a wrong clock stops nothing. */
const slows: ReadonlySet<FaultKind> = new Set(["slow", "clock"]);

function countWhileSlow({ plan, callers }: SimEnvironment): number | undefined {
  if (!plan.faultKinds.includes("slow") || !plan.faultKinds.every((kind) => slows.has(kind)))
    return undefined;
  return callers.responses.filter(({ body }) => body["status"] === "confirmed").length;
}

/** The chain does not stand still while something is waited for. */
async function whileBlocksAreMade<T>(
  work: Promise<T>,
  { period }: Pick<SimEnvironment, "period">,
): Promise<T> {
  const isDone = flagOf(work);
  while (!isDone()) await period();
  return work;
}

/** Makes blocks until nothing is open; returns what still is after the last permitted block. */
async function rest(
  environment: SimEnvironment,
  director: Pick<Director, "isDone">,
): Promise<string[]> {
  const { plan, database, trace, period } = environment;
  const max = restBlocksOf(plan);
  let left: string[] = [];
  for (let block = 0; block < max; block++) {
    await period();
    // Looked at once: a reorganisation that is heard of late puts things back for a moment, and
    // whether they are at rest for good is looked at again at the end.
    left = unrest(await database.read());
    if (left.length === 0) left = await listLost(environment);
    if (director.isDone() && left.length === 0) break;
  }
  if (!director.isDone()) left.push("a caller still waits for an answer");
  trace.note(left.length > 0 ? `not at rest: ${left.join("; ")}` : "at rest");
  return left;
}

/** What the wallets sent and the database has lost: it is found without a word of a caller. */
async function listLost(environment: SimEnvironment): Promise<string[]> {
  const { devnet, database, losses } = environment;
  if (losses.length === 0) return [];
  const relayers = devnet.relayers.map(({ address }) => address);
  const ledger = await readLedger(devnet, relayers);
  const senders = relayers.map((relayer) => relayer.toLowerCase());
  return listUnstored(ledger, await database.read(), senders).map(
    ({ transaction }) => `${transaction} is not stored`,
  );
}

/** Makes a few more payments without faults. */
async function probe(environment: SimEnvironment, count: number): Promise<number[]> {
  const { callers, payerWallets, database, world, period } = environment;
  const probes = Array.from({ length: count }, (_, index) => 1_000 + index);
  await whileBlocksAreMade(
    Promise.all(probes.map((index) => callers.payNow(index, payerWallets.probe(index)))),
    environment,
  );
  for (let block = 0; block < finalBlocks; block++) await period();
  // On a busy machine blocks are made faster than the service follows.
  for (let block = 0; block < restBlocksMax; block++) {
    const stored = await database.read();
    if (unrest(stored).length === 0 && listUnfinal(stored, world.head()).length === 0) break;
    await period();
  }
  return probes;
}

/** Settlements that are confirmed in a block that is final, and are not called so. */
function listUnfinal({ settlements }: Stored, head: number): StoredSettlement[] {
  return settlements.filter(
    ({ blockNumber, finalizedAt }) =>
      finalizedAt === null && blockNumber !== null && blockNumber <= head - finalDepth,
  );
}

async function close(
  environment: SimEnvironment,
  { restless, probes }: Pick<Evidence, "restless" | "probes">,
): Promise<Evidence> {
  const { plan, devnet, world, processes, callers, payerWallets, database } = environment;
  const relayers = devnet.relayers.map(({ address }) => address);
  const known = new Set((await database.read()).settlements.map(({ nonce }) => nonce));
  const ledger = await readLedger(devnet, relayers);
  const used = new Set(ledger.entries.map(({ nonce }) => nonce));
  for (const [index, payment] of payerWallets.signed) {
    // Asking for an authorization that is neither claimed nor used would be a new payment.
    const { nonce } = payment.authorization;
    if (!known.has(nonce) && !used.has(nonce)) continue;
    await callers.askAtLast(index, payment);
    // A success that is found again after a loss is told to one caller only.
    if (environment.losses.length > 0) await callers.askAtLast(index, payment);
  }
  await Promise.all(processes.map((one) => one.stop()));
  environment.engineSteps.push(await checkEngineSteps(database.steps()));
  return {
    payments: payerWallets.signed,
    probes,
    responses: callers.responses,
    ledger,
    stored: await database.read(),
    relayers: relayers.map((relayer) => relayer.toLowerCase()),
    reorganisedOut: world.reorganisedOut,
    restless,
    crashes: processes.reduce((sum, one) => sum + one.crashes(), 0),
    wasEnded: plan.faultKinds.some((kind) => kind === "crash" || kind === "loss"),
    confirmations: plan.service.confirmations,
    submissions: environment.submissions,
    swept: new Set(
      environment.submissions
        .filter(({ gasPrice, atBlock }) => gasPrice < world.highestSince(atBlock))
        .map(({ hash }) => hash),
    ),
    hasAllReplies:
      !plan.faultKinds.some((faultKind) => losesReplies.has(faultKind)) &&
      !environment.trace.lines().some((line) => line.includes(withoutReply)),
    lastStep: plan.faultKinds.every((kind) => kind === "gas") ? world.lastStep() : undefined,
    seenBlocks: environment.seenBlocks,
    foreign: environment.foreign,
    wasPaused: hasPause(plan),
    falselyReady: environment.falselyReady,
    brokenSteps: brokenStepsOf(environment.engineSteps),
    losses: environment.losses,
    payerUnits: await readPayerUnits(environment),
  };
}

/** A run whose steps were not noted shows nothing. */
function brokenStepsOf(findings: readonly Findings[]): readonly string[] {
  const isNoted = findings.some(({ taken }) => taken.size > 0);
  return isNoted ? findings.flatMap(({ broken }) => broken) : ["no step was noted"];
}

/** A service on a busy machine gave up waiting for the reply to a send, and says so. */
const withoutReply = '"outcome":"unknown"';

/** After these a service may not know that every node has refused what it sent. */
const losesReplies: ReadonlySet<FaultKind> = new Set([
  "road",
  "outage",
  "crash",
  "ordinary",
  "loss",
]);

/** What the payers hold whose money moves by authorizations alone. */
async function readPayerUnits({
  devnet,
  contracts,
}: SimEnvironment): Promise<Map<Address, bigint>> {
  const units = new Map<Address, bigint>();
  for (const payer of contracts?.addresses ?? []) {
    units.set(payer, await devnet.usdc.balanceOf(payer));
  }
  return units;
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
