/** The gateway's metrics. `route` and `facilitator` are configured names, so labels stay few. */

export interface GatewayMetric {
  readonly kind: "counter" | "histogram" | "gauge";
  readonly help: string;
  readonly labels: readonly string[];
}

/** In the order of the reference. */
export const gatewayMetricTable = {
  x402_gateway_requests_total: {
    kind: "counter",
    help: "Responses by outcome",
    labels: ["route", "outcome"],
  },
  x402_gateway_upstream_duration_seconds: {
    kind: "histogram",
    help: "Time until the upstream's response, or until its headers if it is streamed",
    labels: ["upstream"],
  },
  x402_gateway_verify_duration_seconds: {
    kind: "histogram",
    help: "Duration of a facilitator's verifications",
    labels: ["facilitator"],
  },
  x402_gateway_settle_duration_seconds: {
    kind: "histogram",
    help: "Duration of a facilitator's settlements",
    labels: ["facilitator"],
  },
  x402_gateway_facilitator_skipped_total: {
    kind: "counter",
    help: "Calls of a facilitator that failed, after which the next one was asked",
    labels: ["facilitator"],
  },
  x402_gateway_inflight: {
    kind: "gauge",
    help: "Open calls to the upstream",
    labels: ["upstream"],
  },
  x402_gateway_uncharged_total: {
    kind: "counter",
    help: "Valid payments that were not charged because the upstream did not succeed",
    labels: ["route", "reason"],
  },
  x402_gateway_undelivered_total: {
    kind: "counter",
    help: "Charged payments without delivered content: check these",
    labels: ["route"],
  },
  x402_gateway_config_reloads_total: {
    kind: "counter",
    help: "Configurations that were activated or refused",
    labels: ["result"],
  },
  x402_gateway_replay_store_bytes: {
    kind: "gauge",
    help: "Bytes of paid responses that are kept for a repeat",
    labels: [],
  },
} as const satisfies Readonly<Record<string, GatewayMetric>>;

export type GatewayMetricName = keyof typeof gatewayMetricTable;
