/** Runs the real farthing command, as a user's shell does. */
import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { programFile } from "@farthing/lab/programs";
import { testKey } from "@farthing/buyer/testing";

const bin = programFile(new URL("../../bin/farthing.js", import.meta.url));

/** What a run left behind. */
export interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** How to run it. */
export interface RunOptions {
  /** Beside PATH; a wallet key is there unless it is set to nothing. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Arguments of Node itself. */
  readonly nodeArguments?: readonly string[];
  readonly input?: string;
  /** Called with a function that sends Ctrl+C, or another signal. */
  readonly whileRunning?: (interrupt: (signal?: NodeJS.Signals) => void) => void;
  /** Called with each piece of standard output, and with the same function. */
  readonly onOutput?: (text: string, interrupt: () => void) => void;
}

/** Runs `farthing` with arguments and waits for its end. */
export async function farthing(args: readonly string[], options: RunOptions = {}): Promise<Run> {
  const { environment = {}, nodeArguments = [], input = "" } = options;
  const child = spawn(process.execPath, [...nodeArguments, bin, ...args], {
    env: {
      PATH: process.env["PATH"],
      // A command starts in half the time where another one has compiled its sources.
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
      FARTHING_WALLET_KEY: testKey,
      // No test asks a public node.
      FARTHING_RPC_URL: "none",
      // A ledger, wallets and settings of its own for each run that brings none.
      XDG_CONFIG_HOME: mkdtempSync(join(tmpdir(), "farthing-home-")),
      ...environment,
    },
  });
  const ended = new Promise<number | null>((resolve) => {
    child.once("exit", (code) => resolve(code));
  });
  child.stdin.end(input);
  options.whileRunning?.((signal = "SIGINT") => child.kill(signal));
  child.stdout.on("data", (chunk: Buffer) =>
    options.onOutput?.(chunk.toString(), () => child.kill("SIGINT")),
  );
  const [code, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { code, stdout, stderr };
}

/** Makes the command believe that a person reads its standard output. */
export const onTerminal: RunOptions = {
  nodeArguments: ["--import", "data:text/javascript,process.stdout.isTTY=true"],
};
