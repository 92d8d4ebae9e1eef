/** The facilitator as an operator runs it: `farthing serve`, a process that can be killed. */
import { startServerProcess } from "@farthing/lab/server-process";
import { bin } from "./farthing-command.testing.ts";
import { facilitatorEnvironment, type Market } from "./market.testing.ts";

/** A running process. */
export interface FacilitatorProcess {
  readonly url: string;
  /** Ends it without a chance to tidy up; resolves when it is gone. */
  kill(): Promise<unknown>;
  /** Tells it to stop; resolves with its exit status, NaN when a signal ended it. */
  stop(): Promise<number>;
}

/** Starts the process on a market's chain and database; resolves when it listens. */
export async function serveFacilitator(
  { devnet, databaseUrl }: Market,
  more: Readonly<Record<string, string>> = {},
): Promise<FacilitatorProcess> {
  const env = { ...facilitatorEnvironment(devnet, databaseUrl), ...more };
  const started = startServerProcess({ argv: [bin, "serve"], env });
  return {
    url: await started.listening,
    kill: () => started.kill(),
    stop: async () => Number(await started.stop()),
  };
}
