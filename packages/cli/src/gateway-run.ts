/** `farthing gateway`: runs the gateway, which reloads its file when it changes and on SIGHUP. */
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
import { messageOf } from "./command-errors.ts";
import { exitCodes } from "./exit-codes.ts";
import { loadOperator } from "./operator-package.ts";

interface RunOptions {
  readonly config: string;
  readonly dryRun: boolean;
}

export const configDefault = "gateway.yaml";

/** For responses, then the embedded facilitator's transactions; below the deploy files' 60 s. */
const stopMsMax = 50_000;

/** Exit status of a process that a signal ended: 128 and the signal's number. */
const signalStatus = { SIGINT: 130, SIGTERM: 143 } as const;

export function registerRun(gateway: Command): void {
  gateway
    .command("run", { isDefault: true })
    .summary("run the gateway")
    .description(
      "Sells the routes of a configuration file. The file is reloaded when it changes and on SIGHUP; if it is invalid, the previous configuration stays active.",
    )
    .option("-c, --config <file>", "the configuration", configDefault)
    .option("--dry-run", "require and verify payments without settling them", false)
    .action(run);
}

async function run({ config: path, dryRun: isDryRun }: RunOptions): Promise<void> {
  const stopping = listenForSignals();
  // The gateway keeps running when the reader of its output leaves.
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
    print("Stopping: requests in progress are completed. Press Ctrl+C again to exit immediately.");
    watch.stop();
    const stopped = gateway.stop().then(() => embedded?.stop());
    // Connections that are kept alive are not waited for.
    process.exit((await isInTime(stopped)) ? exitCodes.success : exitCodes.general);
  } catch (error) {
    if (error === stopping.reason) process.exit(exitCodes.success);
    const file = error instanceof GatewayConfigError ? ` with ${path}` : "";
    print(`The gateway cannot start${file}:\n${messageOf(error)}`);
    // Timers of a chain that does not respond would keep the process alive.
    process.exit(exitCodes.configuration);
  }
}

/** Settings that a reload cannot change. */
const restartSettings = ["listen", "trustedProxies", "store"] as const;

/** Activates the changed file, or reports why it cannot. */
function reload(gateway: Gateway, before: GatewayConfig, path: string): void {
  try {
    const config = loadGatewayConfig(path, process.env);
    if (config.facilitator.kind !== before.facilitator.kind) {
      throw new Error("Switching between an embedded and a remote facilitator requires a restart.");
    }
    gateway.reload(config);
    print("Configuration reloaded.");
    const changed = restartSettings.filter(
      (name) => !isDeepStrictEqual(config[name], before[name]),
    );
    if (changed.length > 0) print(`Restart the gateway to change: ${changed.join(", ")}.`);
  } catch (error) {
    const problem = messageOf(error);
    gateway.refuseReload(problem);
    const state = error instanceof GatewayConfigError ? "is invalid" : "cannot be activated";
    print(`The configuration ${state}. The previous one stays active:\n${problem}`);
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
