/** The gateway's Prometheus metrics, and their own listener. */
import Fastify from "fastify";
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import type { ListenAddress } from "./configuration/parse-setting.ts";
import { metricsArrivalTimes, toServerOptions } from "./connections.ts";
import { gatewayMetricTable, type GatewayMetricName } from "./metrics-table.ts";

/** From a cache's response time to the longest wait, in seconds. */
const buckets = [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 40];

export function createGatewayMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const about = (name: GatewayMetricName) => {
    const { help, labels } = gatewayMetricTable[name];
    return { name, help, labelNames: [...labels], registers: [registry] };
  };
  const counter = (name: GatewayMetricName) => new Counter(about(name));
  const histogram = (name: GatewayMetricName) => new Histogram({ ...about(name), buckets });
  const requests = counter("x402_gateway_requests_total");
  const upstream = histogram("x402_gateway_upstream_duration_seconds");
  const verify = histogram("x402_gateway_verify_duration_seconds");
  const settle = histogram("x402_gateway_settle_duration_seconds");
  const skipped = counter("x402_gateway_facilitator_skipped_total");
  const uncharged = counter("x402_gateway_uncharged_total");
  const undelivered = counter("x402_gateway_undelivered_total");
  const reloads = counter("x402_gateway_config_reloads_total");
  const kept = new Gauge(about("x402_gateway_replay_store_bytes"));
  const calls = new Gauge(about("x402_gateway_inflight"));
  let look: (() => void) | undefined;
  const server = Fastify({
    forceCloseConnections: true,
    ...toServerOptions(metricsArrivalTimes),
  });
  server.get("/metrics", async (_, reply) => {
    look?.();
    return reply.header("Content-Type", registry.contentType).send(await registry.metrics());
  });
  return {
    answered: (route: string, outcome: string) => requests.inc({ route, outcome }),
    upstreamResponded: (name: string, ms: number) =>
      upstream.observe({ upstream: name }, ms / 1000),
    facilitatorResponded: (facilitator: string, call: "verify" | "settle", ms: number) =>
      (call === "verify" ? verify : settle).observe({ facilitator }, ms / 1000),
    facilitatorSkipped: (facilitator: string) => skipped.inc({ facilitator }),
    uncharged: (route: string, reason: string) => uncharged.inc({ route, reason }),
    undelivered: (route: string) => undelivered.inc({ route }),
    reloaded: (result: "ok" | "refused") => reloads.inc({ result }),
    /** Sets what is read whenever the metrics are requested: calls by upstream, kept bytes. */
    watch(inFlight: () => ReadonlyMap<string, number>, keptBytes: () => number) {
      look = () => {
        kept.set(keptBytes());
        calls.reset();
        for (const [name, count] of inFlight()) calls.set({ upstream: name }, count);
      };
    },
    /** Serves the metrics at `/metrics`; returns the address. */
    listen: (at: ListenAddress) => server.listen({ ...at }),
    close: () => server.close(),
  };
}

export type GatewayMetrics = ReturnType<typeof createGatewayMetrics>;
