/** The `farthing` command of this repository, as a person or another program starts it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { programFile } from "@farthing/lab/programs";
import { expect } from "vitest";

/** The command, for Node to run. */
export const bin = programFile(new URL("../../../packages/cli/bin/farthing.js", import.meta.url));

/** Starts the command; `ended` tells its exit code, null after a signal, and what it printed. */
export function startFarthing(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
) {
  const child = spawn(process.execPath, [bin, ...args], {
    // No test asks a public node.
    env: {
      PATH: process.env["PATH"],
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
      FARTHING_RPC_URL: "none",
      ...environment,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const firstComplaint = once(child.stderr, "data").then(([bytes]) => String(bytes));
  const ended = Promise.all([once(child, "exit"), text(child.stdout), text(child.stderr)]);
  return {
    kill: () => child.kill("SIGKILL"),
    /** What it printed first on standard error. */
    firstComplaint,
    ended: ended.then(([, stdout, stderr]) => ({ code: child.exitCode, stdout, stderr })),
  };
}

/** Runs the command and checks that it ends well; gives what it printed. */
export async function runFarthing(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<string> {
  const { code, stdout, stderr: complaint } = await startFarthing(args, environment).ended;
  expect({ code, complaint }).toMatchObject({ code: 0 });
  return stdout;
}
