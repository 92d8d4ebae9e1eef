/** One `farthing serve` of the checkout under test, which ends with the program that started it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { checkout } from "./checkout.ts";

/** A running facilitator. */
export interface FacilitatorProcess {
  readonly url: string;
  stop(): Promise<void>;
}

/** A start takes two seconds; a machine that runs other tests needs more. */
const startTimeoutMs = 60_000;

/** `farthing serve` itself gives up after 25 s. */
const stopTimeoutMs = 30_000;

/** Starts a process; resolves when it listens, and throws with its output when it ends first. */
export async function startFacilitatorProcess(
  env: Readonly<Record<string, string>>,
  flags: readonly string[] = [],
): Promise<FacilitatorProcess> {
  const bin = new URL("packages/cli/bin/farthing.js", checkout());
  const leash = new URL("tools/soak/leash.ts", checkout()).href;
  const child = spawn(process.execPath, ["--import", leash, bin.pathname, "serve", ...flags], {
    // The open standard input is what the leash watches: when this program dies, so does the child.
    stdio: ["pipe", "ignore", "pipe"],
    env: { PATH: process.env["PATH"], FARTHING_PORT: "0", FARTHING_LOG_LEVEL: "silent", ...env },
  });
  const ended = once(child, "close");
  const output: string[] = [];
  const url = await new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => child.kill("SIGKILL"), startTimeoutMs);
    createInterface({ input: child.stderr }).on("line", (line) => {
      output.push(line);
      const found = /^Farthing listens on (http\S+)$/.exec(line)?.[1];
      if (found === undefined) return;
      clearTimeout(timer);
      resolve(found);
    });
    child.once("close", () => {
      clearTimeout(timer);
      reject(new Error(`The facilitator did not start:\n${output.join("\n")}`));
    });
  });
  return {
    url,
    async stop() {
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), stopTimeoutMs);
      await ended;
      clearTimeout(timer);
    },
  };
}
