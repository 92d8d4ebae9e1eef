/** What is counted and measured, in Prometheus' form, and the listener of its own that tells it. */
import Fastify from "fastify";
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";

/** The metrics of a gateway. `route` is a rule's name, never a path: paths are endless. */
export interface GatewayMetrics {
  answered(route: string, outcome: string): void;
  upstreamAnswered(upstream: string, ms: number): void;
  facilitatorAnswered(call: "verify" | "settle", ms: number): void;
  uncharged(route: string, reason: string): void;
  undelivered(route: string): void;
  reloaded(result: "ok" | "refused"): void;
  /** Looks these up whenever the metrics are asked for. */
  watch(state: {
    /** Calls under way, by upstream. */
    readonly inFlight: () => ReadonlyMap<string, number>;
    /** Bytes of the paid answers that are kept. */
    readonly keptBytes: () => number;
  }): void;
  /** Tells them at `/metrics`; gives the address. */
  listen(at: { readonly host: string; readonly port: number }): Promise<string>;
  close(): Promise<void>;
}

/** From what a cache answers in to what nobody waits for, in seconds. */
const buckets = [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 40];

/** Creates the metrics. */
export function createGatewayMetrics(): GatewayMetrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const counter = <T extends string>(name: string, help: string, labelNames: readonly T[]) =>
    new Counter<T>({ name, help, labelNames: [...labelNames], registers });
  const histogram = <T extends string>(name: string, help: string, labelNames: readonly T[]) =>
    new Histogram<T>({ name, help, labelNames: [...labelNames], registers, buckets });

  const requests = counter("x402_gateway_requests_total", "Answers, by what they came to", [
    "route",
    "outcome",
  ]);
  const upstream = histogram(
    "x402_gateway_upstream_duration_seconds",
    "Time until the upstream's answer, or its head where it is streamed",
    ["upstream"],
  );
  const calls = {
    verify: histogram("x402_gateway_verify_duration_seconds", "Time of calls of /verify", []),
    settle: histogram(
      "x402_gateway_settle_duration_seconds",
      "Time of calls of /settle and of questions after a settlement",
      [],
    ),
  };
  const uncharged = counter(
    "x402_gateway_uncharged_total",
    "Good payments that were not charged, since the upstream's answer was no success",
    ["route", "reason"],
  );
  const undelivered = counter(
    "x402_gateway_undelivered_total",
    "Payments that were charged and got no content yet: look at these",
    ["route"],
  );
  const reloads = counter("x402_gateway_config_reloads_total", "Readings of the configuration", [
    "result",
  ]);
  const server = Fastify({ forceCloseConnections: true });
  server.get("/metrics", async (_, reply) =>
    reply.header("Content-Type", registry.contentType).send(await registry.metrics()),
  );

  return {
    answered: (route, outcome) => requests.inc({ route, outcome }),
    upstreamAnswered: (name, ms) => upstream.observe({ upstream: name }, ms / 1000),
    facilitatorAnswered: (call, ms) => calls[call].observe(ms / 1000),
    uncharged: (route, reason) => uncharged.inc({ route, reason }),
    undelivered: (route) => undelivered.inc({ route }),
    reloaded: (result) => reloads.inc({ result }),
    watch({ inFlight, keptBytes }) {
      new Gauge({
        name: "x402_gateway_replay_store_bytes",
        help: "Bytes of the paid answers that are kept for a repeat",
        registers,
        collect() {
          this.set(keptBytes());
        },
      });
      new Gauge({
        name: "x402_gateway_inflight",
        help: "Calls to the upstream that are under way",
        labelNames: ["upstream"],
        registers,
        collect() {
          this.reset();
          for (const [name, count] of inFlight()) this.set({ upstream: name }, count);
        },
      });
    },
    listen: (at) => server.listen({ ...at }),
    close: () => server.close(),
  };
}
