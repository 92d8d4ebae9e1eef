/** The service, wired: configuration in, a running facilitator out; started and stopped whole. */
import { createEngine, createSigners, type SettlementEngine } from "@farthing/engine";
import {
  type CheckLine,
  type Clock,
  createLog,
  Fault,
  type Log,
  messageOf,
  systemClock,
} from "@farthing/engine/base";
import type { Config } from "./config/config.ts";
import type { ArrivalTimes } from "./http/connections.ts";
import { registerDashboard } from "./http/dashboard.ts";
import { createMetricsServer } from "./http/metrics-server.ts";
import { createServer, type Listener } from "./http/server.ts";
import { registerPayments } from "./payments/routes.ts";
import { startGasWatch } from "./operations/gas-watch.ts";
import { createMetrics, noMetrics, type Metrics } from "./operations/metrics.ts";
import { startRemoval } from "./operations/remove-old.ts";
import { createStore, type ServiceStore } from "./features/open-store.ts";
import { startWalletWatch } from "./operations/wallet-watch.ts";
import { createFeatures, featureTags } from "./features/features.ts";
import { registerFeatures } from "./features/routes.ts";
import { wireHttp } from "./wire-http.ts";

/** A running facilitator. */
export interface Facilitator {
  /** Where it listens; only a name when it does not. */
  readonly url: string;
  /** Asks it without a socket, at any address with the paths of its faces. */
  readonly fetch: typeof globalThis.fetch;
  /** Where Prometheus finds its metrics; undefined without a metrics port. */
  readonly metricsUrl: string | undefined;
  /** The self-check's lines, by network. */
  readonly checks: readonly { readonly network: string; readonly lines: readonly CheckLine[] }[];
  /**
   * Takes no more requests, answers those under way (with "pending" after some seconds), finishes
   * what is being signed, gives the wallets back, closes the store.
   */
  stop(): Promise<void>;
}

/** How to start. */
export interface StartOptions {
  readonly config: Config;
  /** The self-built face alone, instead of public and hosted. */
  readonly selfBuilt?: boolean;
  /**
   * False for one that is only asked from within the process (see `fetch`): it opens no port, and
   * neither the rate limit nor the payers' cap counts, since its one caller is the seller himself.
   */
  readonly listen?: boolean;
  readonly clock?: Clock;
  readonly log?: Log;
  /** Instead of the one that the configuration names; closed with the facilitator. */
  readonly store?: ServiceStore;
  /** Where the dashboard's build is, when not beside this package. */
  readonly dashboardFolder?: string;
  /** How slowly requests may arrive, when not as usual. */
  readonly arrival?: ArrivalTimes;
  /** Ends the start, not the service; `stop` does that. */
  readonly signal?: AbortSignal;
  /**
   * Told where it listens before anything is asked: from then on `/health` says that it lives, and
   * `/ready` what the start waits for. All else is refused until it has started.
   */
  onListening?(url: string): void;
  /** Told the self-check's findings, also when they end the start. */
  onChecked?(network: string, lines: readonly CheckLine[]): void;
}

/** How long requests under way may take when the service stops: three blocks. */
const drainMs = 6_000;

/** How long what was on the wire when the service stops may take to arrive: a slow round trip. */
const arrivalGraceMs = 250;

/** How long answers may take to leave once nobody waits for outcomes any more. */
const leaveMs = 1_000;

/** The address of a service that has none: a name that no resolver knows (RFC 2606). */
const insideUrl = "http://facilitator.invalid";

/**
 * Starts the service. Throws the fault `configuration` when a check fails, and what the signal says
 * when it ends the start; the port is closed by then and nothing is left behind.
 */
export async function startFacilitator(options: StartOptions): Promise<Facilitator> {
  const { config, clock = systemClock, selfBuilt = false, listen: listens = true } = options;
  const log = options.log ?? createLog(config.logLevel);
  const signers = signersOf(config);
  const metrics = config.metrics
    ? createMetrics(
        clock,
        signers.map(({ address }) => address),
      )
    : noMetrics;
  const storage = storageOf(options, { log, metrics });
  const { store } = storage;
  const engine = createEngine({
    networks: config.networks,
    signers,
    storage,
    settings: config,
    clock,
    log,
    watchEndpoint: metrics.watchEndpoint,
  });
  const shared = { config, store, clock, log, engine, metrics };
  const context = wireHttp({ ...shared, selfBuilt, listens });
  // The self-built face has no accounts.
  const features = selfBuilt
    ? undefined
    : createFeatures({
        ...shared,
        ...context,
        requestsMax: context.limits.requestsMax || null,
        budget: context,
      });
  const server = await createServer(context, {
    trustedProxies: config.trustedProxies,
    connectionsMax: config.connectionsPerAddress,
    arrival: options.arrival,
    tags: featureTags,
    async registerRoutes(routes, limits) {
      registerPayments(routes, context, limits);
      if (!features) return;
      await registerFeatures(routes, features, { ...context, limits });
      await registerDashboard(routes, options.dashboardFolder);
    },
  });
  const metricsServer = createMetricsServer(metrics.render);
  const walletWatch = watchEngine({ engine, clock, log, metrics });
  /** Stops the background jobs; none run before the database is open. */
  const stops: (() => Promise<void>)[] = [];

  function startJobs(): void {
    const gasWatch = startGasWatch({
      networks: config.networks.map(({ network }) => network),
      keylessGasGwei: listens ? config.keylessGasGwei : null,
      revertedGasGwei: config.revertedGasGwei,
      note: metrics.noteGas,
      ...shared,
    });
    const engines = new Map(engine.status().networks.map((one) => [one.network.chainId, one]));
    const removal = startRemoval({ engines, retention: config.retention, ...shared });
    stops.push(gasWatch.stop, removal.stop);
    if (features) stops.push(features.start());
  }

  async function listenAt(): Promise<Pick<Facilitator, "url" | "metricsUrl">> {
    const metricsUrl = config.metrics && (await listen(metricsServer, config.metrics, "METRICS_"));
    const url = listens ? await listen(server, config, "") : insideUrl;
    if (!listens) return { url, metricsUrl };
    features?.listensAt(url);
    log.info({ event: "port_opened" }, "Port opened; the chain is checked");
    options.onListening?.(url);
    return { url, metricsUrl };
  }

  /** The port first: what the rest takes is up to nodes and the database. */
  async function start(): Promise<Omit<Facilitator, "stop">> {
    const places = await listenAt();
    const { signal, onChecked } = options;
    const checks = await engine.start({
      ...(signal && { signal }),
      ...(onChecked && { onChecked }),
      onDatabaseOpened: startJobs,
    });
    if (listens) {
      const networks = config.networks.map(({ network }) => network.id);
      log.info({ event: "facilitator_started", networks }, "Facilitator started");
    }
    return { ...places, fetch: server.fetch, checks };
  }

  async function end(): Promise<void> {
    const drained = server.drain((signal) => clock.sleep(drainMs, signal));
    // Closed at once, a connection may hold a request that nobody would ever answer.
    await Promise.all([drained, clock.sleep(arrivalGraceMs)]);
    // Callers that still wait for an outcome are told "pending", which is what it is.
    engine.endWaits();
    await server.drain((signal) => clock.sleep(leaveMs, signal));
    await server.close();
    await Promise.all([walletWatch.stop(), ...stops.map((stop) => stop())]);
    await engine.stop();
    await metricsServer.close();
  }

  async function stop(): Promise<void> {
    log.info({ event: "facilitator_stopping" }, "Shutdown started; new requests refused");
    await end();
    log.info({ event: "facilitator_stopped" }, "Facilitator stopped");
  }

  try {
    return { ...(await start()), stop };
  } catch (error) {
    // The wallets are released, for the process that serves instead.
    await end().catch((problem: unknown) => {
      log.warn(
        { event: "start_cleanup_failed", problem: messageOf(problem) },
        "Cleanup after a failed start did not complete",
      );
    });
    throw error;
  }
}

/** The store that was given, which is open, or the one that the configuration names. */
function storageOf(
  { store, config: { databaseUrl } }: StartOptions,
  { log, metrics }: { readonly log: Log; readonly metrics: Metrics },
) {
  const isLocal = databaseUrl.startsWith("sqlite:");
  if (store) return { store: metrics.watchStore(store), open: async () => undefined, isLocal };
  const own = createStore(databaseUrl, { log });
  return { store: metrics.watchStore(own), open: own.open, isLocal };
}

/** Gauges of what is going on, and the log's warning about wallets that run low. */
function watchEngine(deps: {
  readonly engine: SettlementEngine;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}) {
  const { networks } = deps.engine.status();
  deps.metrics.watchNetworks(networks);
  return startWalletWatch({
    networks: networks.map(({ network: { chainId }, view }) => ({ chainId, view })),
    ...deps,
  });
}

function signersOf(config: Config) {
  if (config.wallets) return createSigners(config.wallets);
  throw new Fault(
    "configuration",
    "No relayer wallet is configured; set FARTHING_RELAYER_KEYS or FARTHING_RELAYER_MNEMONIC",
    { retryable: false },
  );
}

async function listen(
  server: Listener,
  { host, port }: { readonly host: string; readonly port: number },
  part: "" | "METRICS_",
): Promise<string> {
  try {
    return await server.listen({ host, port });
  } catch (error) {
    throw new Fault(
      "configuration",
      `Cannot listen on ${host}:${port}; set FARTHING_${part}PORT to a free port`,
      { retryable: false, cause: error },
    );
  }
}
