/**
 * Records calls in groups, beside the requests: no response waits for its entry. Calls of the last
 * second are lost with a process that dies.
 */
import { startPoll, warning, type Runtime } from "@farthing/engine/base";
import { keptDays, type LoggedCall } from "./model.ts";
import type { CallStore } from "./store.ts";

/** People who look at the log right after a call find it. */
const recordEveryMs = 1_000;

/** A group takes the database some ten milliseconds. */
const maxGroup = 500;

/** Waiting calls: ten seconds of a busy process, 4 MB of memory. Later ones are left out. */
const maxWaiting = 5_000;

const removeEveryMs = 60 * 60_000;
const dayMs = 24 * 60 * 60_000;

export interface CallRecorder {
  note(call: LoggedCall): void;
  /** Returns a function that stops, after recording what waits. */
  start(): () => Promise<void>;
}

export function createRecorder(
  deps: Runtime & { readonly store: Pick<CallStore, "recordCalls" | "removeCalls"> },
): CallRecorder {
  const { store, clock, log } = deps;
  let waiting: LoggedCall[] = [];
  let leftOut = 0;

  /** Records what waits; keeps it when the database is unavailable. */
  async function recordWaiting(): Promise<void> {
    while (waiting.length > 0) {
      const group = waiting.slice(0, maxGroup);
      await store.recordCalls(group);
      waiting = waiting.slice(group.length);
    }
    if (leftOut === 0) return;
    const calls = leftOut;
    leftOut = 0;
    log.warn({ event: "calls_left_out", calls }, "Calls left out of the request log");
  }

  async function removeOld(signal: AbortSignal): Promise<void> {
    const madeBefore = clock.nowMs() - keptDays * dayMs;
    while (!signal.aborted && (await store.removeCalls(madeBefore, maxGroup)) === maxGroup);
  }

  const fields = { event: "request_log_failed" };
  const retryLater = warning(log, fields, "Request log not written; trying again shortly");
  return {
    note(call) {
      if (waiting.length < maxWaiting) waiting.push(call);
      else leftOut++;
    },
    start() {
      const recording = startPoll({ clock, pauseMs: recordEveryMs }, () =>
        recordWaiting().catch(retryLater),
      );
      const removal = startPoll({ clock, pauseMs: removeEveryMs }, (signal) =>
        removeOld(signal).catch(retryLater),
      );
      return async () => {
        await Promise.all([recording.stop(), removal.stop()]);
        await recordWaiting().catch(retryLater);
      };
    },
  };
}
