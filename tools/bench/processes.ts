/** The programs that are measured: started, given a core of their own, and asked what they used. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { programFile } from "@farthing/lab/programs";
import { startServerProcess } from "@farthing/lab/server-process";
import { defined } from "@farthing/protocol";

/** What a process has used since it started. */
export interface Usage {
  /** User and system time of all its threads, in seconds. */
  readonly cpuSeconds: number;
  /** Resident memory now, in MiB. */
  readonly memoryMiB: number;
}

/** A program that serves. */
export interface Server {
  readonly url: string;
  readonly pid: number;
  /** Undefined where the system does not tell (it is read from Linux's /proc). */
  usage(): Usage | undefined;
  stop(): Promise<unknown>;
}

/** The core of the program that is measured, and the one of chain and load. */
export const cores = { server: 0, others: 1 } as const;

/** Whether processes can be kept on cores here: Linux with two of them, and util-linux. */
export const canPin = availableParallelism() > 1 && hasTaskset();

function hasTaskset(): boolean {
  try {
    execFileSync("taskset", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Keeps all threads of a process on a core, where that is possible. */
export function pin(pid: number, core: number): void {
  if (canPin) execFileSync("taskset", ["-a", "-c", "-p", `${core}`, `${pid}`], { stdio: "ignore" });
}

/** An orderly stop takes as long as the last payment; the reference has none and waits for ever. */
const stopMs = 12_000;

/** Starts a Node program, or another one, that prints `… listens on http://…`. */
export async function startServer(
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
  runtime?: string,
): Promise<Server> {
  const started = startServerProcess({
    argv,
    env,
    ...defined({ runtime }),
    launcher: canPin ? ["taskset", "-c", `${cores.server}`] : [],
    addressLine: / listens on (http\S+)$/,
    stopMs,
  });
  const { pid } = started;
  return {
    url: await started.listening,
    pid,
    usage: () => readUsage(pid),
    stop: () => started.stop(),
  };
}

/** CPU time of each of so many requests between two marks, and the memory at the second one. */
export function usageBetween(
  [begin, end]: readonly (Usage | undefined)[],
  requests: number,
): { readonly cpuMicros: number; readonly memoryMiB: number } {
  const cpuSeconds = (end?.cpuSeconds ?? Number.NaN) - (begin?.cpuSeconds ?? Number.NaN);
  return { cpuMicros: (cpuSeconds * 1e6) / requests, memoryMiB: end?.memoryMiB ?? Number.NaN };
}

/** Linux counts CPU time in hundredths of a second for programs that ask (USER_HZ). */
const ticksPerSecond = 100;

/** Reads what a process has used, from /proc. */
export function readUsage(pid: number): Usage | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the program's name in brackets, which may hold spaces.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // Fields 14 and 15 of proc(5), counted from the third.
    const ticks = Number(fields[11]) + Number(fields[12]);
    const kib = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return { cpuSeconds: ticks / ticksPerSecond, memoryMiB: Number(kib) / 1024 };
  } catch {
    return undefined;
  }
}

const ownCommand = new URL("../../packages/cli/bin/farthing.js", import.meta.url);

/** Returns the command of a checkout; of this one unless named, which a test run has bundled. */
export const farthingCommand = (checkout: string | undefined): string =>
  checkout === undefined ? programFile(ownCommand) : join(checkout, "packages/cli/bin/farthing.js");
