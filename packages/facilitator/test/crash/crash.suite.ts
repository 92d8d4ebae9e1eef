/**
 * `kill -9` at every step of the settle path. A process dies after each write and each send that a
 * dry run has counted, and a facilitator in this process takes over: where the database is shared,
 * one that runs already and has callers waiting. The money moves once, every caller is told so with
 * the right hash, and store and wallet agree with the chain.
 */
import { describe, expect, test } from "vitest";
import { answerAll, askAgain, finalize, payAlso, takeOver } from "./crash-recovery.testing.ts";
import {
  scenarioTimeoutMs,
  prepareEnvironment,
  type DatabaseProvider,
  type CrashEnvironment,
} from "./crash-environment.testing.ts";
import {
  lastingSteps,
  runUpTo,
  pointsToDieAt,
  type CrashPoint,
  type DryRun,
} from "./crash-dry-run.testing.ts";
import { comeThrough, type CrashScenario } from "./crash-scenarios.testing.ts";
import { expectDeepEnough, expectSettledOnce } from "./crash-audit.testing.ts";

/** The tests, on the databases of a provider. */
export function crashSuite(provider: DatabaseProvider, dryRuns: readonly DryRun[]): void {
  test("a payment is claimed, its nonce taken, its bytes stored, then sent, then confirmed", () => {
    expect(dryRuns.slice(0, 1).map(lastingSteps)).toEqual([settlePath]);
  });

  for (const dryRun of dryRuns) {
    const { scenario, failure } = dryRun;
    describe(`killed: ${scenario.name}`, { concurrent: true, timeout: scenarioTimeoutMs }, () => {
      test("without a crash, it reaches its end", () => {
        if (failure !== undefined) throw failure;
      });
      test.for(pointsToDieAt(dryRun))("$step, then $meanwhile", async (point, context) => {
        await crash(scenario, point, await prepareEnvironment(provider, scenario, context));
      });
    });
  }
}

/** The writes and sends of a lone payment, in order, until its nonce is used. */
const settlePath = [
  "claimSettlements",
  "reserveTransactions",
  "recordSigned",
  "eth_sendRawTransaction",
  "recordSent",
  "recordConfirmed",
  "closeNonce",
];

async function crash(
  scenario: CrashScenario,
  { step, meanwhile }: CrashPoint,
  environment: CrashEnvironment,
): Promise<void> {
  const { running, peer } = await runUpTo(scenario, step, environment);
  // Callers of the peer wait for the victim's work.
  const waiting = peer && askAgain(running, peer.url);
  await running.victim.kill();
  if (meanwhile === "a block") await environment.devnet.mine();
  if (meanwhile === "the lost transaction") await comeThrough(running);
  // Where the database is a file, the end of a process is noticed at once.
  if (peer) await environment.lapse();
  const { url } = await takeOver(environment, peer);
  await expectDeepEnough(environment, scenario.confirmations ?? 1);
  const asked = [waiting ?? askAgain(running, url), payAlso(running, url)];
  await answerAll(environment, Promise.all(asked));
  await finalize(environment);
  await expectSettledOnce(environment, running.told, scenario.otherTransactions);
}
