/** The process: starts with the environment's configuration, and stops on SIGINT and SIGTERM. */
import { once } from "node:events";
import { Fault, messageOf, sentenceOf, systemClock } from "@farthing/engine/base";
import { readConfig } from "./config/config.ts";
import { startFacilitator } from "./app.ts";
import { dashboardPath } from "./http/site/dashboard.ts";

/** Exit status for an unusable configuration. */
const configurationStatus = 3;

/** For the last responses and two requests to a silent node; managers kill after 30 s. */
const maxStopMs = 25_000;

const statusWords = { ok: "ok  ", warn: "warn", fail: "FAIL" };

const signalStatus = { SIGINT: 130, SIGTERM: 143 } as const;

/** Runs the service until a signal stops it, and sets the exit status. */
export async function serve(options: { selfBuilt: boolean }): Promise<void> {
  const stopSignal = listenForSignals();
  // The reader of standard error may be gone; the service must continue.
  process.stderr.on("error", () => undefined);
  try {
    const config = readConfig();
    const facilitator = await startFacilitator({
      config,
      selfBuilt: options.selfBuilt,
      signal: stopSignal,
      onListening: (url) => {
        printLine(`Starting on ${url}: /health responds, /ready names what the start waits for`);
      },
      onChecked: (network, lines) => {
        for (const line of lines)
          printLine(`${statusWords[line.status]} ${network} ${line.name}: ${sentenceOf(line)}`);
      },
    });
    printLine(`Farthing listens on ${facilitator.url}`);
    const base = config.publicUrl ?? facilitator.url;
    if (!options.selfBuilt) printLine(`Sellers sign in at ${base}${dashboardPath}`);
    printLine(`The API is described at ${base}/docs`);
    if (facilitator.metricsUrl !== undefined)
      printLine(`Metrics on ${facilitator.metricsUrl}/metrics`);
    if (!stopSignal.aborted) await once(stopSignal, "abort");
    await facilitator.stop();
  } catch (error) {
    if (error !== stopSignal.reason) {
      if (!(error instanceof Fault)) throw error;
      printLine(`Farthing cannot start:\n${messageOf(error)}`);
      // A chain that never responds would keep timers alive.
      process.exit(configurationStatus);
    }
    printLine("Start canceled. The next start continues its work.");
  }
  // Connections to nodes may still be open, and nothing waits for them.
  process.exit(0);
}

const nothingLost = "Exiting now. The next start continues stored work.";

function printLine(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Aborts with the first signal. A second one, or a stop that takes too long, ends the process. */
function listenForSignals(): AbortSignal {
  const stopping = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      if (stopping.signal.aborted) {
        printLine(`${signal} again. ${nothingLost}`);
        process.exit(signalStatus[signal]);
      }
      printLine("Stopping: requests in progress are completed. Repeat the signal to exit at once.");
      stopping.abort();
      void systemClock.sleep(maxStopMs).then(() => {
        printLine(`Not done after ${maxStopMs / 1000} s. ${nothingLost}`);
        process.exit(1);
      });
    });
  }
  return stopping.signal;
}
