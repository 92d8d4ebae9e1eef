/**
 * Watches the gas budgets: metrics, a log line when four fifths of a half are used and when it has
 * refilled, and the removal of expired counters.
 */
import type { ChainId, Network } from "@farthing/protocol";
import { type GasHalf, gasHalves, halfOf, notedShare } from "@farthing/engine";
import { startPoll, warning, type Runtime } from "@farthing/engine/base";
import type { KeylessStore } from "../payments/keyless/participant.ts";
import type { EngineStore } from "@farthing/engine/storage";

/** A daily budget cannot run out unseen within a minute. */
const pollMs = 60_000;

/** Removing these counters takes the database a few milliseconds. */
const maxPruned = 1_000;

/** The log events of each budget, by its name in the metrics. */
const budgets = {
  keyless: {
    high: { event: "keyless_gas_high", text: "Keyless gas budget is almost used up" },
    normal: { event: "keyless_gas_normal", text: "Keyless gas budget has refilled" },
  },
  reverted: {
    high: {
      event: "reverted_gas_high",
      text: "Contract wallets have almost used up the gas that they may burn by reverting",
    },
    normal: { event: "reverted_gas_normal", text: "Budget for reverted gas has refilled" },
  },
} as const;

export type GasBudgetName = keyof typeof budgets;

interface WatchedBudget {
  readonly name: GasBudgetName;
  /** Of a day at the present gas price, in gwei; null for no bound. */
  budgetGwei(chainId: ChainId): number | null;
  readonly read: (chainId: ChainId, now: number) => Promise<Readonly<Record<GasHalf, number>>>;
}

export function startGasWatch(
  options: Runtime & {
    readonly networks: readonly Network[];
    keylessGasGwei(chainId: ChainId): number | null;
    revertedGasGwei(chainId: ChainId): number | null;
    readonly store: Pick<KeylessStore, "readKeylessGas" | "pruneKeyless"> &
      Pick<EngineStore, "readRevertedGas">;
    /** Receives the used share of each half, 0 to 1. */
    readonly note: (budget: GasBudgetName, network: Network, half: GasHalf, share: number) => void;
  },
): { stop(): Promise<void> } {
  const { networks, keylessGasGwei, revertedGasGwei, store, clock, log, note } = options;
  const { readKeylessGas, readRevertedGas } = store;
  const watched: readonly WatchedBudget[] = [
    { name: "keyless", budgetGwei: keylessGasGwei, read: readKeylessGas },
    { name: "reverted", budgetGwei: revertedGasGwei, read: readRevertedGas },
  ];
  const high = new Set<string>();

  async function check(network: Network, watch: WatchedBudget): Promise<void> {
    const { chainId } = network;
    const { name, read } = watch;
    const budgetGwei = watch.budgetGwei(chainId);
    if (budgetGwei === null) return;
    const used = await read(chainId, clock.nowMs());
    for (const half of gasHalves) {
      const share = used[half] / halfOf(budgetGwei);
      note(name, network, half, share);
      const key = `${name}:${chainId}:${half}`;
      const isHigh = share >= notedShare;
      if (isHigh === high.has(key)) continue;
      const { event, text } = budgets[name][isHigh ? "high" : "normal"];
      const fields = { event, chainId, half, usedPercent: Math.round(share * 100) };
      if (isHigh) {
        high.add(key);
        log.warn(fields, text);
      } else {
        high.delete(key);
        log.info(fields, text);
      }
    }
  }

  async function checkAll(signal: AbortSignal): Promise<void> {
    for (const budget of watched) {
      for (const network of networks) await check(network, budget);
    }
    // Terminates, because counters expire more slowly than they are removed.
    while ((await store.pruneKeyless(clock.nowMs(), maxPruned)) === maxPruned) {
      if (signal.aborted) return;
    }
  }

  const failed = warning(log, { event: "keyless_watch_failed" }, "Gas budgets could not be read");
  return startPoll({ clock, pauseMs: pollMs }, (signal) => checkAll(signal).catch(failed));
}
