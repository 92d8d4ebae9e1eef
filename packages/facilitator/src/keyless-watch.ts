/**
 * Watches the gas budget of callers without a key: a metric, one log line when a half of it is four
 * fifths used and one when it is not any more, and the removal of counters whose window is over.
 */
import type { Network } from "@farthing/protocol";
import type { Clock } from "./base/clock.ts";
import { messageOf } from "./base/fault.ts";
import type { Log } from "./base/log.ts";
import { gasHalves, halfOf, notedShare, type GasHalf } from "./model/keyless.ts";
import type { Store } from "./storage/store.ts";

/** Pause between looks: a budget of a day does not run out unseen in a minute's tenth of it. */
const lookMs = 60_000;

/** Counters removed in one statement: a few milliseconds of the database. */
const prunedMax = 1_000;

/** Watches until it is stopped. */
export function startKeylessWatch(options: {
  readonly networks: readonly Network[];
  /** Of a day, in gwei; null for no bound. */
  readonly budgetGwei: number | null;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  /** Told the used share of each half, 0 to 1. */
  readonly note: (network: Network, half: GasHalf, share: number) => void;
}): { stop(): Promise<void> } {
  const { networks, budgetGwei, store, clock, log, note } = options;
  const high = new Set<string>();
  const stopping = new AbortController();

  async function look(network: Network, budget: number): Promise<void> {
    const { chainId } = network;
    const used = await store.readKeylessGas(chainId, clock.nowMs());
    for (const half of gasHalves) {
      const share = used[half] / halfOf(budget);
      note(network, half, share);
      const key = `${chainId}:${half}`;
      const isHigh = share >= notedShare;
      if (isHigh === high.has(key)) continue;
      const fields = { chainId, half, usedPercent: Math.round(share * 100) };
      if (isHigh) {
        high.add(key);
        log.warn({ event: "keyless_gas_high", ...fields }, "Keyless gas budget is almost used up");
      } else {
        high.delete(key);
        log.info({ event: "keyless_gas_normal", ...fields }, "Keyless gas budget has refilled");
      }
    }
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        if (budgetGwei !== null) {
          for (const network of networks) await look(network, budgetGwei);
        }
        // Until all that is over is gone; new ones come slower than they are removed.
        while ((await store.pruneKeyless(clock.nowMs(), prunedMax)) === prunedMax) {
          if (stopping.signal.aborted) return;
        }
      } catch (error) {
        log.warn(
          { event: "keyless_watch_failed", problem: messageOf(error) },
          "Keyless gas budget could not be read",
        );
      }
      await clock.sleep(lookMs, stopping.signal);
    }
  }

  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
