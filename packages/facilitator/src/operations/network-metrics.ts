/** The metrics of the networks, which are read whenever they are requested. */
import { paysFor, waitReasons, type NetworkState, type WalletLoad } from "@farthing/engine";
import type { Clock } from "@farthing/engine/base";
import type { ErrorCode } from "@farthing/protocol";
import { Counter, Gauge, type Registry } from "prom-client";
import type { SettlementCost } from "../payments/settlement-cost.ts";
import { formatXdcPrice, type UnitsPerMegaXdc, type XdcPrice } from "../payments/xdc-price.ts";
import { inUsdc, inXdc, settings } from "./make-metric.ts";
import type { MetricName } from "./metrics-table.ts";

const weiPerGwei = 1e9;

/** What settlements cost and earn, and whether the database takes writes. */
export interface WatchedService {
  readonly xdcPrice: XdcPrice;
  costOf(status: NetworkState): SettlementCost;
  writeProblem(): string | undefined;
}

function inXdcPrice(price: UnitsPerMegaXdc | undefined): number | undefined {
  return price === undefined ? undefined : Number(formatXdcPrice(price));
}

/** Adds the gauges of the networks' blocks, queues, wallets and endpoints. */
export function addGauges(
  registry: Registry,
  clock: Clock,
  networks: readonly NetworkState[],
  facts: WatchedService,
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
  addWaitGauge(registry, networks, facts);
  perNetwork("x402_queue_settlements", (watched) => watched.load().queued);
  perNetwork("x402_gas_price_gwei", ({ gasPrice }) => Number(gasPrice().wei) / weiPerGwei);
  perNetwork("x402_gas_price_paid", ({ gasPrice }) => (gasPrice().problem === undefined ? 1 : 0));
  perNetwork("x402_token_paused", ({ tokenPausedSinceMs }) =>
    tokenPausedSinceMs() === undefined ? 0 : 1,
  );
  perNetwork("x402_settlement_cost_usdc", (watched) => {
    const { units } = facts.costOf(watched);
    return units === undefined ? undefined : inUsdc(units);
  });
  perNetwork("x402_settlement_income_usdc", (watched) => inUsdc(facts.costOf(watched).incomeUnits));
  perNetwork("x402_xdc_price_usdc", () => inXdcPrice(facts.xdcPrice.now()));
  perNetwork("x402_xdc_price_known", () => {
    if (!facts.xdcPrice.isGiven) return undefined;
    return facts.xdcPrice.now() === undefined ? 0 : 1;
  });
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
  perWallet("x402_relayer_payments_left", ({ address }, { view, gasPrice }) => {
    const balance = view()?.wallets.get(address)?.balance;
    return balance === undefined ? undefined : Number(paysFor(balance, gasPrice().wei));
  });
  perWallet("x402_relayer_inflight", ({ inFlight }) => inFlight);
  perWallet("x402_relayer_held", ({ isOurs }) => (isOurs ? 1 : 0));
  perWallet("x402_relayer_oldest_blocks", ({ oldestAtBlock }, { view }) => {
    const head = view()?.head.number ?? 0;
    return oldestAtBlock === undefined ? 0 : Math.max(0, head - oldestAtBlock);
  });
}

/** The errors of the service itself that a settle may end with; alarms count them. */
const settleFaults: readonly ErrorCode[] = [
  "service_unavailable",
  "internal_error",
  "no_wallet",
  "gas_price_too_high",
  "queue_full",
];

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
    for (const reason of settleFaults) {
      add("x402_settle_requests_total", { ...of, result: "not_judged", reason });
    }
    add("x402_settlements_reconciled_total", { ...of, outcome: "failed_after_send" });
    for (let index = 0; index < relayers; index++) {
      const wallet = { ...of, relayer_index: String(index) };
      add("x402_lane_leases_total", { ...wallet, event: "lost" });
      add("x402_relayer_used_elsewhere_total", wallet);
    }
  }
}

type Series = readonly [labels: Record<string, string>, value: number | undefined];

/** Adds a gauge whose values are read whenever the metrics are requested. */
function addGauge(registry: Registry, name: MetricName, read: () => readonly Series[]): void {
  const gauge = new Gauge({
    ...settings(registry, name),
    collect() {
      // What is no longer known has no series.
      gauge.reset();
      for (const [labels, value] of read()) if (value !== undefined) gauge.set(labels, value);
    },
  });
}

/** What payments wait for: reasons of each network, and the database of all. */
function addWaitGauge(
  registry: Registry,
  networks: readonly NetworkState[],
  { writeProblem }: WatchedService,
): void {
  addGauge(registry, "x402_waiting", () =>
    networks.flatMap(({ network, waitsFor }) => {
      const waits: ReadonlySet<string> = waitsFor();
      const of = (reason: string, is: boolean): Series => [
        { network: network.id, for: reason },
        is ? 1 : 0,
      ];
      const reasons = waitReasons.map((reason) => of(reason, waits.has(reason)));
      return [...reasons, of("database", writeProblem() !== undefined)];
    }),
  );
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
