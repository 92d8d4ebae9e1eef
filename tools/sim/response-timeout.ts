/**
 * How long a caller waits for a response. A run's time passes as fast on a busy machine, where everything
 * takes longer, so that time alone would give up a service that only has to wait for its turn. What
 * counts is that the process that was asked has answered other questions meanwhile, one after the other.
 */
import type { Clock } from "@farthing/facilitator";

/** When callers give up. */
export interface ResponseTimeouts {
  /**
   * Resolves, with the reason, when a caller that asks the process at this address now has waited long
   * enough. Does not resolve after the signal.
   */
  end(url: string, settled: AbortSignal): Promise<string>;
}

export interface ResponseTimeoutDeps {
  readonly clock: Clock;
  /** Asks the chain's node something small, which the service needs for each payment. */
  askNode(): Promise<unknown>;
}

/** Between two questions: with their number this is 60 s of the run's time, and a process holds 30. */
const roundMs = 2_000;

/** Questions that a process answers before a caller gives up. */
const roundsMax = 30;

/** By the machine's clock: a process that answers no small question for so long has stopped working. */
const stillMsMax = 120_000;

/** Where any process says that it lives. */
const livePath = "/health";

interface Waiting {
  rounds: number;
  give(why: string): void;
}

/** Those who wait for one process, until nobody does. */
interface Watch {
  readonly waiting: Set<Waiting>;
  readonly over: AbortController;
}

/** Creates the timeouts; processes are asked only while somebody waits for one. */
export function createResponseTimeouts({ clock, askNode }: ResponseTimeoutDeps): ResponseTimeouts {
  const watches = new Map<string, Watch>();

  /** Whether the process and the chain have answered; an end of the process is noticed by the callers. */
  async function answers(url: string): Promise<boolean> {
    const signal = AbortSignal.timeout(stillMsMax);
    try {
      const response = await fetch(`${url}${livePath}`, { signal });
      await response.text();
      await askNode();
      return true;
    } catch {
      return !signal.aborted;
    }
  }

  async function watch(url: string, { waiting, over }: Watch): Promise<void> {
    while (!over.signal.aborted) {
      // Who comes in the middle of a round is counted from the next one on.
      const present = [...waiting];
      await clock.sleep(roundMs, over.signal);
      if (over.signal.aborted) return;
      const isAlive = await answers(url);
      for (const one of present) {
        one.rounds++;
        if (!isAlive) one.give("the process answers nothing");
        else if (one.rounds >= roundsMax) one.give(`it answered ${roundsMax} other questions`);
      }
    }
  }

  function begin(url: string): Watch {
    const begun = { waiting: new Set<Waiting>(), over: new AbortController() };
    watches.set(url, begun);
    void watch(url, begun);
    return begun;
  }

  return {
    end: (url, settled) =>
      new Promise((resolve) => {
        if (settled.aborted) return;
        const one: Waiting = { rounds: 0, give: resolve };
        const { waiting, over } = watches.get(url) ?? begin(url);
        waiting.add(one);
        const leave = () => {
          waiting.delete(one);
          if (waiting.size > 0) return;
          watches.delete(url);
          over.abort();
        };
        settled.addEventListener("abort", leave, { once: true });
      }),
  };
}
