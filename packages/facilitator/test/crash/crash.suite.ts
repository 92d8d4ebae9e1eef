/**
 * `kill -9` at every step of the settle path. A process dies at each step that a rehearsal has
 * counted, and a facilitator in this process goes on: where the database is shared, one that runs
 * already and has callers waiting. Whatever was under way, the money moves once, every caller is
 * told so with the right hash, and store and wallet are left as the chain is.
 */
import { describe, expect, test } from "vitest";
import { answerAll, askAgain, finalize, payAlso, takeOver } from "./crash-aftermath.testing.ts";
import { patienceMs, prepareGround, type CrashBench, type Ground } from "./crash-ground.testing.ts";
import {
  lastingSteps,
  playUpTo,
  pointsToDieAt,
  type CrashPoint,
  type Rehearsal,
} from "./crash-rehearsal.testing.ts";
import { comeThrough, type Scene } from "./crash-scenes.testing.ts";
import { expectDeepEnough, expectSettledOnce } from "./crash-verdict.testing.ts";

/** The tests, on databases that a bench makes. */
export function crashSuite(bench: CrashBench, rehearsals: readonly Rehearsal[]): void {
  test("a payment is claimed, its nonce taken, its bytes stored, then sent, then confirmed", () => {
    expect(rehearsals.slice(0, 1).map(lastingSteps)).toEqual([settlePath]);
  });

  for (const rehearsal of rehearsals) {
    const { scene, failure } = rehearsal;
    describe(`killed: ${scene.name}`, { concurrent: true, timeout: patienceMs }, () => {
      test("undisturbed, it comes to its end", () => {
        if (failure !== undefined) throw failure;
      });
      test.for(pointsToDieAt(rehearsal))("$step, then $meanwhile", async (point, context) => {
        await crash(scene, point, await prepareGround(bench, scene, context));
      });
    });
  }
}

/** What a lone payment leaves behind, in order, up to the end of its nonce. */
const settlePath = [
  "claimSettlements",
  "reserveTransactions",
  "recordSigned",
  "eth_sendRawTransaction",
  "recordSent",
  "recordConfirmed",
  "closeTransactions",
];

async function crash(scene: Scene, { step, meanwhile }: CrashPoint, ground: Ground): Promise<void> {
  const { stage, neighbour } = await playUpTo(scene, step, ground);
  // Whoever asks the neighbour waits for what the victim has in hand.
  const waiting = neighbour && askAgain(stage, neighbour.url);
  await stage.victim.kill();
  if (meanwhile === "a block") await ground.devnet.mine();
  if (meanwhile === "the lost transaction") await comeThrough(stage);
  // Where the database is a file, a process that is gone is seen to be.
  if (neighbour) await ground.lapse();
  const { url } = await takeOver(ground, neighbour);
  await expectDeepEnough(ground, scene.confirmations ?? 1);
  const asked = [waiting ?? askAgain(stage, url), payAlso(stage, url)];
  await answerAll(ground, Promise.all(asked));
  await finalize(ground);
  await expectSettledOnce(ground, stage.told, scene.otherTransactions);
}
