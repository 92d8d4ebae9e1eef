/** Exit status of a process that a signal ended: 128 and the signal's number. */
const signalStatus = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** Aborts with the first of the signals; a second one ends the process at once. */
export function listenForSignals(
  signals: readonly (keyof typeof signalStatus)[] = ["SIGINT", "SIGTERM", "SIGHUP"],
): AbortSignal {
  const stopping = new AbortController();
  for (const signal of signals) {
    process.on(signal, () => {
      if (stopping.signal.aborted) process.exit(signalStatus[signal]);
      stopping.abort();
    });
  }
  return stopping.signal;
}
