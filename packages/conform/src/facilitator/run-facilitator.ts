/** Runs the cases about facilitators against one. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startDevnet } from "@farthing/devnet";
import { isObject, type JsonObject } from "@farthing/protocol";
import { startRpcProxy } from "@farthing/devnet/rpc-proxy";
import { chainId, network, requestV2 } from "../chain/payments.ts";
import type { CaseResult, ConformCase, RunWatch } from "../run/conform-case.ts";
import { describeAnswer, type HttpAnswer } from "../run/http-answer.ts";
import { runCases } from "../run/run-cases.ts";
import { createSubjectProcess, findFreePort } from "../run/subject-process.ts";
import { SubjectError, type Subject, type SubjectEnvironment } from "../run/subject.ts";
import {
  createFacilitatorBench,
  limitsDefault,
  type FacilitatorBench,
  type Limits,
} from "./facilitator-bench.ts";

export interface FacilitatorRun extends RunWatch {
  /** The subject's command line, or another way to make a subject of its settings. */
  readonly start: string | ((env: SubjectEnvironment) => Subject);
  readonly cases: readonly ConformCase<FacilitatorBench>[];
  readonly basePath?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly anvilFolder?: string;
  readonly limits?: Limits;
}

/** Two for each start: more starts than there are cases. */
const relayers = 160;
const walletsPerStart = 2;

const warmUpMs = 5_000;

/** XDC's least gas price. */
const startGasPriceWei = 12_500_000_000n;

/** Throws a `SubjectError` where the subject does not start. */
export async function runFacilitator(run: FacilitatorRun): Promise<readonly CaseResult[]> {
  await using stack = new AsyncDisposableStack();
  const { anvilFolder } = run;
  const devnet = await startDevnet({
    chainId,
    blockTimeSeconds: 1,
    relayers,
    gasPriceWei: startGasPriceWei,
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
    run.signal?.throwIfAborted();
    await subject?.kill();
    node.react = () => undefined;
    node.reset();
    await devnet.setGasPrice(startGasPriceWei);
    await devnet.rpc("evm_setIntervalMining", [1]);
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
            onOutput: (text) => run.onOutput?.(text),
          })
        : run.start(env);
    await subject.start();
  }

  const bench = createFacilitatorBench({
    devnet,
    node,
    subject: () => {
      if (!subject) throw new Error("no subject was started");
      return subject;
    },
    basePath: run.basePath ?? "",
    headers: run.headers ?? {},
    limits: run.limits ?? limitsDefault,
    signal: run.signal,
  });
  const warmUp = async () => {
    // A process that has just started may answer 503 until it has looked at its wallets.
    if (typeof run.start !== "string") return;
    await bench.settleToEnd(requestV2(bench.newPayment()), warmUpMs);
  };
  const renewWarm = async () => {
    await renew();
    await warmUp();
  };
  await renew();
  checkSupported(await bench.supported());
  await warmUp();
  return await runCases(run.cases, bench, renewWarm, run);
}

const ownNetworks: readonly unknown[] = [network.id, network.label, "eip155:*"];

/** One that is set up for other networks refuses all payments of the kit, and rightly. */
function checkNetwork(kinds: readonly JsonObject[]): void {
  const served = [...new Set(kinds.map((kind) => kind["network"]))];
  if (served.some((name) => ownNetworks.includes(name))) return;
  throw new SubjectError(
    `GET /supported lists ${served.join(", ") || "no network"}. Set it up for the network in CONFORM_NETWORK, ${network.id}, with the node in CONFORM_RPC_URL.`,
  );
}

/** What answers otherwise is no facilitator, or not at this address: no case would say anything of it. */
function checkSupported(answer: HttpAnswer): void {
  const kinds = answer.body?.["kinds"];
  if (Array.isArray(kinds)) return checkNetwork(kinds.filter(isObject));
  const { status } = answer;
  const hint =
    status === 401 || status === 403
      ? "--header sends a key with each call."
      : "--base names what stands before /supported in its address.";
  throw new SubjectError(
    `GET /supported is no JSON object with \`kinds\`: ${describeAnswer(answer)}. ${hint}`,
  );
}
