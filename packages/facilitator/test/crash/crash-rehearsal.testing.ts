/** Plays a scene: once to the end, to learn its steps, and then up to one of them. */
import { layGround, until, type CrashBench, type Ground } from "./crash-ground.testing.ts";
import { isPending, lonePayment, scenes, type Scene, type Stage } from "./crash-scenes.testing.ts";
import type { Served } from "../support/facilitator.testing.ts";

/** Where a process dies, and what the chain does before another one takes over. */
export interface CrashPoint {
  readonly step: string;
  readonly meanwhile: "no block" | "a block" | "the lost transaction";
}

/** A scene with every point at which a process can die in it, in the order of the play. */
export interface Rehearsal {
  readonly scene: Scene;
  readonly points: readonly CrashPoint[];
  /** Why it did not come to its end. */
  readonly failure?: unknown;
}

/** Plays every scene with nobody dying. Tests can be named by their points only afterwards. */
export function rehearse(bench: CrashBench): Promise<Rehearsal[]> {
  return Promise.all(scenes.map((scene) => rehearseOne(bench, scene)));
}

async function rehearseOne(bench: CrashBench, scene: Scene): Promise<Rehearsal> {
  const points: CrashPoint[] = [];
  const ground = await layGround(bench, scene);
  try {
    const stage = await begin(scene, ground);
    stage.victim.observe = async (step) => {
      if (points.some((point) => point.step === `after ${scene.until}`)) return;
      points.push({ step, meanwhile: "no block" });
      if (await isPending(ground)) points.push({ step, meanwhile: "a block" });
      else if (stage.lost !== undefined && (await isUsable(ground))) {
        points.push({ step, meanwhile: "the lost transaction" });
      }
    };
    await within(stage, scene.play(stage));
    return { scene, points };
  } catch (failure) {
    return { scene, points, failure };
  } finally {
    await ground.stop();
  }
}

/**
 * The points to die at. A lone payment: all of them. What other scenes add is what they leave
 * behind, so there only where something has just been done that stays, a write or a send; and what
 * a block before the take-over changes, at their last step alone.
 */
export function pointsToDieAt({ scene, points }: Rehearsal): CrashPoint[] {
  if (scene === lonePayment) return [...points];
  const last = `after ${scene.until}`;
  const hasBlock = points.some(({ step, meanwhile }) => step === last && meanwhile === "a block");
  return points.filter(
    ({ step, meanwhile }) =>
      isLasting(step) && (meanwhile === "a block") === (step === last && hasBlock),
  );
}

/** Whether it is the moment after a write or a send; with each block comes a look at what is final. */
function isLasting(step: string): boolean {
  return /^after (?!eth_(?!send)|recordFinalized)/.test(step);
}

/** What a scene does that stays, in order. */
export function lastingSteps({ points }: Rehearsal): string[] {
  const steps = points.map(({ step }) => step).filter(isLasting);
  return [...new Set(steps)].map((step) => step.replace("after ", ""));
}

/** Whether the wallet's first nonce, that of what was lost, is still to be used. */
async function isUsable({ devnet, relayer }: Ground): Promise<boolean> {
  return BigInt(await devnet.rpc("eth_getTransactionCount", [relayer.address, "latest"])) === 0n;
}

async function begin(scene: Scene, ground: Ground): Promise<Stage> {
  await scene.prepare?.(ground);
  const victim = await ground.startVictim();
  if (scene.from !== undefined) victim.countFrom(scene.from);
  return { ground, victim, told: ground.bodies.map(() => []), lost: undefined };
}

/** A scene that has come to a step, and stands there. */
export interface Standstill {
  readonly stage: Stage;
  /** Works beside the victim, where the database is shared. */
  readonly neighbour: Served | undefined;
}

/** Plays a scene up to a step. */
export async function playUpTo(scene: Scene, step: string, ground: Ground): Promise<Standstill> {
  const stage = await begin(scene, ground);
  const { victim } = stage;
  const start = `before ${scene.from}`;
  const atStart = scene.isAtStart && victim.holdAt(start);
  await (atStart ?? victim.passed("takeLane"));
  const neighbour = ground.isShared ? await ground.serve() : undefined;
  if (atStart && step === start) return { stage, neighbour };
  const reached = victim.holdAt(step);
  if (atStart) victim.letGo();
  // The play stands still with the process, but it may fail before.
  await within(stage, Promise.race([reached, scene.play(stage).then(() => reached)]));
  return { stage, neighbour };
}

/** Gives up when a scene does not go on, and says where it stands. */
async function within<T>({ victim }: Stage, work: Promise<T>): Promise<T> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  done.catch(() => undefined);
  try {
    await until("the scene goes on", async () => isDone);
  } catch (cause) {
    throw new Error(["The scene stands still", ...victim.steps, ...victim.said].join("\n"), {
      cause,
    });
  }
  return done;
}
