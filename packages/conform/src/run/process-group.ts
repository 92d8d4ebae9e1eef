/** A command line in a process group of its own, which ends with this process at the latest. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";

export interface ProcessGroup {
  readonly child: ChildProcess;
  /** The last of what it printed. */
  output(): string;
  /** Ends all of it at once; resolves when its first process is gone. */
  kill(): Promise<void>;
}

/** Enough of the output to name the cause: a server says the same at each request. */
const outputCharactersMax = 4_000;
const outputLinesMax = 20;

/** Groups that run. */
const running = new Set<number>();
function killAll(): void {
  for (const group of running) killGroup(group);
}

let isWatching = false;

/**
 * Ends the groups at the end of this process, also by Ctrl+C, which does not reach other groups. A
 * program that listens for the signal ends by itself.
 */
function watchEnd(): void {
  if (isWatching) return;
  isWatching = true;
  process.once("exit", killAll);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(signal, () => {
      killAll();
      if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
    });
  }
}

/** Starts a command line by `sh -c`. */
export function startGroup(
  command: string,
  env: Readonly<Record<string, string>>,
  onOutput: (text: string) => void = () => undefined,
): ProcessGroup {
  watchEnd();
  let output = "";
  const keep = (text: string) => {
    output = (output + text).slice(-outputCharactersMax);
    onOutput(text);
  };
  const child = spawn("sh", ["-c", command], {
    // Its own group, so that a kill reaches what the shell has started.
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
  const { pid } = child;
  if (pid !== undefined) running.add(pid);
  child.stdout.setEncoding("utf8").on("data", keep);
  child.stderr.setEncoding("utf8").on("data", keep);
  child.once("error", (error) => keep(String(error)));
  return {
    child,
    output: () => output.trim().split("\n").slice(-outputLinesMax).join("\n"),
    async kill() {
      if (pid === undefined) return;
      const closed = once(child, "close");
      killGroup(pid);
      if (child.exitCode === null && child.signalCode === null) await closed;
      running.delete(pid);
    },
  };
}

function killGroup(group: number): void {
  try {
    process.kill(-group, "SIGKILL");
  } catch {
    // It has ended.
  }
}
