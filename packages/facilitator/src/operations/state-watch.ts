/**
 * Samples what no event tells: open payments, the outbox, the database's size and the wallets' gas. One
 * reader in each process. All questions are answered by an index, the file system or the last block.
 */
import type { NetworkState } from "@farthing/engine";
import { startPoll, warning, type Runtime } from "@farthing/engine/base";
import type { StateMethods } from "@farthing/engine/storage";
import type { WebhookStore } from "../features/webhooks/store.ts";
import { createGasSpending } from "./gas-spending.ts";
import type { StateMetrics } from "./state-metrics.ts";

/** A payment is open for seconds, and an alarm waits for minutes; the database hardly notices it. */
export const sampleEveryMs = 60_000;

type SampledNetwork = Pick<NetworkState, "network" | "relayers" | "view">;

export function startStateWatch(
  options: Runtime & {
    readonly networks: readonly SampledNetwork[];
    readonly store: StateMethods & Pick<WebhookStore, "countWaitingDeliveries">;
    readonly metrics: { readonly state: StateMetrics };
  },
): { stop(): Promise<void> } {
  const { networks, store, clock, log } = options;
  const { state } = options.metrics;
  const watched = networks.map((one) => ({ ...one, spending: createGasSpending() }));

  function noteGas({ network, relayers, view, spending }: (typeof watched)[number]): void {
    const { wallets } = view() ?? {};
    if (!wallets) return;
    const balances = new Map<string, bigint>();
    for (const [wallet, { balance }] of wallets) balances.set(wallet, balance);
    const spent = spending.note(clock.nowMs(), balances);
    const inOrder = relayers.map((relayer) => spent.get(relayer) ?? 0n);
    state.noteGas(network, inOrder, spending.runwayDays());
  }

  async function readStore(): Promise<void> {
    for (const { network } of networks) {
      const open = await store.countOpenSettlements(network.chainId);
      state.noteOpen(network, open, clock.nowMs());
    }
    state.noteWaiting(await store.countWaitingDeliveries());
    state.noteSize(await store.measureSize());
  }

  const failed = warning(
    log,
    { event: "state_read_failed" },
    "State of the database not read for the metrics; trying again in a minute",
  );
  return startPoll({ clock, pauseMs: sampleEveryMs }, async () => {
    for (const one of watched) noteGas(one);
    await readStore().catch(failed);
  });
}
