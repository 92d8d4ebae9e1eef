/** The metrics of the networks, which are read whenever they are requested. */
import type { WalletLoad, NetworkState } from "@farthing/engine";
import type { Clock } from "@farthing/engine/base";
import { Counter, Gauge, type Registry } from "prom-client";
import { settings } from "./make-metric.ts";
import type { MetricName } from "./metrics-table.ts";

const weiPerGwei = 1e9;

/** Converts wei to XDC as a floating-point number, as gauges require. */
function inXdc(wei: bigint): number {
  return Number(wei / 1_000_000_000n) / 1_000_000_000;
}

/** Adds the gauges of the networks' blocks, queues, wallets and endpoints. */
export function addGauges(
  registry: Registry,
  clock: Clock,
  networks: readonly NetworkState[],
): void {
  const perNetwork = (name: MetricName, read: (watched: NetworkState) => number | undefined) =>
    addGauge(registry, name, () =>
      networks.map((watched) => [{ network: watched.network.id }, read(watched)]),
    );
  const perWallet = (
    name: MetricName,
    read: (lane: WalletLoad, watched: NetworkState) => number | undefined,
  ) =>
    addGauge(registry, name, () =>
      networks.flatMap((watched) =>
        watched.wallets().map((lane, index): Series => {
          const labels = { network: watched.network.id, relayer_index: String(index) };
          return [labels, read(lane, watched)];
        }),
      ),
    );

  addLimitGauge(registry, networks);
  perNetwork("x402_queue_settlements", (watched) => watched.load().queued);
  perNetwork("x402_gas_price_gwei", ({ gasPrice }) => Number(gasPrice().wei) / weiPerGwei);
  perNetwork("x402_gas_price_paid", ({ gasPrice }) => (gasPrice().problem === undefined ? 1 : 0));
  perNetwork("x402_rpc_head_age_seconds", ({ view }) => {
    const head = view()?.head;
    return head && Math.max(0, clock.nowMs() / 1000 - Number(head.time));
  });
  perNetwork("x402_rpc_read_lag_blocks", ({ view }) => {
    const { head, walkedTo } = view() ?? {};
    return head && walkedTo !== undefined ? Math.max(0, head.number - walkedTo) : undefined;
  });
  perNetwork("x402_rpc_unread_seconds", ({ view }) => view()?.unread?.seconds ?? 0);
  perNetwork("x402_clock_skew_seconds", ({ view }) => view()?.clockSkewSeconds);
  perNetwork("x402_rpc_finalized_lag_blocks", ({ view }) => {
    const { head, finalized } = view() ?? {};
    return head && finalized && head.number - finalized.number;
  });
  perWallet("x402_relayer_balance_xdc", ({ address }, { view }) => {
    const balance = view()?.wallets.get(address)?.balance;
    return balance === undefined ? undefined : inXdc(balance);
  });
  perWallet("x402_relayer_inflight", ({ inFlight }) => inFlight);
  perWallet("x402_relayer_held", ({ isOurs }) => (isOurs ? 1 : 0));
  perWallet("x402_relayer_oldest_blocks", ({ oldestAtBlock }, { view }) => {
    const head = view()?.head.number ?? 0;
    return oldestAtBlock === undefined ? 0 : Math.max(0, head - oldestAtBlock);
  });
}

/**
 * Adds the series that alarms look for an increase of. Prometheus sees none in the first value of a
 * series, so a burst of what never happened before would raise no alarm.
 */
export function startAlarmsFromZero(
  registry: Registry,
  networks: readonly NetworkState[],
  relayers: number,
): void {
  const add = (name: MetricName, labels: Record<string, string>) => {
    const found = registry.getSingleMetric(name);
    if (found instanceof Counter) found.inc(labels, 0);
  };
  for (const { network } of networks) {
    const of = { network: network.id };
    add("x402_settle_requests_total", { ...of, result: "not_judged", reason: "queue_full" });
    add("x402_settlements_reconciled_total", { ...of, outcome: "failed_after_send" });
    for (let index = 0; index < relayers; index++) {
      add("x402_lane_leases_total", { ...of, relayer_index: String(index), event: "lost" });
    }
  }
}

type Series = readonly [labels: Record<string, string>, value: number | undefined];

/** Adds a gauge whose values are read whenever the metrics are requested. */
function addGauge(registry: Registry, name: MetricName, read: () => readonly Series[]): void {
  const gauge = new Gauge({
    ...settings(registry, name),
    collect() {
      for (const [labels, value] of read()) if (value !== undefined) gauge.set(labels, value);
    },
  });
}

/** Sets the learned limits of endpoints; a limit that was never met has no series. */
function addLimitGauge(registry: Registry, networks: readonly NetworkState[]): void {
  const gauge = new Gauge({
    ...settings(registry, "x402_rpc_learned_limit"),
    collect() {
      // An endpoint that counts calls no longer has a limit of requests.
      gauge.reset();
      for (const { network, endpointLimits } of networks) {
        for (const [index, limits] of endpointLimits().entries()) {
          const labels = { network: network.id, endpoint_index: String(index) };
          const set = (limit: string, value: number | undefined) =>
            value !== undefined && gauge.set({ ...labels, limit }, value);
          set(
            limits.countsCalls ? "calls_per_second" : "requests_per_second",
            limits.requestsPerSecond,
          );
          set("batch_calls", limits.batchCalls);
          set("log_range_blocks", limits.logRangeBlocks);
          set("body_bytes", limits.bodyBytes);
        }
      }
    },
  });
}
