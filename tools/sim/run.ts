/** Plays one plan on a stage; then lets it rest and audits it. */
import { audit, type Evidence, type Violation } from "./auditor.ts";
import { sumOf, type BiteCounts } from "./bites.ts";
import type { Databases } from "./databases.ts";
import { createHappenings, type Happenings } from "./happenings.ts";
import { readLedger } from "./ledger.ts";
import type { Plan } from "./plan.ts";
import { setUp, type Stage } from "./stage.ts";
import { unrest } from "./stored.ts";
import { tokenBites } from "./token-bites.ts";

/** How a run went. */
export interface RunReport {
  readonly plan: Plan;
  readonly evidence: Evidence;
  readonly violations: readonly Violation[];
  readonly bites: BiteCounts;
  /** Of the machine. */
  readonly ms: number;
  readonly trace: readonly string[];
}

/**
 * Blocks within which everything must have come to rest once all faults are over: the relayer
 * replaces what is not mined after 25 blocks, and nodes that failed rest for up to 15. What is left
 * of a rush takes its turns besides: a wallet's transactions on their way are mined every two blocks.
 */
const restBlocksMax = 60;
const blocksPerTurn = 2;

function restBlocksOf({ payments, relayers, service, batchMax }: Plan): number {
  const turns = Math.ceil(payments.length / (batchMax * relayers * service.inFlight));
  return restBlocksMax + turns * blocksPerTurn;
}

/** Blocks after which what was mined last is final, with one to notice it. */
const finalBlocks = 5;

/** Payments that must go through after all that: more than wallets, so that each has its turn. */
const probesPerWallet = 2;

/** Plays a plan. */
export async function run(plan: Plan, databases: Databases): Promise<RunReport> {
  const startedAt = Date.now();
  await using stack = new AsyncDisposableStack();
  const stage = await setUp(plan, databases, stack);
  const happenings = createHappenings(stage);
  await play(stage, happenings);
  await happenings.heal();
  const restless = await rest(stage, happenings);
  const probes = await probe(stage);
  // Before the processes are stopped, which is no trouble of the run.
  const bites = sumOf([stage.bites.counts()]);
  const evidence = await close(stage, { restless, probes });
  return {
    plan,
    evidence,
    violations: audit(evidence),
    bites: sumOf([bites, tokenBites(evidence)]),
    ms: Date.now() - startedAt,
    trace: stage.trace.lines(),
  };
}

async function play({ plan, roads, period }: Stage, happenings: Happenings): Promise<void> {
  for (const road of roads) {
    road.faultPercent = plan.road.percent;
    road.faults = plan.road.faults;
    road.ordinary.conditions = plan.conditions[road.node.index] ?? {};
  }
  for (let block = 1; block <= plan.blocks; block++) {
    const makesBlock = await happenings.at(block);
    await period(makesBlock);
  }
}

/** Makes blocks until nothing is under way; gives what still is when time is up. */
async function rest(stage: Stage, happenings: Happenings): Promise<string[]> {
  const { plan, database, trace, period } = stage;
  const isPlayed = happenings.done();
  const most = restBlocksOf(plan);
  let left: string[] = [];
  for (let block = 0; block < most; block++) {
    await period();
    // Looked at once: a reorganisation that is heard of late puts things back for a moment, and
    // whether they are at rest for good is looked at again at the end.
    left = unrest(await database.read());
    if (isPlayed() && left.length === 0) break;
  }
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
  const { plan, devnet, world, processes, callers, purses, database } = stage;
  const relayers = devnet.relayers.map(({ address }) => address);
  const known = new Set((await database.read()).settlements.map(({ nonce }) => nonce));
  const ledger = await readLedger(devnet, relayers);
  const used = new Set(ledger.entries.map(({ nonce }) => nonce));
  for (const [index, payment] of purses.signed) {
    // Asking for an authorization that is neither claimed nor used would be a new payment.
    const { nonce } = payment.authorization;
    if (known.has(nonce) || used.has(nonce)) await callers.askAtLast(index, payment);
  }
  await Promise.all(processes.map((one) => one.stop()));
  return {
    payments: purses.signed,
    probes,
    answers: callers.answers,
    ledger,
    stored: await database.read(),
    relayers: relayers.map((relayer) => relayer.toLowerCase()),
    uprooted: world.uprooted,
    restless,
    crashes: processes.reduce((sum, one) => sum + one.crashes(), 0),
    wasEnded: plan.troubles.includes("crash"),
    confirmations: plan.service.confirmations,
    sightings: stage.sightings,
    foreign: stage.foreign,
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
