/**
 * The gateway's metrics. `route` is the name of a rule and never a path, so that labels stay few.
 */

export interface GatewayMetric {
  readonly kind: "counter" | "histogram" | "gauge";
  readonly help: string;
  readonly labels: readonly string[];
}

/** In the order of the reference. */
export const gatewayMetricTable = {
  x402_gateway_requests_total: {
    kind: "counter",
    help: "Answers, by what they came to",
    labels: ["route", "outcome"],
  },
  x402_gateway_upstream_duration_seconds: {
    kind: "histogram",
    help: "Time until the upstream's answer, or its head where it is streamed",
    labels: ["upstream"],
  },
  x402_gateway_verify_duration_seconds: {
    kind: "histogram",
    help: "Time of the facilitator's answers about payments",
    labels: [],
  },
  x402_gateway_settle_duration_seconds: {
    kind: "histogram",
    help: "Time of the facilitator's answers about settlements",
    labels: [],
  },
  x402_gateway_inflight: {
    kind: "gauge",
    help: "Calls to the upstream that are under way",
    labels: ["upstream"],
  },
  x402_gateway_uncharged_total: {
    kind: "counter",
    help: "Good payments that were not charged, since the upstream's answer was no success",
    labels: ["route", "reason"],
  },
  x402_gateway_undelivered_total: {
    kind: "counter",
    help: "Payments that were charged and got no content yet: look at these",
    labels: ["route"],
  },
  x402_gateway_config_reloads_total: {
    kind: "counter",
    help: "Configurations put in force, and refused",
    labels: ["result"],
  },
  x402_gateway_replay_store_bytes: {
    kind: "gauge",
    help: "Bytes of the paid answers that are kept for a repeat",
    labels: [],
  },
} as const satisfies Readonly<Record<string, GatewayMetric>>;

export type GatewayMetricName = keyof typeof gatewayMetricTable;
