/** The facilitator's process as a run handles it: started, killed, stopped in order, started again. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Bites } from "./bites.ts";
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
  /** As a deployment does: the next one serves before this one is stopped. */
  handOver(): Promise<void>;
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
  bites: Bites,
): FacilitatorChild {
  let child: ChildProcess | undefined;
  let url: string | undefined;
  let crashes = 0;
  let tail: Promise<void> = Promise.resolve();
  const told = new WeakSet<ChildProcess>();

  /** One after the other: a start that meets a kill would leave a process behind. */
  function inTurn(step: () => Promise<void>): Promise<void> {
    const run = tail.then(step, step);
    tail = run.catch(() => undefined);
    return run;
  }

  async function startOnce(): Promise<boolean> {
    const started = spawn(process.execPath, ["--conditions=@farthing/source", program], {
      env: { PATH: process.env["PATH"], ...env },
      stdio: ["pipe", "pipe", "pipe"],
    });
    const exited = once(started, "exit");
    const name = `[${started.pid}]`;
    createInterface({ input: started.stderr }).on("line", (line) =>
      trace.note(`  ${name} ${line}`),
    );
    const line = await Promise.race([
      once(createInterface({ input: started.stdout }), "line"),
      exited.then(() => undefined),
    ]);
    if (line === undefined) return false;
    child = started;
    url = String(line[0]);
    trace.note(`facilitator ${name} serves`);
    started.once("exit", (code, signal) => {
      if (told.has(started)) return;
      if (child === started) url = undefined;
      crashes++;
      trace.note(`facilitator ${name} ended by itself: ${String(code)} ${String(signal)}`);
    });
    return true;
  }

  async function start(): Promise<void> {
    for (let tries = 0; tries < startsMax; tries++) if (await startOnce()) return;
    throw new Error("the facilitator does not start");
  }

  async function end(ending: ChildProcess | undefined, signal: "SIGKILL" | "SIGTERM") {
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return;
    told.add(ending);
    const isLast = child === ending;
    if (isLast) bites.note(signal === "SIGKILL" ? "crash: killed" : "crash: stopped");
    if (isLast) url = undefined;
    const exited = once(ending, "exit");
    ending.kill(signal);
    const late = setTimeout(() => {
      trace.note("facilitator did not stop in time");
      ending.kill("SIGKILL");
    }, stopMs);
    await exited;
    clearTimeout(late);
    trace.note(`facilitator [${ending.pid}] ended by ${signal}`);
  }

  return {
    url: () => url,
    start: () => inTurn(async () => (url === undefined ? start() : undefined)),
    kill: () => inTurn(() => end(child, "SIGKILL")),
    stop: () => inTurn(() => end(child, "SIGTERM")),
    handOver: () =>
      inTurn(async () => {
        const old = child;
        const wasServing = url !== undefined;
        await start();
        if (wasServing) bites.note("crash: handed over");
        await end(old, "SIGTERM");
      }),
    crashes: () => crashes,
  };
}
