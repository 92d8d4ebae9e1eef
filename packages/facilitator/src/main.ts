/** The process: start with the environment's configuration, stop on SIGINT and SIGTERM. */
import { sentenceOf } from "./base/check-line.ts";
import { Fault, messageOf } from "./base/fault.ts";
import { readConfig } from "./config.ts";
import { startFacilitator } from "./facilitator.ts";

/** Exit status for a configuration that cannot be served with. */
const configurationStatus = 3;

/** As wide as each other, so that lines stand below each other. */
const statusWords = { ok: "ok  ", warn: "warn", fail: "FAIL" };

/** Runs the service until it is told to stop; sets the exit status. */
export async function serve(options: { selfBuilt: boolean }): Promise<void> {
  try {
    const facilitator = await startFacilitator({
      config: readConfig(),
      selfBuilt: options.selfBuilt,
      onChecked: (network, lines) => {
        for (const line of lines)
          say(`${statusWords[line.status]} ${network} ${line.name}: ${sentenceOf(line)}`);
      },
    });
    say(`Farthing listens on ${facilitator.url}`);
    await stopSignal();
    say("Stopping: no new requests, what is being signed is finished.");
    await facilitator.stop();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    say(`Farthing cannot start:\n${messageOf(error)}`);
    process.exitCode = configurationStatus;
    // A chain that never answers would keep timers alive.
    process.exit();
  }
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
}
