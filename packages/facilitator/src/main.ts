/** The process: starts with the environment's configuration, and stops on SIGINT and SIGTERM. */
import { once } from "node:events";
import { Fault, messageOf, sentenceOf, systemClock } from "@farthing/engine/base";
import { readConfig } from "./config/config.ts";
import { startFacilitator } from "./app.ts";
import { dashboardPath } from "./http/dashboard.ts";

/** Exit status for an unusable configuration. */
const configurationStatus = 3;

/**
 * How long stopping may take in all, in milliseconds: answers, then two requests to a node that is
 * silent. Below the 30 s after which most process managers kill.
 */
const stopMsMax = 25_000;

const statusWords = { ok: "ok  ", warn: "warn", fail: "FAIL" };

const signalStatus = { SIGINT: 130, SIGTERM: 143 } as const;

/** Runs the service until a signal stops it, and sets the exit status. */
export async function serve(options: { selfBuilt: boolean }): Promise<void> {
  const told = listenForSignals();
  // The reader of standard error may be gone; the service must continue.
  process.stderr.on("error", () => undefined);
  try {
    const config = readConfig();
    const facilitator = await startFacilitator({
      config,
      selfBuilt: options.selfBuilt,
      signal: told,
      onListening: (url) => {
        say(`Starting on ${url}: /health answers, /ready says what is waited for`);
      },
      onChecked: (network, lines) => {
        for (const line of lines)
          say(`${statusWords[line.status]} ${network} ${line.name}: ${sentenceOf(line)}`);
      },
    });
    say(`Farthing listens on ${facilitator.url}`);
    const base = config.publicUrl ?? facilitator.url;
    if (!options.selfBuilt) say(`Sellers sign in at ${base}${dashboardPath}`);
    say(`The API is described at ${base}/docs`);
    if (facilitator.metricsUrl !== undefined) say(`Metrics on ${facilitator.metricsUrl}/metrics`);
    if (!told.aborted) await once(told, "abort");
    await facilitator.stop();
  } catch (error) {
    if (error !== told.reason) {
      if (!(error instanceof Fault)) throw error;
      say(`Farthing cannot start:\n${messageOf(error)}`);
      // A chain that never responds would keep timers alive.
      process.exit(configurationStatus);
    }
    say("The start was given up; what was begun is continued at the next one.");
  }
  // Connections to nodes may still be open, and nothing waits for them.
  process.exit(0);
}

const nothingLost = "Ending now: what is stored is continued at the next start.";

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Aborts with the first signal. A second one, or a stop that takes too long, ends the process. */
function listenForSignals(): AbortSignal {
  const stopping = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      if (stopping.signal.aborted) {
        say(`${signal} again. ${nothingLost}`);
        process.exit(signalStatus[signal]);
      }
      say("Stopping: no new requests, what is being signed is finished. Again to end at once.");
      stopping.abort();
      void systemClock.sleep(stopMsMax).then(() => {
        say(`Not done after ${stopMsMax / 1000} s. ${nothingLost}`);
        process.exit(1);
      });
    });
  }
  return stopping.signal;
}
