/** The facilitator as an operator runs it: `farthing serve`, a process that can be killed. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { bin } from "./farthing-command.testing.ts";
import { facilitatorEnvironment, type Market } from "./market.testing.ts";

/** A running process. */
export interface FacilitatorProcess {
  readonly url: string;
  /** Ends it without a chance to tidy up; resolves when it is gone. */
  kill(): Promise<void>;
  /** Tells it to stop and gives its exit status. */
  stop(): Promise<number | null>;
}

/** Starts the process on a market's chain and database; resolves when it listens. */
export async function serveFacilitator(
  market: Market,
  more: Readonly<Record<string, string>> = {},
): Promise<FacilitatorProcess> {
  const { devnet, databaseUrl } = market;
  const child = spawn(process.execPath, [bin, "serve"], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { PATH: process.env["PATH"], ...facilitatorEnvironment(devnet, databaseUrl), ...more },
  });
  const said: string[] = [];
  const listening = new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stderr }).on("line", (line) => {
      said.push(line);
      const url = /^Farthing listens on (http\S+)$/.exec(line)?.[1];
      if (url !== undefined) resolve(url);
    });
    child.once("exit", () => reject(new Error(`It ended: ${said.join("\n")}`)));
  });
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  };
  return {
    url: await listening,
    kill: () => end("SIGKILL"),
    async stop() {
      await end("SIGTERM");
      return child.exitCode;
    },
  };
}
