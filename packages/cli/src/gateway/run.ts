/**
 * `farthing gateway`: runs the gateway from a file, which it reloads on a change and on SIGHUP, or
 * from options.
 */
import { once } from "node:events";
import { isDeepStrictEqual } from "node:util";
import {
  checkServices,
  createGatewayLog,
  inProcessFacilitator,
  GatewayConfigError,
  nameOfFacilitator,
  readyLine,
  startGateway,
  watchFile,
  type Finding,
  type Gateway,
  type GatewayConfig,
} from "@farthing/gateway";
import { defined, writeTo } from "@farthing/protocol";
import type { Command } from "commander";
import { messageOf } from "../command/command-errors.ts";
import { exitCodes, type ExitCode } from "../command/exit-codes.ts";
import {
  addConfigOptions,
  configSource,
  type ConfigOptions,
  type ConfigSource,
} from "./options.ts";
import { loadOperator } from "../command/operator-package.ts";
import { startProblem } from "../command/start-problem.ts";
import { listenForSignals } from "../command/stop-signals.ts";

interface RunOptions extends ConfigOptions {
  readonly dryRun: boolean;
}

/** For responses, then the embedded facilitator's transactions; below the deploy files' 60 s. */
const stopMsMax = 50_000;

export function registerRun(gateway: Command): void {
  addConfigOptions(gateway.command("run", { isDefault: true }))
    .summary("run the gateway")
    .description(
      "Sells the routes of a configuration file. The file is reloaded when it changes and on SIGHUP; if it is invalid, the previous configuration stays active. With --to, the gateway sells a whole API at one price without a file.",
    )
    .option("--dry-run", "require and verify payments without settling them", false)
    .action(async (options: RunOptions, command: Command) => {
      const source = configSource(options, command);
      if (options.printConfig === true && source.text !== undefined) {
        process.exitCode = printConfig(source, source.text);
      } else await run(source, options.dryRun);
    });
}

function printConfig(source: ConfigSource, text: string): ExitCode {
  try {
    source.load();
    writeTo(process.stdout, text);
    return exitCodes.success;
  } catch (error) {
    if (!(error instanceof GatewayConfigError)) throw error;
    print(error.message);
    return exitCodes.configuration;
  }
}

async function run(source: ConfigSource, isDryRun: boolean): Promise<void> {
  const { file } = source;
  // Without a file to reload, SIGHUP says that the terminal is gone.
  const stopping = listenForSignals(file === undefined ? undefined : ["SIGINT", "SIGTERM"]);
  // The gateway keeps running when the reader of its output leaves.
  process.stderr.on("error", () => undefined);
  try {
    const config = source.load();
    const embedded = hasEmbedded(config) ? await startEmbedded(config, stopping) : undefined;
    const rpcUrl = embedded?.nodes.get(config.network.id);
    const inProcess = embedded && { facilitator: inProcessFacilitator(embedded) };
    const gateway = await startGateway({
      config,
      isDryRun,
      log: createGatewayLog(),
      ...inProcess,
      ...defined({ rpcUrl }),
    }).catch(async (error: unknown) => {
      await embedded?.stop();
      throw error;
    });
    print(`The gateway listens on ${gateway.url}${isDryRun ? " and settles nothing" : ""}`);
    if (gateway.metricsUrl !== undefined) print(`Metrics on ${gateway.metricsUrl}/metrics`);
    const watch = file === undefined ? undefined : watchConfig(file, source, gateway, config);
    void reportServices(config, file);
    if (!stopping.aborted) await once(stopping, "abort");
    print("Stopping: requests in progress are completed. Press Ctrl+C again to exit immediately.");
    watch?.stop();
    const stopped = gateway.stop().then(() => embedded?.stop());
    // Connections that are kept alive are not waited for.
    process.exit((await isInTime(stopped)) ? exitCodes.success : exitCodes.general);
  } catch (error) {
    if (error === stopping.reason) process.exit(exitCodes.success);
    const isOfFile = error instanceof GatewayConfigError && file !== undefined;
    print(
      `The gateway cannot start${isOfFile ? ` with ${file}` : ""}:\n${startProblem(error, "--listen or listen.http")}`,
    );
    // Timers of a chain that does not respond would keep the process alive.
    process.exit(exitCodes.configuration);
  }
}

/** Settings that a reload cannot change. */
const restartSettings = ["listen", "trustedProxies", "store"] as const;

/** One line for a gateway that can sell, and otherwise what a buyer would be the first to see. */
async function reportServices(config: GatewayConfig, file: string | undefined): Promise<void> {
  const findings = await checkServices(config);
  const named = file === undefined ? findings.map(nameFlags) : findings;
  const problems = named.filter(({ status }) => status === "fail");
  for (const { name, text, fix } of problems) print(`Not ready: ${name}: ${text}\n  → ${fix}`);
  const { network, payTo } = config;
  for (const { name, text, fix } of named.filter(({ status }) => status === "warn")) {
    print(`Warning: ${name}: ${text}\n  → ${fix}`);
  }
  const facilitators = config.facilitators.map((one) => ({ name: nameOfFacilitator(one) }));
  if (problems.length === 0) {
    print(readyLine({ networks: [network], payees: [payTo], facilitators }));
  }
}

/** The words of the file that options stand for. */
const flagWords = [
  [/\bupstreams\.api(\.url)?\b/g, "--to"],
  [/\bpayTo\b/g, "--pay-to"],
  [/\bfacilitator\.apiKey\b/g, "FARTHING_API_KEY"],
  [/\bfacilitator\.url\b/g, "--facilitator"],
] as const;

function inFlags(words: string): string {
  return flagWords.reduce((all, [setting, flag]) => all.replaceAll(setting, flag), words);
}

function nameFlags({ name, text, fix, status }: Finding): Finding {
  return { name: inFlags(name), text: inFlags(text), fix: inFlags(fix), status };
}

function watchConfig(file: string, source: ConfigSource, gateway: Gateway, config: GatewayConfig) {
  const watch = watchFile(file, () => reload(gateway, config, source));
  process.on("SIGHUP", () => watch.readNow());
  return watch;
}

/** Activates the changed file, or reports why it cannot. */
function reload(gateway: Gateway, before: GatewayConfig, source: ConfigSource): void {
  try {
    const config = source.load();
    if (hasEmbedded(config) !== hasEmbedded(before)) {
      throw new Error("Adding or removing an embedded facilitator requires a restart.");
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

function hasEmbedded({ facilitators }: GatewayConfig): boolean {
  return facilitators.some(({ kind }) => kind === "embedded");
}

async function startEmbedded({ network }: GatewayConfig, signal: AbortSignal) {
  const operator = await loadOperator("The embedded facilitator");
  const embedded = await operator.startEmbedded(signal).catch((cause: unknown) => {
    if (signal.aborted) throw cause;
    throw new Error(
      `${messageOf(cause)}\nThat is the facilitator inside the gateway; --facilitator https://… uses another one.`,
      { cause },
    );
  });
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

function print(line: string): void {
  writeTo(process.stderr, `${line}\n`);
}
