/** Metrics that are sampled: what the database holds, and what the wallets spend. */
import type { OpenSettlements } from "@farthing/engine/storage";
import type { Network } from "@farthing/protocol";
import { Gauge, type Registry } from "prom-client";
import type { Channel } from "../features/webhooks/model.ts";
import { counter, inXdc, settings } from "./make-metric.ts";

export interface StateMetrics {
  noteOpen(network: Network, open: readonly OpenSettlements[], nowMs: number): void;
  noteWaiting(waiting: Readonly<Record<Channel, number>>): void;
  /** In bytes. */
  noteSize(size: { readonly used: number; readonly free?: number }): void;
  /** By the wallets' positions in the configuration. */
  noteGas(network: Network, spentWei: readonly bigint[], runwayDays: number | undefined): void;
}

export const noStateMetrics: StateMetrics = {
  noteOpen() {},
  noteWaiting() {},
  noteSize() {},
  noteGas() {},
};

export function createStateMetrics(registry: Registry): StateMetrics {
  const open = new Gauge(settings(registry, "x402_open_payments"));
  const oldest = new Gauge(settings(registry, "x402_open_payments_oldest_seconds"));
  const waiting = new Gauge(settings(registry, "x402_outbox_waiting"));
  const used = new Gauge(settings(registry, "x402_database_bytes"));
  const free = new Gauge(settings(registry, "x402_database_free_bytes"));
  const spent = counter(registry, "x402_gas_spent_xdc_total");
  const runway = new Gauge(settings(registry, "x402_relayer_runway_days"));
  return {
    noteOpen({ id: network }, states, nowMs) {
      for (const { state, count, oldestAt } of states) {
        open.set({ network, state }, count);
        const ageMs = oldestAt === null ? 0 : Math.max(0, nowMs - oldestAt);
        oldest.set({ network, state }, ageMs / 1000);
      }
    },
    noteWaiting(counts) {
      for (const [channel, count] of Object.entries(counts)) waiting.set({ channel }, count);
    },
    noteSize(size) {
      used.set(size.used);
      // PostgreSQL tells no client how much room its disk has.
      if (size.free !== undefined) free.set(size.free);
    },
    noteGas({ id: network }, spentWei, runwayDays) {
      for (const [index, wei] of spentWei.entries()) {
        spent.inc({ network, relayer_index: String(index) }, inXdc(wei));
      }
      if (runwayDays === undefined) runway.remove({ network });
      else runway.set({ network }, runwayDays);
    },
  };
}
