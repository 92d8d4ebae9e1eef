/**
 * A Node program that serves HTTP, as a child process of a test or a tool: it is started, observed,
 * frozen, killed and stopped. A watchdog ends it when its parent is gone.
 *
 *     const facilitator = startServerProcess({ argv: [bin, "serve"], env });
 *     await fetch(`${await facilitator.listening}/health`);
 *     await facilitator.stop();
 */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/** How to start a program. */
export interface ServerProcessOptions {
  /** What Node runs, with its arguments. */
  readonly argv: readonly string[];
  /** The environment, beside PATH and the folder of compiled sources. */
  readonly env: Readonly<Record<string, string>>;
  /** A program that starts Node, such as `taskset` with its arguments. */
  readonly launcher?: readonly string[];
  /**
   * Another runtime, in place of this Node and its watchdog: the program ends by itself at the end
   * of its standard input.
   */
  readonly runtime?: string;
  /** The line of output that names the address; its first group is the URL. */
  readonly addressLine?: RegExp;
  /** Milliseconds for an orderly stop; the default suits `farthing serve`. */
  readonly stopMs?: number;
  /** Receives each line of standard output and standard error. */
  onLine?(line: string): void;
}

/** A program that runs, or has run. */
export interface ServerProcess {
  readonly pid: number;
  /** Resolves with the URL; rejects with the last lines of output when the program ends before. */
  readonly listening: Promise<string>;
  /** Resolves when the process is gone, with its exit status or the signal that ended it. */
  readonly ended: Promise<string>;
  /** Where it listens; undefined before that and after its end. */
  url(): string | undefined;
  /** Whether it was killed or told to stop by its parent. */
  isTold(): boolean;
  isFrozen(): boolean;
  /** Sends SIGKILL; resolves with `ended`. */
  kill(): Promise<string>;
  /** Sends SIGTERM, and SIGKILL when that is not enough; resolves with `ended`. */
  stop(): Promise<string>;
  /** Suspends the process for a time in milliseconds, as a machine that is moved or swaps does. */
  freeze(ms: number): Promise<void>;
  lastLines(): string;
}

const watchdog = new URL("watchdog.js", import.meta.url).href;

const facilitatorAddressLine = /^Farthing listens on (http\S+)$/;

/** A start takes two seconds; several at once on a busy machine take many. */
const startMs = 60_000;

/** `farthing serve` gives up an orderly stop after 25 s. */
const stopDefaultMs = 30_000;

/** Lines of output that are kept, to tell why a program ended. */
const lastLinesMax = 20;

/** Starts a program. */
export function startServerProcess(options: ServerProcessOptions): ServerProcess {
  const child = spawnWatched(options);
  const lastLines: string[] = [];
  const listening = Promise.withResolvers<string>();
  // A caller that only waits for the end need not handle the rejection.
  listening.promise.catch(() => undefined);
  let url: string | undefined;
  let isTold = false;
  let isFrozen = false;

  const observe = (line: string) => {
    options.onLine?.(line);
    lastLines.push(line);
    if (lastLines.length > lastLinesMax) lastLines.shift();
    const found = (options.addressLine ?? facilitatorAddressLine).exec(line)?.[1];
    if (found === undefined || url !== undefined) return;
    url = found;
    listening.resolve(found);
  };
  createInterface({ input: child.stdout }).on("line", observe);
  createInterface({ input: child.stderr }).on("line", observe);

  const startLimit = setTimeout(() => child.kill("SIGKILL"), startMs);
  const ended = endOf(child).then((how) => {
    url = undefined;
    clearTimeout(startLimit);
    listening.reject(new Error(`The process ended (${how}):\n    ${lastLines.join("\n    ")}`));
    return how;
  });
  void listening.promise.then(() => clearTimeout(startLimit)).catch(() => undefined);

  return {
    pid: child.pid ?? 0,
    listening: listening.promise,
    ended,
    url: () => url,
    isTold: () => isTold,
    isFrozen: () => isFrozen,
    kill() {
      isTold = true;
      child.kill("SIGKILL");
      return ended;
    },
    async stop() {
      isTold = true;
      child.kill("SIGTERM");
      const stopLimit = setTimeout(() => child.kill("SIGKILL"), options.stopMs ?? stopDefaultMs);
      const how = await ended;
      clearTimeout(stopLimit);
      return how;
    },
    async freeze(ms) {
      isFrozen = true;
      child.kill("SIGSTOP");
      await new Promise((resolve) => setTimeout(resolve, ms));
      child.kill("SIGCONT");
      isFrozen = false;
    },
    lastLines: () => lastLines.join("\n    "),
  };
}

function spawnWatched({ launcher = [], runtime, argv, env }: ServerProcessOptions) {
  const node = runtime === undefined ? [process.execPath, "--import", watchdog] : [runtime];
  const [program = process.execPath, ...args] = [...launcher, ...node, ...argv];
  const child = spawn(program, args, {
    // A program starts in half the time where another process has compiled its sources.
    env: {
      PATH: process.env["PATH"],
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
      ...env,
    },
    stdio: ["pipe", "pipe", "pipe"],
  });
  // A process that ends closes its end of the pipe; `ended` says so.
  child.stdin.on("error", () => {});
  return child;
}

/** Waits until the process and its output have ended; a program that cannot be started has ended. */
async function endOf(child: ChildProcess): Promise<string> {
  try {
    const [code, signal]: unknown[] = await once(child, "close");
    return String(code ?? signal);
  } catch (error) {
    return String(error);
  }
}
