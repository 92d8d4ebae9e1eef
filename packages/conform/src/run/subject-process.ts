/** The subject as a process group: started by a shell, killed and started again by the kit. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { SubjectError, type Subject } from "./subject.ts";

export interface SubjectOptions {
  /** Run by `sh -c`. */
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
  readonly port: number;
  /** Any response below 500 from this path means that the subject is ready. */
  readonly readyPath: string;
}

/** A runtime that compiles at its start, on a busy machine. */
const startMsMax = 60_000;
const lookMs = 100;
/** Enough of the output to name the cause. */
const outputCharactersMax = 4_000;

/** Groups that run; they end with this process. */
const running = new Set<number>();
function killAll(): void {
  for (const group of running) killGroup(group);
}

let isWatching = false;

/** Ends the groups at the end of this process, also by Ctrl+C, which does not reach other groups. */
function watchEnd(): void {
  if (isWatching) return;
  isWatching = true;
  process.once("exit", killAll);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(signal, () => {
      killAll();
      process.kill(process.pid, signal);
    });
  }
}

/** Returns a subject that is not started yet. */
export function createSubjectProcess(options: SubjectOptions): Subject {
  const url = `http://127.0.0.1:${options.port}`;
  let child: ChildProcess | undefined;
  let output = "";
  const keep = (text: string) => (output = (output + text).slice(-outputCharactersMax));

  async function kill(): Promise<void> {
    const ended = child;
    child = undefined;
    if (ended?.pid === undefined) return;
    const closed = once(ended, "close");
    killGroup(ended.pid);
    if (ended.exitCode === null && ended.signalCode === null) await closed;
    running.delete(ended.pid);
  }

  return {
    url,
    isRunning: () => child !== undefined && child.exitCode === null && child.signalCode === null,
    output: () => output,
    kill,
    async start() {
      output = "";
      watchEnd();
      child = spawn("sh", ["-c", options.command], {
        // Its own group, so that a kill reaches what the shell has started.
        detached: true,
        stdio: ["ignore", "pipe", "pipe"],
        env: { ...process.env, ...options.env },
      });
      if (child.pid !== undefined) running.add(child.pid);
      child.stdout?.setEncoding("utf8").on("data", keep);
      child.stderr?.setEncoding("utf8").on("data", keep);
      child.once("error", (error) => keep(String(error)));
      await untilReady(child, `${url}${options.readyPath}`, () => output);
    },
  };
}

async function untilReady(child: ChildProcess, url: string, output: () => string): Promise<void> {
  const until = performance.now() + startMsMax;
  while (performance.now() < until) {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new SubjectError(`the subject ended at its start: ${output().trim()}`);
    }
    if (await isAnswering(url)) return;
    await pause(lookMs);
  }
  throw new SubjectError(
    `the subject did not answer ${url} within ${startMsMax / 1000} s: ${output().trim()}`,
  );
}

async function isAnswering(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(startMsMax) });
    await response.body?.cancel();
    return response.status < 500;
  } catch {
    return false;
  }
}

function killGroup(group: number): void {
  try {
    process.kill(-group, "SIGKILL");
  } catch {
    // It has ended.
  }
}

/** Returns a port that was free a moment ago. */
export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no port is free");
  return address.port;
}
