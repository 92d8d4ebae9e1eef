/**
 * `kill -9` at every step while others work on the same database, and worse than dead: a process
 * that stands still until another one has its wallet, and then goes on where it was.
 */
import { afterAll, describe, expect, test } from "vitest";
import { crashSuite } from "./crash.suite.ts";
import { askAgain, finalize, payAlso, takeOver } from "./crash-recovery.testing.ts";
import {
  scenarioTimeoutMs,
  prepareEnvironment,
  whileMining,
  type CrashEnvironment,
} from "./crash-environment.testing.ts";
import { runUpTo, dryRunScenarios, type CrashPoint } from "./crash-dry-run.testing.ts";
import { lonePayment, replacement, type CrashScenario } from "./crash-scenarios.testing.ts";
import { expectSettledOnce } from "./crash-audit.testing.ts";
import { sendingAgain } from "./stepped-process.testing.ts";
import { startPostgres } from "@farthing/engine/source/storage/postgres.testing";

const server = await startPostgres();
afterAll(() => server.stop());

const provider = { createDatabase: () => server.createDatabase(), isShared: true };
const dryRuns = await dryRunScenarios(provider);

crashSuite(provider, dryRuns);

const options = { concurrent: true, timeout: scenarioTimeoutMs };

test("killed: its lease runs out by itself", options, async (context) => {
  const environment = await prepareEnvironment(provider, lonePayment, context);
  const { running, peer } = await runUpTo(lonePayment, "before recordSent", environment);
  await running.victim.kill();
  const { url } = await takeOver(environment, peer);
  await whileMining(environment, askAgain(running, url));
  await finalize(environment);
  await expectSettledOnce(environment, running.told, 0);
});

describe.each([
  // When it wakes, none of its work has been done by others, or all of it.
  { scenario: lonePayment, wakes: "at once" },
  { scenario: replacement, wakes: "when all is done" },
])("stopped, thought dead, woken $wakes: $scenario.name", options, ({ scenario, wakes }) => {
  const points = dryRuns.find((one) => one.scenario === scenario)?.points ?? [];
  test.for(points.filter(isBefore))("$step", async ({ step }, context) => {
    const environment = await prepareEnvironment(provider, scenario, context);
    await stopAndWake(scenario, step, { environment, isLate: wakes !== "at once" });
  });
});

/** Whether the process is held right before a write, or a send that every run of the scenario has. */
function isBefore({ step, meanwhile }: CrashPoint): boolean {
  return step.startsWith("before ") && !step.includes(sendingAgain) && meanwhile === "no block";
}

async function stopAndWake(
  scenario: CrashScenario,
  step: string,
  { environment, isLate }: { readonly environment: CrashEnvironment; readonly isLate: boolean },
): Promise<void> {
  const { running, peer } = await runUpTo(scenario, step, environment);
  const { victim } = running;
  victim.signal("SIGSTOP");
  const { devnet, store, relayer } = environment;
  const open = await store.listOpenTransactions(devnet.chainId, relayer.address);
  const sentBefore = victim.sent.length;
  await environment.lapse();
  const { url } = await takeOver(environment, peer);
  if (isLate) await whileMining(environment, askAgain(running, url));

  const woken = await victim.serving;
  // The requests arrive while it is stopped, and are the first that it reads when it continues.
  const asked = Promise.all([askAgain(running, woken), payAlso(running, woken)]);
  victim.signal("SIGCONT");
  victim.letGo();
  await whileMining(environment, asked);
  await whileMining(environment, payAlso(running, url));
  await finalize(environment);
  await expectSettledOnce(environment, running.told, scenario.otherTransactions);
  // It sends only what was stored before it stopped, nothing of its successor.
  const raws = open.map(({ raw }) => raw);
  for (const raw of victim.sent.slice(sentBefore)) expect(raws).toContain(raw);
  expect(await environment.isTaken()).toBe(true);
}
