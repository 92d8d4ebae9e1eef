/** `farthing gateway`: the gateway as a process, reloaded by its file or SIGHUP. */
import { once } from "node:events";
import { isDeepStrictEqual } from "node:util";
import {
  createGatewayLog,
  facilitatorInside,
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
  const told = listenForSignals();
  // The reader of this output may have left; the gateway keeps running and still stops on a signal.
  process.stderr.on("error", () => undefined);
  try {
    const config = loadGatewayConfig(path, process.env);
    const engine =
      config.facilitator.kind === "embedded" ? await startEngine(config, told) : undefined;
    const facilitator = engine && { facilitator: facilitatorInside(engine) };
    const gateway = await startGateway({
      config,
      isDryRun,
      log: createGatewayLog(),
      ...facilitator,
    }).catch(async (error: unknown) => {
      await engine?.stop();
      throw error;
    });
    say(`The gateway listens on ${gateway.url}${isDryRun ? " and settles nothing" : ""}`);
    if (gateway.metricsUrl !== undefined) say(`Metrics on ${gateway.metricsUrl}/metrics`);
    const watch = watchFile(path, () => reload(gateway, config, path));
    process.on("SIGHUP", () => watch.readNow());
    if (!told.aborted) await once(told, "abort");
    say("Stopping: no new requests, those under way are answered. Again to end at once.");
    watch.stop();
    const stopped = gateway.stop().then(() => engine?.stop());
    // Connections may be kept alive for a while; nothing is waited for any more.
    process.exit((await isInTime(stopped)) ? exitCodes.success : exitCodes.general);
  } catch (error) {
    if (error === told.reason) process.exit(exitCodes.success);
    // What is said of the file's text does not name the file.
    const what = error instanceof GatewayConfigError ? ` with ${path}` : "";
    const why = error instanceof Error ? error.message : String(error);
    say(`The gateway cannot start${what}:\n${why}`);
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
      throw new Error("The engine comes inside, or goes, with a restart only.");
    }
    gateway.reload(config);
    say("The configuration has changed and is in force.");
    const fixed = fixedParts.filter((part) => !isDeepStrictEqual(config[part], before[part]));
    if (fixed.length > 0) say(`With a restart only: ${fixed.join(", ")}.`);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    gateway.refuseReload(problem);
    const what = error instanceof GatewayConfigError ? "is wrong" : "cannot be put in force";
    say(`The configuration ${what}; the last good one stays:\n${problem}`);
  }
}

async function startEngine({ network }: GatewayConfig, signal: AbortSignal) {
  const { readConfig, startFacilitator } = await import("@farthing/facilitator");
  const engine = await startFacilitator({
    config: readConfig(),
    selfBuilt: true,
    listen: false,
    signal,
  });
  if (engine.checks.some((check) => check.network === network.id)) return engine;
  await engine.stop();
  throw new Error(`The engine has no node for ${network.id}; set FARTHING_RPC_${network.chainId}.`);
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

function say(line: string): void {
  writeTo(process.stderr, `${line}\n`);
}
