/** Runs the cases about sellers against one. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startDevnet } from "@farthing/devnet";
import { chainId, network, priceUnits } from "../chain/payments.ts";
import type { CaseResult, ConformCase, RunWatch } from "../run/conform-case.ts";
import { describeAnswer, type HttpAnswer } from "../run/http-answer.ts";
import { runCases } from "../run/run-cases.ts";
import { createSubjectProcess, findFreePort } from "../run/subject-process.ts";
import { SubjectError, type Subject, type SubjectEnvironment } from "../run/subject.ts";
import { startScriptedFacilitator } from "./scripted-facilitator.ts";
import { createSellerBench, type SellerBench } from "./seller-bench.ts";

export interface SellerRun extends RunWatch {
  /** The subject's command line, or another way to make a subject of its settings. */
  readonly start: string | ((env: SubjectEnvironment) => Subject);
  /** The paid route, such as `GET:/report`. */
  readonly paid: string;
  readonly cases: readonly ConformCase<SellerBench>[];
  readonly anvilFolder?: string;
}

/** Throws a `SubjectError` where the subject does not start. */
export async function runSeller(run: SellerRun): Promise<readonly CaseResult[]> {
  await using stack = new AsyncDisposableStack();
  const { anvilFolder } = run;
  const [method = "GET", path = "/"] = run.paid.split(/:(.*)/s);
  const chain = { chainId, blockTimeSeconds: 1 } as const;
  const devnet = await startDevnet(anvilFolder === undefined ? chain : { ...chain, anvilFolder });
  stack.defer(() => devnet.stop());
  const facilitator = await startScriptedFacilitator(devnet);
  stack.defer(() => facilitator.stop());
  const folder = mkdtempSync(join(tmpdir(), "farthing-conform-"));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  let subject: Subject | undefined;
  stack.defer(async () => subject?.kill());

  async function renew(): Promise<void> {
    run.signal?.throwIfAborted();
    await subject?.kill();
    facilitator.reset();
    const port = await findFreePort();
    const env: SubjectEnvironment = {
      PORT: `${port}`,
      CONFORM_PORT: `${port}`,
      CONFORM_URL: `http://127.0.0.1:${port}`,
      CONFORM_FACILITATOR_URL: facilitator.url,
      CONFORM_PAY_TO: devnet.seller.address,
      CONFORM_PRICE: `${priceUnits}`,
      CONFORM_RPC_URL: devnet.rpcUrl,
      CONFORM_CHAIN_ID: `${chainId}`,
      CONFORM_NETWORK: network.id,
      CONFORM_ASSET: network.usdc,
      CONFORM_ASSET_NAME: network.domain.name,
      CONFORM_ASSET_VERSION: network.domain.version,
      CONFORM_FOLDER: mkdtempSync(join(folder, "subject-")),
    };
    subject =
      typeof run.start === "string"
        ? createSubjectProcess({
            command: run.start,
            env,
            port,
            readyPath: path,
            onOutput: (text) => run.onOutput?.(text),
          })
        : run.start(env);
    await subject.start();
  }

  await renew();
  const bench = createSellerBench({
    devnet,
    facilitator,
    method,
    path,
    subject: () => {
      if (!subject) throw new Error("no subject was started");
      return subject;
    },
  });
  checkRoute(run.paid, await bench.ask());
  return await runCases(run.cases, bench, renew, run);
}

/** Where there is no such route, no case would say anything about the seller. */
function checkRoute(paid: string, answer: HttpAnswer): void {
  if (answer.status !== 404 && answer.status !== 405) return;
  throw new SubjectError(
    `${paid} had ${describeAnswer(answer)}. --paid names the method and the path that it charges for, such as GET:/report.`,
  );
}
