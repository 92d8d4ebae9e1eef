/**
 * The environment of a crash: a chain whose blocks the test makes, a database, a wallet, a process
 * that uses the wallet and dies, and a facilitator in this process that continues.
 */
import type { Devnet } from "@farthing/devnet";
import type { JsonObject } from "@farthing/protocol";
import type { TestContext } from "vitest";
import type { AuthorizationKey, Settlement } from "@farthing/engine";
import { createLog } from "@farthing/engine/base";
import { lapseLeases, prolongLeases } from "@farthing/engine/source/storage/lapse-leases.testing";
import { inspectStore } from "@farthing/engine/storage";
import {
  bodyOn,
  environmentOn,
  payerAndNonceOf,
  readResponse,
  serveOn,
  startChain,
  walletAt,
  type Served,
} from "../support/facilitator.testing.ts";
import { startStepped, type SteppedProcess } from "./stepped-process.testing.ts";
import { openStore, type ServiceStore } from "../../src/features/open-store.ts";

/** Creates databases, and tells how another process takes over. */
export interface DatabaseProvider {
  createDatabase(): Promise<string>;
  /** Whether processes share it: the second one then runs before the first one dies. */
  readonly isShared: boolean;
}

/** The environment. */
export interface CrashEnvironment {
  readonly devnet: Devnet;
  readonly databaseUrl: string;
  /** Reads the same database. */
  readonly store: ServiceStore;
  readonly isShared: boolean;
  /** Requests for /settle, each by a payer of its own. A refund is sent to /v1/refunds instead. */
  readonly bodies: JsonObject[];
  /** The requests of those that are refunds. */
  readonly refunds: Map<JsonObject, RefundCall>;
  readonly relayer: Devnet["relayers"][number];
  /** Starts the process that will die. */
  startVictim(): Promise<SteppedProcess>;
  /** Starts one that takes over. */
  serve(): Promise<Served>;
  /** The stored settlement of each request. */
  settlements(): Promise<(Settlement | undefined)[]>;
  /** Lets the wallet's lease expire, as it does by itself when its holder is silent. */
  lapse(): Promise<void>;
  /** Lets it last, for a process that is held at its start and does not renew it there. */
  prolong(): Promise<void>;
  /** Whether the facilitator in this process has the wallet. */
  isTaken(): Promise<boolean>;
  /** The last lines of every log, for tests that fail. */
  logText(): string;
  stop(): Promise<void>;
}

interface Call {
  readonly body: JsonObject;
  readonly headers: Readonly<Record<string, string>>;
}

/** What the payee of a payment sends to refund it. */
export interface RefundCall extends Call {
  /** The request of the payment, whose money has moved before. */
  readonly payment: JsonObject;
}

/** The number of payers, each of whom pays once. */
export interface EnvironmentOptions {
  readonly payments: number;
  /** Blocks a payment must be deep to count; 1 unless it says otherwise. */
  readonly confirmations?: number;
}

/** Creates an environment that ends with a test. */
export async function prepareEnvironment(
  provider: DatabaseProvider,
  options: EnvironmentOptions,
  { onTestFailed, onTestFinished }: Pick<TestContext, "onTestFailed" | "onTestFinished">,
): Promise<CrashEnvironment> {
  const environment = await createEnvironment(provider, options);
  onTestFailed(() => void process.stderr.write(environment.logText()));
  onTestFinished(() => environment.stop());
  return environment;
}

/** Creates an environment, which the caller stops. */
export async function createEnvironment(
  provider: DatabaseProvider,
  { payments, confirmations = 1 }: EnvironmentOptions,
): Promise<CrashEnvironment> {
  const databaseUrl = await provider.createDatabase();
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
    refunds: new Map(),
    isShared: provider.isShared,
    relayer: walletAt(devnet.relayers, 0),
    async startVictim() {
      const started = await startStepped(devnet.rpcUrl, (rpcUrl) =>
        environmentOn(devnet, { databaseUrl, rpcUrl, env }),
      );
      endings.push(started.kill);
      logs.push(started.logLines);
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
    settlements: () => store.findSettlementsByKey(bodies.map((body) => pairIn(devnet, body))),
    lapse: () => lapseLeases(databaseUrl),
    prolong: () => prolongLeases(databaseUrl),
    async isTaken() {
      const { wallets } = await inspectStore(databaseUrl, Date.now());
      return wallets[0]?.holder?.split("/")[1] === String(process.pid);
    },
    logText: () => logs.map((lines) => `${lines.join("\n")}\n`).join("\n"),
    async stop() {
      await Promise.all(endings.map((end) => end()));
      await store.close();
      await devnet.stop();
    },
  };
}

function pairIn({ chainId, token: asset }: Devnet, body: JsonObject): AuthorizationKey {
  return { chainId, asset, ...payerAndNonceOf(body) };
}

/** Asks to settle, as stock clients do: once more when it is pending at first. */
export async function settleAt(
  url: string,
  body: JsonObject,
  { refunds }: Pick<CrashEnvironment, "refunds">,
): Promise<JsonObject> {
  const call = refunds.get(body);
  const post = () => postTo(url, call ? "/v1/refunds" : "/settle", call ?? { body, headers: {} });
  const first = await post();
  return first["status"] === "pending" ? post() : first;
}

async function postTo(url: string, path: string, { body, headers }: Call): Promise<JsonObject> {
  const own = { "content-type": "application/json", ...headers };
  const init = { method: "POST", headers: own, body: JSON.stringify(body) };
  return (await readResponse(await fetch(url + path, init))).body;
}

/** Polls a settlement until it has its outcome; returns the last page. */
export async function followAt(url: string, id: string): Promise<JsonObject> {
  for (;;) {
    const { body } = await readResponse(await fetch(`${url}/settlements/${id}?wait=30`));
    if (body["status"] !== "pending") return body;
  }
}

/** Pause between checks, and between blocks while a test waits: a faster chain than XDC. */
const lookMs = 200;

/**
 * Checks before a test gives up: five minutes. They are counted, not timed, since a busy machine may
 * stall for longer than all of them take. A process takes half a minute to start where several test
 * files share two cores.
 */
const maxLooks = 1_500;

/** Limit of a test on a busy machine: a scenario has several waits. */
export const scenarioTimeoutMs = 900_000;

/** Makes blocks until the work is done; returns its result. */
export async function whileMining<T>({ devnet }: CrashEnvironment, work: Promise<T>): Promise<T> {
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

/** Checks repeatedly until a condition is met. */
export async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (let looks = 0; !(await isSo()); looks++) {
    if (looks === maxLooks) throw new Error(`Waited in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  }
}
