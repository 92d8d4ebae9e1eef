/** Runs a scenario: once to the end, to learn its steps, and then up to one of them. */
import {
  createEnvironment,
  until,
  type DatabaseProvider,
  type CrashEnvironment,
} from "./crash-environment.testing.ts";
import {
  isPending,
  lonePayment,
  scenarios,
  type CrashScenario,
  type RunningScenario,
} from "./crash-scenarios.testing.ts";
import { sendingAgain } from "./stepped-process.testing.ts";
import type { Served } from "../support/facilitator.testing.ts";

/** The step at which a process dies, and what the chain does before another one takes over. */
export interface CrashPoint {
  readonly step: string;
  readonly meanwhile: "no block" | "a block" | "the lost transaction";
}

/** A scenario with every point at which a process can die in it, in order. */
export interface DryRun {
  readonly scenario: CrashScenario;
  readonly points: readonly CrashPoint[];
  /** Why it did not reach its end. */
  readonly failure?: unknown;
}

/** Runs every scenario without a crash. Only afterwards can tests be named by their points. */
export function dryRunScenarios(provider: DatabaseProvider): Promise<DryRun[]> {
  return Promise.all(scenarios.map((scenario) => dryRunScenario(provider, scenario)));
}

async function dryRunScenario(
  provider: DatabaseProvider,
  scenario: CrashScenario,
): Promise<DryRun> {
  const points: CrashPoint[] = [];
  const environment = await createEnvironment(provider, scenario);
  try {
    const running = await begin(scenario, environment);
    running.victim.observe = async (step) => {
      if (points.some((point) => point.step === `after ${scenario.until}`)) return;
      points.push({ step, meanwhile: "no block" });
      if (await isPending(environment)) points.push({ step, meanwhile: "a block" });
      else if (running.lost !== undefined && (await isUsable(environment))) {
        points.push({ step, meanwhile: "the lost transaction" });
      }
    };
    await within(running, scenario.play(running));
    return { scenario, points };
  } catch (failure) {
    return { scenario, points, failure };
  } finally {
    await environment.stop();
  }
}

/**
 * The points to die at: before the first step, and right after each write or send. A killed process
 * leaves its database, the chain and its callers behind; what it has read since its last write, and
 * what it was about to write, leaves nothing, and which reads there are depends on the speed of the
 * machine. In other scenarios than a lone payment a block comes before the take-over only at the last
 * step.
 */
export function pointsToDieAt(dryRun: DryRun): CrashPoint[] {
  const { scenario, points } = dryRun;
  const isAlone = scenario === lonePayment;
  const start = `before ${lastingSteps(dryRun)[0]}`;
  const last = `after ${scenario.until}`;
  const hasBlock = points.some(({ step, meanwhile }) => step === last && meanwhile === "a block");
  return points.filter(({ step, meanwhile }) => {
    if (!isLasting(step, scenario)) return isAlone && step === start;
    return isAlone || (meanwhile === "a block") === (step === last && hasBlock);
  });
}

/**
 * Whether a step is a finished write or send. Finality is recorded with each block and left out, and
 * so are bytes that the node is sent once more because they are late, unless this is what the scenario
 * is about.
 */
function isLasting(step: string, { sendsAgain }: CrashScenario): boolean {
  if (step.includes(sendingAgain) && !sendsAgain) return false;
  return /^after (?!eth_(?!send)|recordFinalized)/.test(step);
}

/** The writes and sends of a scenario, in order. */
export function lastingSteps({ scenario, points }: DryRun): string[] {
  const steps = points.map(({ step }) => step).filter((step) => isLasting(step, scenario));
  return [...new Set(steps)].map((step) => step.replace("after ", ""));
}

/** Whether the wallet's first nonce, that of the lost transaction, is still unused. */
async function isUsable({ devnet, relayer }: CrashEnvironment): Promise<boolean> {
  return BigInt(await devnet.rpc("eth_getTransactionCount", [relayer.address, "latest"])) === 0n;
}

async function begin(
  scenario: CrashScenario,
  environment: CrashEnvironment,
): Promise<RunningScenario> {
  await scenario.prepare?.(environment);
  const victim = await environment.startVictim();
  if (scenario.from !== undefined) victim.countFrom(scenario.from);
  return { environment, victim, told: environment.bodies.map(() => []), lost: undefined };
}

/** A scenario whose process is held at a step. */
export interface HeldScenario {
  readonly running: RunningScenario;
  /** Works beside the victim, where the database is shared. */
  readonly peer: Served | undefined;
}

/** Runs a scenario up to a step. */
export async function runUpTo(
  scenario: CrashScenario,
  step: string,
  environment: CrashEnvironment,
): Promise<HeldScenario> {
  const running = await begin(scenario, environment);
  const { victim } = running;
  const start = `before ${scenario.from}`;
  const atStart = scenario.isAtStart && victim.holdAt(start);
  await (atStart ?? victim.passed("takeWalletLease"));
  // A peer that starts slowly would otherwise take the wallet from a process that is only held.
  if (atStart) await environment.prolong();
  const peer = environment.isShared ? await environment.serve() : undefined;
  if (atStart && step === start) return { running, peer };
  const reached = victim.holdAt(step);
  if (atStart) victim.letGo();
  // The scenario is held with the process, but it may fail before.
  await within(running, Promise.race([reached, scenario.play(running).then(() => reached)]));
  return { running, peer };
}

/** Throws when a scenario does not continue, with its steps so far. */
async function within<T>({ victim }: RunningScenario, work: Promise<T>): Promise<T> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  done.catch(() => undefined);
  try {
    await until("the scenario continues", async () => isDone);
  } catch (cause) {
    throw new Error(["The scenario stopped", ...victim.steps, ...victim.logLines].join("\n"), {
      cause,
    });
  }
  return done;
}
