/** The facilitator's process as a run handles it: started, killed, stopped in order, started again. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Trace } from "./trace.ts";

/** A facilitator that comes and goes. */
export interface FacilitatorChild {
  /** Where it listens; undefined while it does not run. */
  url(): string | undefined;
  /** Starts it, again and again while its nodes are too ill for its self-check. */
  start(): Promise<void>;
  /** As `kill -9` does. */
  kill(): Promise<void>;
  /** As an operator does. */
  stop(): Promise<void>;
  /** How often it ended without being told to, after it had begun to serve. */
  crashes(): number;
}

const program = fileURLToPath(new URL("facilitator-process.ts", import.meta.url));

/** Starts that may fail before a run gives up: every one of them meets the road's faults afresh. */
const startsMax = 40;

/** A stop in order waits for the answers that are still held, 30 s of run time at most. */
const stopMs = 10_000;

/** Prepares a facilitator; nothing runs yet. */
export function createFacilitatorChild(
  env: Readonly<Record<string, string>>,
  trace: Trace,
): FacilitatorChild {
  let child: ChildProcess | undefined;
  let url: string | undefined;
  let isTold = false;
  let crashes = 0;
  let tail: Promise<void> = Promise.resolve();

  /** One after the other: a start that meets a kill would leave a process behind. */
  function inTurn(step: () => Promise<void>): Promise<void> {
    const run = tail.then(step, step);
    tail = run.catch(() => undefined);
    return run;
  }

  async function startOnce(): Promise<string | undefined> {
    const started = spawn(process.execPath, ["--conditions=@farthing/source", program], {
      env: { PATH: process.env["PATH"], ...env },
      stdio: ["pipe", "pipe", "pipe"],
    });
    child = started;
    isTold = false;
    const exited = once(started, "exit");
    createInterface({ input: started.stderr }).on("line", (line) => trace.note(`  ${line}`));
    const line = await Promise.race([
      once(createInterface({ input: started.stdout }), "line"),
      exited.then(() => undefined),
    ]);
    if (line === undefined) return undefined;
    void exited.then(([code, signal]) => {
      url = undefined;
      if (isTold) return;
      crashes++;
      trace.note(`facilitator ended by itself: ${String(code)} ${String(signal)}`);
    });
    return String(line[0]);
  }

  async function end(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    const ending = child;
    child = undefined;
    url = undefined;
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return;
    isTold = true;
    const exited = once(ending, "exit");
    ending.kill(signal);
    const late = setTimeout(() => {
      trace.note("facilitator did not stop in time");
      ending.kill("SIGKILL");
    }, stopMs);
    await exited;
    clearTimeout(late);
    trace.note(`facilitator ended by ${signal}`);
  }

  return {
    url: () => url,
    start: () =>
      inTurn(async () => {
        if (url !== undefined) return;
        for (let tries = 0; tries < startsMax && url === undefined; tries++)
          url = await startOnce();
        if (url === undefined) throw new Error("the facilitator does not start");
        trace.note("facilitator serves");
      }),
    kill: () => inTurn(() => end("SIGKILL")),
    stop: () => inTurn(() => end("SIGTERM")),
    crashes: () => crashes,
  };
}
