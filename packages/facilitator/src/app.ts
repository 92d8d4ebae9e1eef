/** The wiring of the service: its start from a configuration, and its stop. */
import { readFileSync } from "node:fs";
import { isObject } from "@farthing/protocol";
import { createEngine, type SettlementEngine, type Signer } from "@farthing/engine";
import {
  type CheckLine,
  type Clock,
  createLog,
  Fault,
  type Log,
  systemClock,
  warning,
  type Runtime,
} from "@farthing/engine/base";
import type { Config } from "./config/config.ts";
import type { ArrivalTimes } from "./http/connections.ts";
import { registerDashboard } from "./http/dashboard.ts";
import { createMetricsServer } from "./http/metrics-server.ts";
import { observeCalls } from "./http/observe-calls.ts";
import { createServer, type Listener } from "./http/server.ts";
import { createSiteAddress } from "./http/site.ts";
import { registerHomePage } from "./payments/home-page.ts";
import { createServiceRecord, startRecord, type ServiceRecord } from "./payments/service-record.ts";
import { registerStatusPage } from "./payments/status-page.ts";
import { readiness } from "./payments/status.ts";
import { registerPayments } from "./payments/routes.ts";
import { openConfiguredSigners } from "./operations/configured-parts.ts";
import { startGasWatch } from "./operations/gas-watch.ts";
import { createMetrics, noMetrics, type Metrics } from "./operations/metrics.ts";
import { startRemoval } from "./operations/remove-old.ts";
import { startTraces } from "./operations/traces.ts";
import { createStore, type ServiceStore } from "./features/open-store.ts";
import { startWalletWatch } from "./operations/wallet-watch.ts";
import { createWriteWatch } from "./operations/write-watch.ts";
import { createFeatures, featureTags } from "./features/features.ts";
import { registerFeatures } from "./features/routes.ts";
import { authenticate } from "./features/api-keys/key-text.ts";
import { createCatalogue } from "./features/listings/extension-responses.ts";
import { surfacesOf } from "./http/surface.ts";
import { createAttestor } from "./payments/attestation.ts";
import { openDenyList } from "./payments/deny-list.ts";
import { createScreening } from "./payments/screening.ts";
import type { PaymentContext } from "./payments/context.ts";
import { batchKeylessChecks } from "./payments/keyless/batched-checks.ts";

export interface Facilitator {
  /** The base URL; a placeholder for a service that opens no port. */
  readonly url: string;
  /** Sends a request without a socket. Any host is accepted; paths are those of the surfaces. */
  readonly fetch: typeof globalThis.fetch;
  /** The base URL of the metrics; undefined without a metrics port. */
  readonly metricsUrl: string | undefined;
  /** The results of the self-check, by network. */
  readonly checks: readonly { readonly network: string; readonly lines: readonly CheckLine[] }[];
  /**
   * Refuses new requests, responds to those in progress (with "pending" after some seconds),
   * completes what is being signed, releases the wallets and closes the store.
   */
  stop(): Promise<void>;
}

export interface StartOptions {
  readonly config: Config;
  /** Serves the self-built surface instead of the public and the hosted one. */
  readonly selfBuilt?: boolean;
  /**
   * False for a service that is called only through `fetch`: it opens no port, and neither the rate
   * limit nor the payers' cap applies, because the only caller is the seller.
   */
  readonly listen?: boolean;
  readonly clock?: Clock;
  readonly log?: Log;
  /** Replaces the configured store; closed with the facilitator. */
  readonly store?: ServiceStore;
  /** The folder of the dashboard's build, if it is not beside this package. */
  readonly dashboardFolder?: string;
  readonly arrival?: ArrivalTimes;
  /** Ends the start; `stop` ends the service. */
  readonly signal?: AbortSignal;
  /**
   * Called once the port is open. From then on `/health` succeeds and `/ready` names the step that
   * the start waits for; all other requests are refused until the start is complete.
   */
  onListening?(url: string): void;
  /** Receives the results of the self-check, also those that end the start. */
  onChecked?(network: string, lines: readonly CheckLine[]): void;
}

/** Time for requests in progress when the service stops: three blocks. */
const drainMs = 6_000;

/** Time for requests that were on the wire when the service stops: a slow round trip. */
const arrivalGraceMs = 250;

/** Time to send the last responses, after all waits for outcomes have ended. */
const sendGraceMs = 1_000;

/** The URL of a service without a port: a name that never resolves (RFC 2606). */
const inProcessUrl = "http://facilitator.invalid";

/**
 * Starts the service. Throws the fault `configuration` when a check fails, and the signal's reason
 * when it ends the start. In both cases the port is closed and all resources are released.
 */
export async function startFacilitator(options: StartOptions): Promise<Facilitator> {
  const { config, clock = systemClock, selfBuilt = false, listen: listens = true } = options;
  const log = options.log ?? createLog(config.logLevel);
  const signers = await openConfiguredSigners(config);
  const metrics = metricsOf(config, signers, clock);
  const traces = await startTraces(config.traces, { clock, log, version: versionOf(), metrics });
  const denyList = await denyListOf(config, { clock, log });
  const record = createServiceRecord(clock);
  const storage = storageOf(options, { log, metrics, record });
  const { store } = storage;
  const writing = createWriteWatch({ store, clock, log });
  const engine = createEngine({
    networks: config.networks,
    signers: signers.map(metrics.watchSigner),
    storage: { ...storage, open: () => writing.openOnPrimary(storage, options.signal) },
    settings: config,
    clock,
    log,
    screen: createScreening({ ...config, denyList, clock, log }),
    tracer: traces?.tracer,
    watchEndpoint: watchEndpoints(record, metrics),
  });
  const { site, listensAt } = createSiteAddress(config);
  const shared = { config, store, clock, log, engine, metrics, site, ...writing };
  const context = createPaymentContext({ ...shared, selfBuilt, listens });
  const features = selfBuilt // It has no accounts.
    ? undefined
    : createFeatures({
        ...shared,
        ...context,
        requestsMax: context.limits.requestsMax || null,
        budget: context,
        payments: context,
      });
  const server = await createServer(context, {
    ...config,
    connectionsMax: config.connectionsPerAddress,
    arrival: options.arrival,
    tags: featureTags,
    tracing: traces,
    async registerRoutes(routes, limits) {
      if (features) observeCalls(routes, features.callObservers);
      registerPayments(routes, context, limits);
      registerHomePage(routes, context, { limits, site });
      registerStatusPage(routes, context, { limits, site, record });
      if (!features) return;
      await registerFeatures(routes, features, { ...context, limits });
      await registerDashboard(routes, options.dashboardFolder);
    },
  });
  const metricsServer = createMetricsServer(metrics.render);
  const walletWatch = watchEngine({ engine, clock, log, metrics });
  /** Stop functions of the background jobs, which start once the database is open. */
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
    stops.push(gasWatch.stop, removal.stop, shared.startWriting().stop);
    if (denyList) stops.push(denyList.watch().stop);
    if (features) stops.push(features.start());
  }

  async function openPorts(): Promise<Pick<Facilitator, "url" | "metricsUrl">> {
    const metricsUrl = config.metrics && (await listen(metricsServer, config.metrics, "METRICS_"));
    const url = listens ? await listen(server, config, "") : inProcessUrl;
    if (!listens) return { url, metricsUrl };
    listensAt(url);
    log.info({ event: "port_opened" }, "Port opened; the chain is checked");
    options.onListening?.(url);
    return { url, metricsUrl };
  }

  /** Opens the port first, because nodes and the database decide how long the rest takes. */
  async function start(): Promise<Omit<Facilitator, "stop">> {
    const urls = await openPorts();
    const { signal, onChecked } = options;
    const checks = await engine.start({
      ...(signal && { signal }),
      ...(onChecked && { onChecked }),
      onDatabaseOpened: startJobs,
    });
    stops.push(watchChecks({ record, context, metrics }).stop);
    if (listens) {
      const networks = config.networks.map(({ network }) => network.id);
      log.info({ event: "facilitator_started", networks }, "Facilitator started");
    }
    return { ...urls, fetch: server.fetch, checks };
  }

  async function end(): Promise<void> {
    const drained = server.drain((signal) => clock.sleep(drainMs, signal));
    // A connection that is closed at once may hold a request that would never get a response.
    await Promise.all([drained, clock.sleep(arrivalGraceMs)]);
    // Callers that still wait for an outcome get "pending".
    engine.endWaits();
    await server.drain((signal) => clock.sleep(sendGraceMs, signal));
    await server.close();
    await Promise.all([walletWatch.stop(), ...stops.map((stop) => stop())]);
    await engine.stop();
    await traces?.stop();
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
    // Releases the wallets for the process that replaces this one.
    const fields = { event: "start_cleanup_failed" };
    await end().catch(warning(log, fields, "Cleanup after a failed start did not complete"));
    throw error;
  }
}

interface PaymentWiring extends Runtime {
  readonly selfBuilt: boolean;
  /** False for a service that is called only from its own process, which has no limits. */
  readonly listens: boolean;
  readonly config: Config;
  readonly store: ServiceStore;
  readonly engine: SettlementEngine;
  readonly metrics: Metrics;
  writeProblem(): string | undefined;
}

/** Creates the dependencies of the payment routes; sends no request yet. */
function createPaymentContext(wiring: PaymentWiring): PaymentContext {
  const { selfBuilt, config, clock, log, store, engine, metrics } = wiring;
  const { networks } = engine.status();
  return {
    version: versionOf(),
    clock,
    log,
    surfaces: surfacesOf({
      selfBuilt,
      networks: networks.map(({ network }) => network),
      publicNetworks: config.publicNetworks,
      testNetworks: config.testNetworks,
      hostedAuth: config.hostedAuth,
    }),
    networks,
    limits: limitsOf(wiring),
    observer: metrics.http,
    ...engine.steps,
    // The self-built surface has no accounts, and therefore no listings.
    catalogue: createCatalogue(selfBuilt ? undefined : store),
    waiters: engine.waiters,
    settleMarginSeconds: config.settleMarginSeconds,
    creditsPerSettlement: config.creditsPerSettlement,
    freeCredits: config.freeCredits,
    areTestKeysFree: networks.some(({ network }) => network.chainId === 50),
    attestor: createAttestor({ ...config, clock }),
    findSettlement: engine.find,
    listRefunds: (ids) => store.listRefunds(ids),
    saleKindOf: async (id) => (await store.findBooks([id])).get(id)?.opens,
    authenticate: (text) => authenticate(store, clock, text),
    planOf: async (account) => (await store.findAccount(account))?.plan,
    pingStore: async () => store.ping(),
    writeProblem: wiring.writeProblem,
    startStep() {
      const { step } = engine.status();
      return step === "chain" || step === "database" ? step : "done";
    },
    ...batchKeylessChecks({ store, clock }),
    gasOf: engine.estimateGas,
    viewOf: engine.viewOf,
  };
}

/** Returns the limits of the surfaces; most do not apply to a service that opens no port. */
function limitsOf({ listens, config }: PaymentWiring): PaymentContext["limits"] {
  return {
    requestsMax: listens ? config.rateLimit : 0,
    unitsMin: listens ? config.minAmountUnits : 0n,
    payerCapUnits: listens ? config.payerCapUnits : null,
    payerCountMax: listens ? config.payerCountMax : null,
    keylessGasGwei: listens ? config.keylessGasGwei : null,
    headAgeMaxSeconds: config.headAgeMaxSeconds,
  };
}

/** Returns the version of the package, which all packages share. */
export function versionOf(): string {
  const text = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  const manifest: unknown = JSON.parse(text);
  return isObject(manifest) ? String(manifest["version"]) : "";
}

/** Returns the store of the options, which is open, or the configured one. */
function storageOf(
  { store, config: { databaseUrl } }: StartOptions,
  { log, metrics, record }: Pick<PaymentWiring, "log" | "metrics"> & { record: ServiceRecord },
) {
  const isLocal = databaseUrl.startsWith("sqlite:");
  const watched = (one: ServiceStore) => record.watchStore(metrics.watchStore(one));
  if (store) {
    return {
      store: watched(store),
      open: async () => undefined,
      isReadOnly: async () => false,
      isLocal,
    };
  }
  const own = createStore(databaseUrl, { log });
  return { store: watched(own), open: own.open, isReadOnly: own.isReadOnly, isLocal };
}

/** Records what the checks of /ready find, for the status page and the metrics. */
function watchChecks(deps: {
  readonly record: ServiceRecord;
  readonly context: PaymentContext;
  readonly metrics: Metrics;
}) {
  const { record, context, metrics } = deps;
  return startRecord(record, {
    clock: context.clock,
    read: () => readiness(context),
    noted(checks) {
      for (const { name, ok } of checks) metrics.noteCheck(name, ok);
    },
  });
}

/** Connects the engine to the metrics, and logs wallets that run low on gas. */
function watchEngine(deps: Pick<PaymentWiring, "engine" | "clock" | "log" | "metrics">) {
  const { networks } = deps.engine.status();
  deps.metrics.watchNetworks(networks);
  return startWalletWatch({
    networks: networks.map(({ network: { chainId }, view }) => ({ chainId, view })),
    ...deps,
  });
}

function metricsOf(config: Config, signers: readonly Signer[], clock: Clock): Metrics {
  if (!config.metrics) return noMetrics;
  return createMetrics(
    clock,
    signers.map(({ address }) => address),
  );
}

async function denyListOf({ denyListFile: path }: Config, runtime: Runtime) {
  return path === undefined ? undefined : openDenyList(path, runtime);
}

/** Endpoints are observed for the metrics and for the status page. */
function watchEndpoints(record: ServiceRecord, metrics: Metrics): Metrics["watchEndpoint"] {
  return (network, endpoint) =>
    record.watchEndpoint(network, metrics.watchEndpoint(network, endpoint));
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
