/** The subject as a process: started by a shell, killed and started again by the kit. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { request } from "./http-answer.ts";
import { startGroup, type ProcessGroup } from "./process-group.ts";
import { SubjectError, type Subject } from "./subject.ts";

export interface SubjectOptions {
  /** Run by `sh -c`. */
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
  readonly port: number;
  /** Any response below 500 from this path means that the subject is ready. */
  readonly readyPath: string;
  onOutput?(text: string): void;
}

/** A runtime that compiles at its start, on a busy machine. */
const startMsMax = 60_000;
const lookMs = 100;

/** Returns a subject that is not started yet. */
export function createSubjectProcess(options: SubjectOptions): Subject {
  const url = `http://127.0.0.1:${options.port}`;
  let group: ProcessGroup | undefined;
  return {
    url,
    isRunning: () => group !== undefined && !hasEnded(group.child),
    output: () => group?.output() ?? "",
    async kill() {
      const ended = group;
      group = undefined;
      await ended?.kill();
    },
    async start() {
      group = startGroup(options.command, options.env, (text) => options.onOutput?.(text));
      await untilReady(group, `${url}${options.readyPath}`);
    },
  };
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null;

const portHint = " It has to listen on 127.0.0.1, at the port in the variable PORT.";

async function untilReady({ child, output }: ProcessGroup, url: string): Promise<void> {
  const printed = () => `It printed: ${output() || "nothing"}`;
  const until = performance.now() + startMsMax;
  let seen = "";
  for (let left = startMsMax; left > 0; left = until - performance.now()) {
    if (hasEnded(child)) {
      const how = child.signalCode ?? `the exit code ${child.exitCode}`;
      throw new SubjectError(
        `its command ended with ${how}, but has to go on until it is killed. ${printed()}`,
      );
    }
    const { status, isLate } = await request(url, {}, Math.ceil(left));
    if (status !== undefined && status < 500) return;
    seen = isLate
      ? "it took the connection and sent no response."
      : `nobody listens there.${portHint}`;
    if (status !== undefined) seen = `the last one had the status ${status}.`;
    await pause(lookMs);
  }
  throw new SubjectError(
    `GET ${url} had no response below 500 within ${startMsMax / 1000} s: ${seen} ${printed()}`,
  );
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
