/** The facilitator's process of a run, which is started, killed, stopped and started again. */
import { fileURLToPath } from "node:url";
import { programFile } from "@farthing/lab/programs";
import { startServerProcess, type ServerProcess } from "@farthing/lab/server-process";
import type { ObservedFaults } from "./observed-faults.ts";
import { withMutant } from "../model/mutants/in-place.ts";
import { clockSignal, createClockFile } from "./stepped-clock.ts";
import type { Trace } from "./trace.ts";
import { clockFileName } from "./virtual-time.ts";

/** A facilitator's process, and its successors. */
export interface FacilitatorChild {
  /** Where it listens; undefined while it does not run. */
  url(): string | undefined;
  /** Starts it, repeatedly while its self-check of the nodes fails. */
  start(): Promise<void>;
  /** As `kill -9` does. */
  kill(): Promise<void>;
  /** As an operator does. */
  stop(): Promise<void>;
  /** As a deployment does: the next one serves before this one is stopped. */
  handOver(): Promise<void>;
  /** Sets its clock so many seconds ahead of the time. */
  stepClock(seconds: number): void;
  /** Removes what it leaves on the disk. */
  cleanUp(): void;
  /** How often it ended without being told to, after it had begun to serve. */
  crashes(): number;
}

const source = new URL("facilitator-process.ts", import.meta.url);
const program = programFile(source);

/** A run gives up after so many failed starts; each of them meets other faults of the transport. */
const startsMax = 40;

/** A stop in order waits for the answers that are still held, 30 s of run time at most. */
const stopMs = 10_000;

interface FacilitatorChildDeps {
  readonly env: Readonly<Record<string, string>>;
  /** The name of a mutant that is in place. */
  readonly mutant: string | undefined;
  readonly trace: Trace;
  readonly observedFaults: ObservedFaults;
}

/** Prepares a facilitator without starting it. */
export function createFacilitatorChild(deps: FacilitatorChildDeps): FacilitatorChild {
  const { env, trace, observedFaults } = deps;
  // A bundle has no modules that a mutant could take the place of.
  const argv = deps.mutant === undefined ? [program] : [fileURLToPath(source)];
  const mutated = withMutant(deps.mutant);
  const clockFile = createClockFile();
  let child: ServerProcess | undefined;
  let wrongBy = 0;
  let crashes = 0;
  let tail: Promise<void> = Promise.resolve();

  /** One after the other: a start that meets a kill would leave a process behind. */
  function inTurn(step: () => Promise<void>): Promise<void> {
    const run = tail.then(step, step);
    tail = run.catch(() => undefined);
    return run;
  }

  /** Where it listens; a process that was told to end takes no more requests. */
  const url = () => (child?.isTold() === false ? child.url() : undefined);

  async function startOnce(): Promise<boolean> {
    const started = startServerProcess({
      argv: ["--conditions=@farthing/source", ...mutated.parameters, ...argv],
      env: { ...env, ...mutated.env, [clockFileName]: clockFile.path },
      addressLine: /^(http:\S+)$/,
      stopMs,
      onLine: (line) => trace.note(`  [${started.pid}] ${line}`),
    });
    const serves = await started.listening.then(
      () => true,
      () => false,
    );
    if (!serves) return false;
    child = started;
    // Its clock may have been set after it had read by how much it is wrong.
    process.kill(started.pid, clockSignal);
    trace.note(`facilitator [${started.pid}] serves`);
    void noteCrash(started);
    return true;
  }

  async function noteCrash(started: ServerProcess): Promise<void> {
    const how = await started.ended;
    if (started.isTold()) return;
    crashes++;
    trace.note(`facilitator [${started.pid}] ended by itself: ${how}`);
  }

  async function start(): Promise<void> {
    for (let tries = 0; tries < startsMax; tries++) if (await startOnce()) return;
    throw new Error("the facilitator does not start");
  }

  async function end(ending: ServerProcess | undefined, signal: "SIGKILL" | "SIGTERM") {
    if (ending?.url() === undefined || ending.isTold()) return;
    if (child === ending) {
      observedFaults.note(signal === "SIGKILL" ? "crash: killed" : "crash: stopped");
    }
    const how = await (signal === "SIGKILL" ? ending.kill() : ending.stop());
    if (signal === "SIGTERM" && how === "SIGKILL") trace.note("facilitator did not stop in time");
    trace.note(`facilitator [${ending.pid}] ended by ${signal}`);
  }

  function stepClock(seconds: number): void {
    if (seconds === wrongBy) return;
    wrongBy = seconds;
    clockFile.write(seconds);
    if (!child || url() === undefined) return;
    process.kill(child.pid, clockSignal);
    observedFaults.note("clock: stepped");
  }

  return {
    url,
    stepClock,
    cleanUp: () => clockFile.remove(),
    start: () => inTurn(async () => (url() === undefined ? start() : undefined)),
    kill: () => inTurn(() => end(child, "SIGKILL")),
    stop: () => inTurn(() => end(child, "SIGTERM")),
    handOver: () =>
      inTurn(async () => {
        const old = child;
        const wasServing = url() !== undefined;
        await start();
        if (wasServing) observedFaults.note("crash: handed over");
        await end(old, "SIGTERM");
      }),
    crashes: () => crashes,
  };
}
