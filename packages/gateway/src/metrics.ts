/** The gateway's Prometheus metrics, and their own listener. */
import Fastify from "fastify";
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import { metricsArrivalTimes, toServerOptions } from "./connections.ts";
import { gatewayMetricTable, type GatewayMetricName } from "./metrics-table.ts";

export interface GatewayMetrics {
  answered(route: string, outcome: string): void;
  upstreamResponded(upstream: string, ms: number): void;
  facilitatorResponded(call: "verify" | "settle", ms: number): void;
  uncharged(route: string, reason: string): void;
  undelivered(route: string): void;
  reloaded(result: "ok" | "refused"): void;
  /** Read whenever the metrics are requested. */
  watch(state: {
    /** Calls under way, by upstream. */
    readonly inFlight: () => ReadonlyMap<string, number>;
    /** Bytes of the paid responses that are kept. */
    readonly keptBytes: () => number;
  }): void;
  /** Serves them at `/metrics`; returns the address. */
  listen(at: { readonly host: string; readonly port: number }): Promise<string>;
  close(): Promise<void>;
}

/** From a cache's response time to the longest wait, in seconds. */
const buckets = [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 40];

export function createGatewayMetrics(): GatewayMetrics {
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
    answered: (route, outcome) => requests.inc({ route, outcome }),
    upstreamResponded: (name, ms) => upstream.observe({ upstream: name }, ms / 1000),
    facilitatorResponded: (call, ms) => (call === "verify" ? verify : settle).observe(ms / 1000),
    uncharged: (route, reason) => uncharged.inc({ route, reason }),
    undelivered: (route) => undelivered.inc({ route }),
    reloaded: (result) => reloads.inc({ result }),
    watch({ inFlight, keptBytes }) {
      look = () => {
        kept.set(keptBytes());
        calls.reset();
        for (const [name, count] of inFlight()) calls.set({ upstream: name }, count);
      };
    },
    listen: (at) => server.listen({ ...at }),
    close: () => server.close(),
  };
}
