/** Runs the cases about facilitators against one. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startDevnet } from "@farthing/devnet";
import { startRpcProxy } from "@farthing/devnet/rpc-proxy";
import { chainId, network } from "../chain/payments.ts";
import type { CaseResult, ConformCase } from "../run/conform-case.ts";
import { runCases } from "../run/run-cases.ts";
import { createSubjectProcess, findFreePort } from "../run/subject-process.ts";
import type { Subject } from "../run/subject.ts";
import { createFacilitatorBench, type FacilitatorBench } from "./facilitator-bench.ts";

export interface FacilitatorRun {
  /** The subject's command line, or another way to make a subject of its settings. */
  readonly start: string | ((env: SubjectEnvironment) => Subject);
  readonly cases: readonly ConformCase<FacilitatorBench>[];
  readonly basePath?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly anvilFolder?: string;
  onResult?(result: CaseResult): void;
}

/** What a subject is told, as environment variables. */
export type SubjectEnvironment = Readonly<Record<string, string>>;

/** Two for each start: more starts than there are cases. */
const relayers = 160;
const walletsPerStart = 2;

/** Throws a `SubjectError` where the subject does not start. */
export async function runFacilitator(run: FacilitatorRun): Promise<readonly CaseResult[]> {
  await using stack = new AsyncDisposableStack();
  const { anvilFolder } = run;
  const devnet = await startDevnet({
    chainId,
    blockTimeSeconds: 1,
    relayers,
    ...(anvilFolder === undefined ? {} : { anvilFolder }),
  });
  stack.defer(() => devnet.stop());
  const node = await startRpcProxy(devnet.rpcUrl);
  stack.defer(() => node.stop());
  const folder = mkdtempSync(join(tmpdir(), "farthing-conform-"));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  let starts = 0;
  let subject: Subject | undefined;
  stack.defer(async () => subject?.kill());

  /** Starts the subject with files and wallets that no case has touched. */
  async function renew(): Promise<void> {
    await subject?.kill();
    node.react = () => undefined;
    node.gate = undefined;
    node.step = undefined;
    const first = starts++ * walletsPerStart;
    const wallets = devnet.relayers.slice(first, first + walletsPerStart);
    const keys = wallets.map(({ privateKey }) => privateKey);
    const port = await findFreePort();
    const env: SubjectEnvironment = {
      PORT: `${port}`,
      CONFORM_PORT: `${port}`,
      CONFORM_RPC_URL: node.url,
      CONFORM_CHAIN_ID: `${chainId}`,
      CONFORM_NETWORK: network.id,
      CONFORM_NETWORK_V1: network.label,
      CONFORM_ASSET: network.usdc,
      CONFORM_ASSET_NAME: network.domain.name,
      CONFORM_ASSET_VERSION: network.domain.version,
      CONFORM_KEY: keys[0] ?? "",
      CONFORM_KEYS: keys.join(","),
      CONFORM_FOLDER: mkdtempSync(join(folder, "subject-")),
    };
    subject =
      typeof run.start === "string"
        ? createSubjectProcess({
            command: run.start,
            env,
            port,
            readyPath: `${run.basePath ?? ""}/supported`,
          })
        : run.start(env);
    await subject.start();
  }

  await renew();
  const bench = createFacilitatorBench({
    devnet,
    node,
    subject: () => {
      if (!subject) throw new Error("no subject was started");
      return subject;
    },
    basePath: run.basePath ?? "",
    headers: run.headers ?? {},
  });
  return await runCases(run.cases, bench, renew, run.onResult);
}
