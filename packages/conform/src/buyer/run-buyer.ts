/** Runs the cases about buyers against a client, which is run once or twice for each case. */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { startDevnet } from "@farthing/devnet";
import { chainId, network } from "../chain/payments.ts";
import type { CaseResult, ConformCase, RunWatch } from "../run/conform-case.ts";
import { startGroup } from "../run/process-group.ts";
import { runCases } from "../run/run-cases.ts";
import { CommandError, type SubjectEnvironment } from "../run/subject.ts";
import type { BuyerBench } from "./buyer-cases.ts";
import { startScriptedSeller } from "./scripted-seller.ts";

export interface BuyerRun extends RunWatch {
  /** The client's command line, with `{url}` for the address, or another way to buy. */
  readonly run: string | ((env: SubjectEnvironment) => Promise<void>);
  readonly cases: readonly ConformCase<BuyerBench>[];
  readonly anvilFolder?: string;
}

/** A client that resends for longer is stopped: what it has signed until then counts. */
const runMsMax = 20_000;

/** Throws a `SubjectError` where the client cannot be run. */
export async function runBuyer(run: BuyerRun): Promise<readonly CaseResult[]> {
  await using stack = new AsyncDisposableStack();
  const { anvilFolder } = run;
  const buyers = run.cases.length + 1;
  const chain = { chainId, blockTimeSeconds: 1, buyers } as const;
  const devnet = await startDevnet(anvilFolder === undefined ? chain : { ...chain, anvilFolder });
  stack.defer(() => devnet.stop());
  const seller = await startScriptedSeller(devnet.seller.address);
  stack.defer(() => seller.stop());
  const folder = mkdtempSync(join(tmpdir(), "farthing-conform-"));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const unspent = [...devnet.buyers];
  let env: SubjectEnvironment = {};

  /** A wallet and files that no case has used. */
  async function renew(): Promise<void> {
    env = {
      CONFORM_URL: seller.url,
      CONFORM_KEY: unspent.shift()?.privateKey ?? "",
      CONFORM_RPC_URL: devnet.rpcUrl,
      CONFORM_CHAIN_ID: `${chainId}`,
      CONFORM_NETWORK: network.id,
      CONFORM_ASSET: network.usdc,
      CONFORM_FOLDER: mkdtempSync(join(folder, "buyer-")),
    };
  }

  await renew();
  const bench: BuyerBench = {
    seller,
    async run() {
      if (typeof run.run === "string")
        return runCommand(run.run.replaceAll("{url}", seller.url), env, run.onOutput);
      await run.run(env);
      return { outcome: "returned" };
    },
  };
  return await runCases(run.cases, bench, renew, run);
}

/** What shells answer where a program is not found or cannot be run. */
const notRun: ReadonlySet<number | null> = new Set([126, 127]);

async function runCommand(
  command: string,
  env: SubjectEnvironment,
  onOutput?: (text: string) => void,
): Promise<{ readonly outcome: string }> {
  const group = startGroup(command, env, onOutput);
  const { child } = group;
  const [ended, closed] = [once(child, "exit"), once(child, "close")];
  let isStopped = false;
  const timer = setTimeout(() => {
    isStopped = true;
    void group.kill();
  }, runMsMax);
  await ended;
  clearTimeout(timer);
  // What it has left in the background goes too, and its output is complete.
  await group.kill();
  await Promise.race([closed, pause(closeMsMax)]);
  if (notRun.has(child.exitCode)) {
    throw new CommandError(`its command cannot be run. It printed: ${group.output()}`);
  }
  if (isStopped) return { outcome: `was stopped after ${runMsMax / 1000} s` };
  const complaint = child.exitCode === 0 ? "" : complaintOf(group.output());
  return {
    outcome: `ended with the exit code ${child.exitCode}${complaint === "" ? "" : `: ${complaint}`}`,
  };
}

/** The line that names an error, or the last one. */
function complaintOf(output: string): string {
  const lines = output.split("\n");
  const named = lines.find((line) => /error/i.test(line)) ?? lines.at(-1) ?? "";
  return named.trim().slice(0, complaintCharactersMax);
}

/** A process that has left the group may keep the output open. */
const closeMsMax = 1_000;

const complaintCharactersMax = 200;
