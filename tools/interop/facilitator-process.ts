/** One `farthing serve` of the checkout under test, which ends with the program that started it. */
import { startServerProcess } from "@farthing/lab/server-process";
import { checkout } from "./checkout.ts";

/** A running facilitator. */
export interface FacilitatorProcess {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts a process; resolves when it listens, and throws with its output when it ends first. */
export async function startFacilitatorProcess(
  env: Readonly<Record<string, string>>,
  flags: readonly string[] = [],
): Promise<FacilitatorProcess> {
  const bin = new URL("packages/cli/bin/farthing.js", checkout());
  const started = startServerProcess({
    argv: [bin.pathname, "serve", ...flags],
    env: { FARTHING_PORT: "0", FARTHING_LOG_LEVEL: "silent", ...env },
  });
  return {
    url: await started.listening,
    async stop() {
      await started.stop();
    },
  };
}
