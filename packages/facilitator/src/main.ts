/** The process: start with the environment's configuration, stop on SIGINT and SIGTERM. */
import { once } from "node:events";
import { Fault, messageOf, sentenceOf, systemClock } from "@farthing/engine/base";
import { readConfig } from "./config/config.ts";
import { startFacilitator } from "./app.ts";
import { dashboardPath } from "./http/dashboard.ts";

/** Exit status for a configuration that cannot be served with. */
const configurationStatus = 3;

/**
 * How long stopping may take in all, in milliseconds: answers, then two requests to a node that is
 * silent. Below the 30 s after which most process managers kill.
 */
const stopMsMax = 25_000;

/** As wide as each other, so that lines stand below each other. */
const statusWords = { ok: "ok  ", warn: "warn", fail: "FAIL" };

/** Exit status of a process that a signal ended: 128 and the signal's number. */
const signalStatus = { SIGINT: 130, SIGTERM: 143 } as const;

/** Runs the service until it is told to stop; sets the exit status. */
export async function serve(options: { selfBuilt: boolean }): Promise<void> {
  const told = listenForSignals();
  // Whoever read what is said here may be gone; the service goes on, and still stops when told.
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
      // A chain that never answers would keep timers alive.
      process.exit(configurationStatus);
    }
    say("The start was given up; what was begun is continued at the next one.");
  }
  // Connections to nodes may be kept alive for a while; nothing is waited for any more.
  process.exit(0);
}

const nothingLost = "Ending now: what is stored is continued at the next start.";

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Aborts with the first signal; a second one, or too long a stop, ends the process at once. */
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
