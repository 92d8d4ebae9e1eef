/**
 * Ground for crashes: a chain whose blocks are made when the test says so, a database, a wallet,
 * a process that works it and dies, and a facilitator in this process that goes on.
 */
import type { Devnet } from "@farthing/devnet";
import type { JsonObject } from "@farthing/protocol";
import type { TestContext } from "vitest";
import type { Pair, Settlement } from "@farthing/engine";
import { createLog } from "@farthing/engine/base";
import { lapseLeases } from "@farthing/engine/source/storage/lapse-leases.testing";
import { inspectStore } from "@farthing/engine/storage";
import {
  bodyOn,
  environmentOn,
  payerAndNonceOf,
  readAnswer,
  serveOn,
  startChain,
  walletAt,
  type Served,
} from "../support/facilitator.testing.ts";
import { startStepped, type SteppedProcess } from "./stepped-process.testing.ts";
import { openStore, type ServiceStore } from "../../src/features/open-store.ts";

/** A database, and how the process comes that goes on. */
export interface CrashBench {
  createDatabase(): Promise<string>;
  /** Whether processes share it: the second one then runs before the first one dies. */
  readonly isShared: boolean;
}

/** Where a crash takes place. */
export interface Ground {
  readonly devnet: Devnet;
  readonly databaseUrl: string;
  /** A look at what is stored. */
  readonly store: ServiceStore;
  readonly isShared: boolean;
  /** Requests for /settle, each by a payer of its own. */
  readonly bodies: JsonObject[];
  readonly relayer: Devnet["relayers"][number];
  /** Starts the process that will die. */
  startVictim(): Promise<SteppedProcess>;
  /** Starts one that goes on. */
  serve(): Promise<Served>;
  /** What is stored of each request. */
  settlements(): Promise<(Settlement | undefined)[]>;
  /** The wallet's lease runs out, as it does by itself when its holder is silent. */
  lapse(): Promise<void>;
  /** Whether the facilitator in this process has the wallet. */
  isTaken(): Promise<boolean>;
  /** The last lines of every log, for tests that fail. */
  said(): string;
  stop(): Promise<void>;
}

/** What a ground is for: payments of so many payers, each of whom pays once. */
export interface Purpose {
  readonly payments: number;
  /** Blocks a payment must be deep to count; 1 unless it says otherwise. */
  readonly confirmations?: number;
}

/** Prepares a ground that goes with a test. */
export async function prepareGround(
  bench: CrashBench,
  purpose: Purpose,
  { onTestFailed, onTestFinished }: Pick<TestContext, "onTestFailed" | "onTestFinished">,
): Promise<Ground> {
  const ground = await layGround(bench, purpose);
  onTestFailed(() => void process.stderr.write(ground.said()));
  onTestFinished(() => ground.stop());
  return ground;
}

/** Prepares a ground; who asks for it stops it. */
export async function layGround(
  bench: CrashBench,
  { payments, confirmations = 1 }: Purpose,
): Promise<Ground> {
  const databaseUrl = await bench.createDatabase();
  const devnet = await startChain({ buyers: payments, relayers: 1 });
  await devnet.rpc("evm_setAutomine", [false]);
  const store = await openStore(databaseUrl);
  const env = { FARTHING_CONFIRMATIONS: String(confirmations) };
  const bodies = devnet.buyers.map((payer) => bodyOn(devnet, { payer }));
  const logs: (readonly string[])[] = [];
  const endings: (() => Promise<void>)[] = [];
  return {
    devnet,
    databaseUrl,
    store,
    bodies,
    isShared: bench.isShared,
    relayer: walletAt(devnet.relayers, 0),
    async startVictim() {
      const started = await startStepped(devnet.rpcUrl, (rpcUrl) =>
        environmentOn(devnet, { databaseUrl, rpcUrl, env }),
      );
      endings.push(started.kill);
      logs.push(started.said);
      return started;
    },
    async serve() {
      const lines: string[] = [];
      const log = createLog("info", { write: (line) => lines.push(line.trimEnd()) });
      const served = await serveOn(devnet, { databaseUrl, env, log });
      endings.push(served.stop);
      logs.push(lines);
      return served;
    },
    settlements: () => store.findSettlementsByPair(bodies.map((body) => pairIn(devnet, body))),
    lapse: () => lapseLeases(databaseUrl),
    async isTaken() {
      const { lanes } = await inspectStore(databaseUrl, Date.now());
      return lanes[0]?.holder?.split("/")[1] === String(process.pid);
    },
    said: () => logs.map((lines) => `${lines.join("\n")}\n`).join("\n"),
    async stop() {
      await Promise.all(endings.map((end) => end()));
      await store.close();
      await devnet.stop();
    },
  };
}

function pairIn({ chainId, token: asset }: Devnet, body: JsonObject): Pair {
  return { chainId, asset, ...payerAndNonceOf(body) };
}

/** Asks to settle, as stock clients do: once more when it is pending at first. */
export async function settleAt(url: string, body: JsonObject): Promise<JsonObject> {
  const first = await postSettle(url, body);
  return first["status"] === "pending" ? postSettle(url, body) : first;
}

async function postSettle(url: string, body: JsonObject): Promise<JsonObject> {
  const headers = { "content-type": "application/json" };
  const init = { method: "POST", headers, body: JSON.stringify(body) };
  return (await readAnswer(await fetch(`${url}/settle`, init))).body;
}

/** Follows a settlement as a caller does, until it has its outcome; gives the last page. */
export async function followAt(url: string, id: string): Promise<JsonObject> {
  for (;;) {
    const { body } = await readAnswer(await fetch(`${url}/settlements/${id}?wait=30`));
    if (body["status"] !== "pending") return body;
  }
}

/** Pause between looks, and between blocks while something is waited for: a chain that hurries. */
const lookMs = 200;

/**
 * Looks in vain before a test gives up: five minutes. Counted, not timed, since a busy machine may
 * stand still for longer than all of them take; so long because a scene's process takes half a
 * minute to start where several test files share two cores.
 */
const looksMax = 1_500;

/** How long a test may take on a busy machine: a scene of several waits. */
export const patienceMs = 900_000;

/** Makes blocks until something is done; gives what came of it. */
export async function whileMining<T>({ devnet }: Ground, work: Promise<T>): Promise<T> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  done.catch(() => undefined);
  await until("it is done, with blocks", async () => {
    if (!isDone) await devnet.mine();
    return isDone;
  });
  return done;
}

/** Looks again and again until something is so. */
export async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (let looks = 0; !(await isSo()); looks++) {
    if (looks === looksMax) throw new Error(`In vain it was waited until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  }
}
