/** Runs the cases about buyers against a client, which is run once or twice for each case. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startDevnet } from "@farthing/devnet";
import { chainId, network } from "../chain/payments.ts";
import type { CaseResult, ConformCase } from "../run/conform-case.ts";
import { runCases } from "../run/run-cases.ts";
import type { SubjectEnvironment } from "../run/subject.ts";
import type { BuyerBench } from "./buyer-cases.ts";
import { startScriptedSeller } from "./scripted-seller.ts";

export interface BuyerRun {
  /** The client's command line, with `{url}` for the address, or another way to buy. */
  readonly run: string | ((env: SubjectEnvironment) => Promise<void>);
  readonly cases: readonly ConformCase<BuyerBench>[];
  readonly anvilFolder?: string;
  onResult?(result: CaseResult): void;
}

/** A client that resends for longer is stopped: what it has signed until then counts. */
const runMsMax = 20_000;

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
        return runCommand(run.run.replaceAll("{url}", seller.url), env);
      await run.run(env);
      return { outcome: "returned" };
    },
  };
  return await runCases(run.cases, bench, renew, run.onResult);
}

async function runCommand(command: string, env: SubjectEnvironment) {
  const child = spawn("sh", ["-c", command], {
    detached: true,
    stdio: "ignore",
    env: { ...process.env, ...env },
  });
  const ended = once(child, "close");
  let outcome = "";
  const timer = setTimeout(() => {
    outcome = `was stopped after ${runMsMax / 1000} s`;
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  }, runMsMax);
  await ended;
  clearTimeout(timer);
  return { outcome: outcome === "" ? `ended with ${child.exitCode}` : outcome };
}
