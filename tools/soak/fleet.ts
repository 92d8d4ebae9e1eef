/**
 * The facilitators of a soak, on one database and with the same wallets. Whichever ends is followed
 * by another one, as a process manager does it.
 */
import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { programFile } from "@farthing/lab/programs";
import { startServerProcess, type ServerProcess } from "@farthing/lab/server-process";

/** A fleet of facilitators. */
export interface Fleet {
  /** Those that serve now, neither killed nor frozen, in order. */
  serving(): readonly ServerProcess[];
  /** Resolves when all serve. */
  whole(): Promise<void>;
  /** Those that ended without being told to, with their last words. */
  crashes(): readonly string[];
  /** Stops all processes and waits; returns the ends that were not in order. */
  stop(): Promise<readonly string[]>;
}

/** How to start a fleet. */
export interface FleetOptions {
  readonly processes: number;
  readonly env: Readonly<Record<string, string>>;
  /** Folder that each process's log is written to. */
  readonly logs: string | undefined;
  /** Receives every line of a process. */
  onLine(pid: number, line: string): void;
}

const bin = programFile(new URL("../../packages/cli/bin/farthing.js", import.meta.url));

/** Starts of one place in the fleet at most: more than any soak kills. */
const startsMax = 10_000;

/** Starts all; resolves when they serve. */
export async function startFleet(options: FleetOptions): Promise<Fleet> {
  const { processes, env, logs } = options;
  if (logs !== undefined) mkdirSync(logs, { recursive: true });
  const running: ServerProcess[] = [];
  const crashes: string[] = [];
  const stopping = new AbortController();

  function start(place: number): ServerProcess {
    const onLine = (line: string) => {
      options.onLine(started.pid, line);
      if (logs === undefined) return;
      appendFileSync(join(logs, `facilitator-${place}.log`), `[${started.pid}] ${line}\n`);
    };
    const started = startServerProcess({ argv: [bin, "serve"], env, onLine });
    running[place] = started;
    return started;
  }

  async function keep(place: number): Promise<void> {
    for (let starts = 0; starts < startsMax && !stopping.signal.aborted; starts++) {
      const started = start(place);
      const how = await started.ended;
      if (started.isTold()) continue;
      crashes.push(`process ${started.pid} ended by itself: ${how}\n    ${started.lastLines()}`);
    }
  }

  async function whole(): Promise<void> {
    await Promise.all(running.map(({ listening }) => listening));
  }

  const keeping = Array.from({ length: processes }, (_, place) => keep(place));
  // A frozen process does not notice the end of its parent.
  const endAll = () => running.forEach((one) => void one.kill());
  process.once("exit", endAll);
  try {
    await whole();
  } catch (error) {
    stopping.abort();
    endAll();
    throw error;
  }

  return {
    serving: () =>
      running.filter((one) => one.url() !== undefined && !one.isTold() && !one.isFrozen()),
    whole,
    crashes: () => crashes,
    async stop() {
      stopping.abort();
      const ends = await Promise.all(
        running.map(async (one) => {
          const how = await one.stop();
          return how === "0" ? [] : [`process ${one.pid} was told to stop and ended with ${how}`];
        }),
      );
      await Promise.all(keeping);
      process.off("exit", endAll);
      return ends.flat();
    },
  };
}
