/** Metrics of the table, made in a registry. */
import { formatUsdc } from "@farthing/protocol";
import { Counter, Histogram, type Registry } from "prom-client";
import { metricTable, type MetricName } from "./metrics-table.ts";

export function settings(registry: Registry, name: MetricName) {
  const { help, labels } = metricTable[name];
  return { name, help, labelNames: [...labels], registers: [registry] };
}

export function counter(registry: Registry, name: MetricName) {
  return new Counter(settings(registry, name));
}

/** From zero, so that an alert sees the first one as an increase. */
export function fromZero(counted: Counter, outcomes: readonly string[]): Counter {
  for (const outcome of outcomes) counted.inc({ outcome }, 0);
  return counted;
}

export function histogram(registry: Registry, name: MetricName) {
  const { buckets = [] } = metricTable[name];
  return new Histogram({ ...settings(registry, name), buckets: [...buckets] });
}

const weiPerXdc = 1e18;

/** Converts wei to XDC as a floating-point number, as metrics require. */
export function inXdc(wei: bigint): number {
  return Number(wei) / weiPerXdc;
}

/** Converts base units to USDC as a floating-point number. */
export function inUsdc(units: bigint): number {
  return Number(formatUsdc(units));
}
