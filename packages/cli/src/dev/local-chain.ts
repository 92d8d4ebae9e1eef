/** Installs the local chain's program, once a person has agreed to it, into the user's cache folder. */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { anvilPackage, anvilVersion, findAnvil, howToGetAnvil } from "@farthing/devnet";
import { CanceledError, ConfigurationError, messageOf } from "../command/command-errors.ts";
import { demandYes, isTerminal } from "../input/prompt.ts";
import { whileWaiting } from "../output/waiting.ts";

const size = "44 MB";

/** 44 MB on a line of 0.5 Mbit/s take twelve minutes. */
const installMinutesMax = 15;

/** Enough of npm's output to name the cause. */
const complaintCharactersMax = 1000;

const stopSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** npm would wait for its download. */
const killSignal = "SIGKILL";

const partialPrefix = "partial-";

/**
 * Returns the folder to look for anvil in; installs it there if it is missing. Asks on a terminal
 * unless `isAgreed`. Rejects with a ConfigurationError that says how to get it, or a CanceledError.
 */
export async function prepareLocalChain(isAgreed: boolean | undefined): Promise<string> {
  const cache = cacheFolder();
  const folder = join(cache, `anvil-${anvilVersion}`);
  if (findAnvil(folder) !== undefined) return folder;
  const name = anvilPackage();
  if (name === undefined) throw new ConfigurationError(howToGetAnvil());
  if (isAgreed !== true && !isTerminal()) {
    throw new ConfigurationError(
      `${howToGetAnvil()} Or run this command with --yes, which installs it once in ${folder} (${size}).`,
    );
  }
  const question = `The local chain needs anvil ${anvilVersion}, which is not installed. Install it now in ${folder} (${size})?`;
  await demandYes(question, isAgreed, "Nothing was installed.");
  await whileWaiting(`Installing anvil ${anvilVersion} (${size})`, () =>
    install(`${name}@${anvilVersion}`, cache, folder),
  );
  return folder;
}

/** `farthing` in XDG_CACHE_HOME, or in `~/.cache`. */
function cacheFolder(): string {
  const home = process.env["XDG_CACHE_HOME"];
  // The XDG convention ignores relative paths.
  const base = home?.startsWith("/") === true ? home : join(homedir(), ".cache");
  return join(base, "farthing");
}

/** Installs into a folder of its own, which is renamed once it is complete. */
async function install(what: string, cache: string, folder: string): Promise<void> {
  mkdirSync(cache, { recursive: true });
  removeOldPartials(cache);
  const partial = mkdtempSync(join(cache, partialPrefix));
  try {
    await runNpm(what, partial);
    try {
      renameSync(partial, folder);
    } catch (error) {
      // Another run of the command may have been faster.
      if (findAnvil(folder) === undefined) throw error;
    }
  } catch (cause) {
    if (cause instanceof CanceledError) throw cause;
    const why = messageOf(cause);
    throw new ConfigurationError(
      `Could not install anvil ${anvilVersion}: ${why}\nTry again, or install it beside farthing: npm install @foundry-rs/anvil@${anvilVersion}`,
      { cause },
    );
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
}

/** Those of runs that were killed: no run takes longer. */
function removeOldPartials(cache: string): void {
  const oldest = Date.now() - 2 * installMinutesMax * 60_000;
  for (const name of readdirSync(cache)) {
    const path = join(cache, name);
    if (!name.startsWith(partialPrefix) || statSync(path).mtimeMs > oldest) continue;
    rmSync(path, { recursive: true, force: true });
  }
}

/** npm compares each package with the registry's checksum; no script of a package runs. */
async function runNpm(what: string, folder: string): Promise<void> {
  const flags = ["--prefix", folder, "--global=false", "--ignore-scripts"];
  const quiet = ["--no-audit", "--no-fund", "--loglevel=error"];
  // Nobody waits for npm's own pauses, which add up to 70 seconds without a network.
  const retries = ["--fetch-retries=1", "--fetch-retry-mintimeout=1000"];
  const child = spawn("npm", ["install", ...flags, ...quiet, ...retries, what], {
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe"],
    timeout: installMinutesMax * 60_000,
    killSignal,
  });
  let complaint = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaint = (complaint + text).slice(0, complaintCharactersMax);
  });
  let fault: Error | undefined;
  child.once("error", (error) => (fault = error));
  const stop = (): void => {
    fault = new CanceledError("Canceled. Nothing was installed.");
    child.kill(killSignal);
  };
  for (const signal of stopSignals) process.once(signal, stop);
  try {
    // npm writes to the folder until then.
    const status = await new Promise<number | null>((resolve) => child.once("close", resolve));
    if (status !== 0) throw fault ?? new Error(complaint.trim() || `npm ended with ${status}`);
  } finally {
    for (const signal of stopSignals) process.off(signal, stop);
  }
}
