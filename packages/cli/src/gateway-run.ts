/** `farthing gateway`: the gateway as a process, reloaded by its file or SIGHUP. */
import { once } from "node:events";
import { isDeepStrictEqual } from "node:util";
import {
  createGatewayLog,
  inProcessFacilitator,
  GatewayConfigError,
  loadGatewayConfig,
  startGateway,
  watchFile,
  type Gateway,
  type GatewayConfig,
} from "@farthing/gateway";
import { writeTo } from "@farthing/protocol";
import type { Command } from "commander";
import { exitCodes } from "./exit-codes.ts";
import { loadOperator } from "./operator-package.ts";

interface RunOptions {
  readonly config: string;
  readonly dryRun: boolean;
}

/** Where the file is when nothing else is said. */
export const configDefault = "gateway.yaml";

/**
 * How long stopping may take in all, in milliseconds: the gateway's answers and then the engine's
 * last transactions. Below the 60 s that deploy files give.
 */
const stopMsMax = 50_000;

/** Exit status of a process that a signal ended: 128 and the signal's number. */
const signalStatus = { SIGINT: 130, SIGTERM: 143 } as const;

/** Adds what `farthing gateway` does when nothing else is named. */
export function registerRun(gateway: Command): void {
  gateway
    .command("run", { isDefault: true })
    .summary("run the gateway")
    .description(
      "Sells the routes of a configuration file. The file is read again when it changes and on SIGHUP; while it is wrong, the last good one stays in force.",
    )
    .option("-c, --config <file>", "the configuration", configDefault)
    .option("--dry-run", "challenge and check payments, and settle none", false)
    .action(run);
}

async function run({ config: path, dryRun: isDryRun }: RunOptions): Promise<void> {
  const stopping = listenForSignals();
  // The reader of this output may have left; the gateway keeps running and still stops on a signal.
  process.stderr.on("error", () => undefined);
  try {
    const config = loadGatewayConfig(path, process.env);
    const embedded =
      config.facilitator.kind === "embedded" ? await startEmbedded(config, stopping) : undefined;
    const facilitator = embedded && { facilitator: inProcessFacilitator(embedded) };
    const gateway = await startGateway({
      config,
      isDryRun,
      log: createGatewayLog(),
      ...facilitator,
    }).catch(async (error: unknown) => {
      await embedded?.stop();
      throw error;
    });
    print(`The gateway listens on ${gateway.url}${isDryRun ? " and settles nothing" : ""}`);
    if (gateway.metricsUrl !== undefined) print(`Metrics on ${gateway.metricsUrl}/metrics`);
    const watch = watchFile(path, () => reload(gateway, config, path));
    process.on("SIGHUP", () => watch.readNow());
    if (!stopping.aborted) await once(stopping, "abort");
    print("Stopping: no new requests, those under way are answered. Again to end at once.");
    watch.stop();
    const stopped = gateway.stop().then(() => embedded?.stop());
    // Connections may be kept alive for a while; nothing is waited for any more.
    process.exit((await isInTime(stopped)) ? exitCodes.success : exitCodes.general);
  } catch (error) {
    if (error === stopping.reason) process.exit(exitCodes.success);
    // What is said of the file's text does not name the file.
    const what = error instanceof GatewayConfigError ? ` with ${path}` : "";
    const why = error instanceof Error ? error.message : String(error);
    print(`The gateway cannot start${what}:\n${why}`);
    // A chain that never answers would keep timers alive.
    process.exit(exitCodes.configuration);
  }
}

/** What a reload cannot change. */
const fixedParts = ["listen", "trustedProxies", "store"] as const;

/** Puts the file in force, or says why not. */
function reload(gateway: Gateway, before: GatewayConfig, path: string): void {
  try {
    const config = loadGatewayConfig(path, process.env);
    if (config.facilitator.kind !== before.facilitator.kind) {
      throw new Error("Switching between an embedded and a remote facilitator requires a restart.");
    }
    gateway.reload(config);
    print("The configuration has changed and is in force.");
    const fixed = fixedParts.filter((part) => !isDeepStrictEqual(config[part], before[part]));
    if (fixed.length > 0) print(`With a restart only: ${fixed.join(", ")}.`);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    gateway.refuseReload(problem);
    const what = error instanceof GatewayConfigError ? "is wrong" : "cannot be put in force";
    print(`The configuration ${what}; the last good one stays:\n${problem}`);
  }
}

async function startEmbedded({ network }: GatewayConfig, signal: AbortSignal) {
  const operator = await loadOperator("The embedded facilitator");
  const embedded = await operator.startEmbedded(signal);
  if (embedded.networks.includes(network.id)) return embedded;
  await embedded.stop();
  throw new Error(
    `The embedded facilitator has no node for ${network.id}; set FARTHING_RPC_${network.chainId}.`,
  );
}

async function isInTime(stopped: Promise<void>): Promise<boolean> {
  const late = new Promise<boolean>((resolve) => {
    setTimeout(() => resolve(false), stopMsMax).unref();
  });
  return Promise.race([stopped.then(() => true), late]);
}

/** Aborts with the first signal; a second one ends the process at once. */
function listenForSignals(): AbortSignal {
  const stopping = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      if (stopping.signal.aborted) process.exit(signalStatus[signal]);
      stopping.abort();
    });
  }
  return stopping.signal;
}

function print(line: string): void {
  writeTo(process.stderr, `${line}\n`);
}
