/**
 * `kill -9` at every step while others work on the same database, and worse than dead: a process
 * that stands still until another one has its wallet, and then goes on where it was.
 */
import { afterAll, describe, expect, test } from "vitest";
import { crashSuite } from "./crash.suite.ts";
import { askAgain, finalize, payAlso, takeOver } from "./crash-aftermath.testing.ts";
import { patienceMs, prepareGround, whileMining, type Ground } from "./crash-ground.testing.ts";
import { playUpTo, rehearse, type CrashPoint } from "./crash-rehearsal.testing.ts";
import { lonePayment, replacement, type Scene } from "./crash-scenes.testing.ts";
import { expectSettledOnce } from "./crash-verdict.testing.ts";
import { startPostgres } from "@farthing/engine/source/storage/postgres.testing";

const server = await startPostgres();
afterAll(() => server.stop());

const bench = { createDatabase: () => server.createDatabase(), isShared: true };
const rehearsals = await rehearse(bench);

crashSuite(bench, rehearsals);

const options = { concurrent: true, timeout: patienceMs };

test("killed: its lease runs out by itself", options, async (context) => {
  const ground = await prepareGround(bench, lonePayment, context);
  const { stage, neighbour } = await playUpTo(lonePayment, "before recordSent", ground);
  await stage.victim.kill();
  const { url } = await takeOver(ground, neighbour);
  await whileMining(ground, askAgain(stage, url));
  await finalize(ground);
  await expectSettledOnce(ground, stage.told, 0);
});

describe.each([
  // Nothing of what it had in hand is done yet when it wakes, or all of it is.
  { scene: lonePayment, wakes: "at once" },
  { scene: replacement, wakes: "when all is done" },
])("stopped, thought dead, woken $wakes: $scene.name", options, ({ scene, wakes }) => {
  const points = rehearsals.find((one) => one.scene === scene)?.points ?? [];
  test.for(points.filter(isBefore))("$step", async ({ step }, context) => {
    const ground = await prepareGround(bench, scene, context);
    await stopAndWake(scene, step, { ground, isLate: wakes !== "at once" });
  });
});

/** It stands right before a write or a send; what happens there must not depend on it. */
function isBefore({ step, meanwhile }: CrashPoint): boolean {
  return step.startsWith("before ") && meanwhile === "no block";
}

async function stopAndWake(
  scene: Scene,
  step: string,
  { ground, isLate }: { readonly ground: Ground; readonly isLate: boolean },
): Promise<void> {
  const { stage, neighbour } = await playUpTo(scene, step, ground);
  const { victim } = stage;
  victim.signal("SIGSTOP");
  const { devnet, store, relayer } = ground;
  const open = await store.listOpenTransactions(devnet.chainId, relayer.address);
  const sentBefore = victim.sent.length;
  await ground.lapse();
  const { url } = await takeOver(ground, neighbour);
  if (isLate) await whileMining(ground, askAgain(stage, url));

  const woken = await victim.serving;
  // They come to it while it stands still, and are the first that it hears when it goes on.
  const asked = Promise.all([askAgain(stage, woken), payAlso(stage, woken)]);
  victim.signal("SIGCONT");
  victim.letGo();
  await whileMining(ground, asked);
  await whileMining(ground, payAlso(stage, url));
  await finalize(ground);
  await expectSettledOnce(ground, stage.told, scene.otherTransactions);
  // Whatever it still sends was stored before it stopped: nothing of its successor's.
  const raws = open.map(({ raw }) => raw);
  for (const raw of victim.sent.slice(sentBefore)) expect(raws).toContain(raw);
  expect(await ground.isTaken()).toBe(true);
}
