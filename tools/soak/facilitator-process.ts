/** One `farthing serve`, from its start to whatever ends it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** A facilitator that runs, or has run. */
export interface FacilitatorProcess {
  readonly pid: number;
  /** Where it listens; undefined before that and after its end. */
  url(): string | undefined;
  /** Whether it was ended, or told to end, on purpose. */
  isTold(): boolean;
  isFrozen(): boolean;
  /** Resolves when it listens; throws with its last words when it ends before. */
  readonly listening: Promise<void>;
  /** Resolves when it is gone, with how it ended: an exit status or a signal. */
  readonly ended: Promise<string>;
  /** As `kill -9` does. */
  kill(): void;
  /** Stops it for so long, as a machine does that is moved or swaps; then it goes on. */
  freeze(ms: number): Promise<void>;
  /** As an operator does: tells it to stop, and gives how it ended. */
  stop(): Promise<string>;
  lastWords(): string;
}

const bin = fileURLToPath(new URL("../../packages/cli/bin/farthing.js", import.meta.url));
const leash = new URL("leash.ts", import.meta.url).href;

/** A start takes a second; several at once on a busy machine take many. */
const startMs = 60_000;

/** `farthing serve` itself gives up after 25 s. */
const stopMs = 30_000;

/** Lines kept of what it says, to tell why it ended. */
const lastLinesMax = 10;

/** Starts one. `onLine` is given what it says, line by line. */
export function startProcess(
  env: Readonly<Record<string, string>>,
  onLine: (line: string) => void,
): FacilitatorProcess {
  const child = spawn(process.execPath, ["--import", leash, bin, "serve"], {
    env: { PATH: process.env["PATH"], ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const lastLines: string[] = [];
  let url: string | undefined;
  let isTold = false;
  let isFrozen = false;
  const listening = Promise.withResolvers<void>();
  // Whoever waits is told; nobody has to.
  listening.promise.catch(() => undefined);
  // Its log; what concerns the process itself is said on standard error.
  createInterface({ input: child.stdout }).on("line", onLine);
  createInterface({ input: child.stderr }).on("line", (line) => {
    onLine(line);
    lastLines.push(line);
    if (lastLines.length > lastLinesMax) lastLines.shift();
    url ??= /^Farthing listens on (http\S+)$/.exec(line)?.[1];
    if (url !== undefined) listening.resolve();
  });
  const lastWords = () => lastLines.join("\n    ");
  const ended = once(child, "close").then(([code, signal]) => {
    url = undefined;
    clearTimeout(late);
    listening.reject(new Error(`A facilitator did not start:\n    ${lastWords()}`));
    return String(code ?? signal);
  });
  const late = setTimeout(() => child.kill("SIGKILL"), startMs);
  void listening.promise.then(() => clearTimeout(late)).catch(() => undefined);

  return {
    pid: child.pid ?? 0,
    url: () => url,
    isTold: () => isTold,
    isFrozen: () => isFrozen,
    listening: listening.promise,
    ended,
    kill() {
      isTold = true;
      child.kill("SIGKILL");
    },
    async freeze(ms) {
      isFrozen = true;
      child.kill("SIGSTOP");
      await new Promise((resolve) => setTimeout(resolve, ms));
      child.kill("SIGCONT");
      isFrozen = false;
    },
    async stop() {
      isTold = true;
      child.kill("SIGTERM");
      const limit = setTimeout(() => child.kill("SIGKILL"), stopMs);
      const how = await ended;
      clearTimeout(limit);
      return how;
    },
    lastWords,
  };
}
