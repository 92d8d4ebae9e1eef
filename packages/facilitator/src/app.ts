/** The wiring of the service: its start from a configuration, and its stop. */
import { createEngine, type Signer } from "@farthing/engine";
import {
  type CheckLine,
  type Clock,
  createLog,
  Fault,
  type Log,
  messageOf,
  systemClock,
  warning,
  type Runtime,
} from "@farthing/engine/base";
import { isObject } from "@farthing/protocol";
import type { Config } from "./config/config.ts";
import { workerEnvironment } from "./config/listening.ts";
import type { ArrivalTimes } from "./http/server/connections.ts";
import { registerDashboard } from "./http/site/dashboard.ts";
import { createMetricsServer } from "./http/server/metrics-server.ts";
import { observeCalls } from "./http/server/observe-calls.ts";
import { createServer, type Listener } from "./http/server/server.ts";
import { createSiteAddress } from "./http/site/site.ts";
import { registerHomePage } from "./payments/home-page.ts";
import { createServiceRecord, startRecord, type ServiceRecord } from "./payments/service-record.ts";
import type { PaymentContext } from "./payments/context.ts";
import { createServiceHistory } from "./payments/service-history.ts";
import { registerStatusPage } from "./payments/status-page.ts";
import { readiness } from "./payments/status.ts";
import { openChannelKey } from "./payments/channels/authorizer.ts";
import { registerPayments } from "./payments/routes.ts";
import { openConfiguredSigners } from "./operations/configured-parts.ts";
import { startGasWatch } from "./operations/gas-watch.ts";
import { createMetrics, noMetrics, type Metrics } from "./operations/metrics.ts";
import { startMonths } from "./operations/keep-months.ts";
import { startRemoval } from "./operations/remove-old.ts";
import { startTraces } from "./operations/traces.ts";
import { createStore, type ServiceStore } from "./features/open-store.ts";
import { startStateWatch } from "./operations/state-watch.ts";
import { watchEngine } from "./operations/watch-engine.ts";
import { createWriteWatch } from "./operations/write-watch.ts";
import { createFeatures, featureTags } from "./features/features.ts";
import { registerFeatures } from "./features/routes.ts";
import { openDenyList } from "./payments/deny-list.ts";
import { createScreening } from "./payments/screening.ts";
import { valueAt } from "./payments/by-gas-price.ts";
import { startFeeWatch } from "./payments/present-fee.ts";
import { createPaymentContext, gasBudgetsOf, presentFeeOf, versionOf } from "./payment-wiring.ts";
import { openXdcPrice } from "./payments/xdc-price.ts";
import { withWorkers } from "./workers/with-workers.ts";

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
  const service = await createService(options);
  const { log } = service.shared;

  async function stop(): Promise<void> {
    log.info({ event: "facilitator_stopping" }, "Shutdown started; new requests refused");
    await end(service);
    log.info({ event: "facilitator_stopped" }, "Facilitator stopped");
  }

  try {
    return { ...(await start(service, options)), stop };
  } catch (error) {
    // Releases the wallets for the process that replaces this one.
    const fields = { event: "start_cleanup_failed" };
    await end(service).catch(warning(log, fields, "Cleanup after a failed start did not complete"));
    throw error;
  }
}

/** The parts of the service. */
type Service = Awaited<ReturnType<typeof createService>>;

/** Creates all parts; none of them listens or works yet. */
async function createService(options: StartOptions) {
  const { config, clock = systemClock, selfBuilt = false, listen: listens = true } = options;
  const { signers, metrics, channelKey } = await openKeys(config, clock);
  const log = metrics.watchLog(options.log ?? createLog(config.logLevel));
  const traces = await startTraces(config.traces, { clock, log, version: versionOf(), metrics });
  const denyList = await denyListOf(config, { clock, log });
  const record = createServiceRecord(clock, (...settled) => history.noteSettled(...settled));
  const storage = storageOf(options, { log, metrics, record });
  const history = createServiceHistory({ ...storage, networks: config.networks, clock, log });
  const writing = createWriteWatch({ ...storage, clock, log });
  const xdcPrice = await openXdcPrice(config, { clock, log });
  const networks = () => engine.status().networks;
  const presentFee = presentFeeOf({ ...storage, config, xdcPrice, networks, clock, log });
  async function open(): Promise<void> {
    await writing.openOnPrimary(storage, options.signal);
    // The first payment is charged as all others of this database are.
    if (!selfBuilt) await presentFee.look();
  }
  const engine = createEngine({
    networks: config.networks,
    signers: signers.map(metrics.watchSigner),
    storage: { ...storage, open },
    settings: { ...config, revertedGasGwei: (price) => valueAt(config.revertedGas, () => price) },
    clock,
    log,
    screen: createScreening({ ...config, denyList, clock, log }),
    tracer: traces?.tracer,
    watchEndpoint: watchEndpoints(record, metrics),
  });
  const { site, listensAt } = createSiteAddress(config);
  const shared = { ...storage, config, clock, log, engine, metrics, xdcPrice, site, ...writing };
  const paying = { presentFee, channelKey, selfBuilt, listens, history };
  const context = createPaymentContext({ ...shared, ...paying });
  const features = selfBuilt // It has no accounts.
    ? undefined
    : createFeatures(withPayments(shared, context));
  const hasWorkers = listens && config.workers > 1;
  const server = await createServer(context, {
    ...config,
    // With workers, callers' connections are counted where they arrive.
    connectionsMax: hasWorkers ? 0 : config.connectionsPerAddress,
    arrival: options.arrival,
    tags: featureTags,
    tracing: traces,
    async registerRoutes(routes, limits) {
      if (features) observeCalls(routes, features.callObservers);
      registerPayments(routes, context, limits);
      registerHomePage(routes, context, { limits, site });
      registerStatusPage(routes, context, { limits, site, record, history });
      if (!features) return;
      await registerFeatures(routes, features, { ...context, limits });
      await registerDashboard(routes, options.dashboardFolder);
    },
  });
  const listener = hasWorkers
    ? withWorkers({
        ...shared,
        server,
        context,
        count: config.workers,
        connections: { ...config, max: config.connectionsPerAddress },
        arrival: options.arrival,
        logLevel: config.logLevel,
        environment: workerEnvironment(),
        tracing: traces,
        callObservers: features?.callObservers ?? [],
      })
    : server;
  const metricsServer = createMetricsServer(metrics.render);
  /** Stop functions; those of the background jobs join once the database is open. */
  const stops: (() => Promise<void>)[] = [...watchEngine({ ...shared, ...context })];
  const parts = { shared, context, record, history, presentFee, networks, denyList, features };
  return { ...parts, traces, server, listener, metricsServer, listens, listensAt, stops };
}

/** Starts the background jobs, once the database is open. */
function startJobs(service: Service): void {
  const { shared, history, networks, listens, denyList, features, stops } = service;
  const { config, engine, metrics } = shared;
  const gasWatch = startGasWatch({
    networks: config.networks.map(({ network }) => network),
    ...gasBudgetsOf({ config, listens, networks }),
    note: metrics.noteGas,
    ...shared,
  });
  const engines = new Map(engine.status().networks.map((one) => [one.network.chainId, one]));
  const kept = { retention: config.retention, ...shared };
  const removal = startRemoval({ engines, ...kept });
  stops.push(startMonths(kept).stop);
  stops.push(gasWatch.stop, removal.stop, shared.startWriting().stop, history.start().stop);
  if (config.metrics)
    stops.push(startStateWatch({ ...shared, networks: engine.status().networks }).stop);
  if (denyList) stops.push(denyList.watch().stop);
  if (features) stops.push(features.start());
}

async function openPorts(
  { shared, listener, metricsServer, listens, listensAt }: Service,
  options: StartOptions,
): Promise<Pick<Facilitator, "url" | "metricsUrl">> {
  const { config, log } = shared;
  const metricsUrl = config.metrics && (await listen(metricsServer, config.metrics, "METRICS_"));
  const url = listens ? await listen(listener, config, "") : inProcessUrl;
  if (!listens) return { url, metricsUrl };
  listensAt(url);
  log.info({ event: "port_opened" }, "Port opened; the chain is checked");
  options.onListening?.(url);
  return { url, metricsUrl };
}

/** Opens the port first, because nodes and the database decide how long the rest takes. */
async function start(service: Service, options: StartOptions): Promise<Omit<Facilitator, "stop">> {
  const { shared, server, presentFee, features, listens, stops } = service;
  const { config, engine, clock, log } = shared;
  const urls = await openPorts(service, options);
  const { signal, onChecked } = options;
  const checks = await engine.start({
    ...(signal && { signal }),
    ...(onChecked && { onChecked }),
    onDatabaseOpened: () => startJobs(service),
  });
  if (features) {
    stops.push((await startFeeWatch({ clock, log, look: presentFee.look })).stop);
  }
  stops.push(watchChecks(service).stop);
  if (listens) {
    const networks = config.networks.map(({ network }) => network.id);
    log.info({ event: "facilitator_started", networks }, "Facilitator started");
  }
  return { ...urls, fetch: server.fetch, checks };
}

async function end({
  shared,
  server,
  listener,
  metricsServer,
  traces,
  stops,
}: Service): Promise<void> {
  const { clock, engine } = shared;
  const drained = server.intake.drain((signal) => clock.sleep(drainMs, signal));
  // A connection that is closed at once may hold a request that would never get a response.
  await Promise.all([drained, clock.sleep(arrivalGraceMs)]);
  // Callers that still wait for an outcome get "pending".
  engine.endWaits();
  await server.intake.drain((signal) => clock.sleep(sendGraceMs, signal));
  await listener.close();
  await Promise.all(stops.map((stop) => stop()));
  await engine.stop();
  await traces?.stop();
  await metricsServer.close();
}

/** What features have of payments. */
function withPayments<Shared>(shared: Shared, context: PaymentContext) {
  const requestsMax = context.limits.requestsMax || null;
  return { ...shared, ...context, requestsMax, budget: context, payments: context };
}

/** Returns the store of the options, which is open, or the configured one. */
function storageOf(
  { store, config: { databaseUrl, databaseReadUrl: readUrl } }: StartOptions,
  { log, metrics, record }: { log: Log; metrics: Metrics; record: ServiceRecord },
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
  const own = createStore(databaseUrl, { log, readUrl });
  return { store: watched(own), open: own.open, isReadOnly: own.isReadOnly, isLocal };
}

/** Records what the checks of /ready find, for the status page and the metrics. */
function watchChecks({ record, history, context, shared: { metrics } }: Service) {
  return startRecord(record, {
    clock: context.clock,
    read: () => readiness(context),
    noted(checks) {
      history.note(checks);
      for (const { name, ok } of checks) metrics.noteCheck(name, ok);
    },
  });
}

/** Opens the relayer wallets, the key of channels where it is outside of the process, and the metrics. */
async function openKeys(config: Config, clock: Clock) {
  const signers = await openConfiguredSigners(config);
  const key = await openChannelKey(config);
  const metrics = metricsOf(config, signers, clock);
  return { signers, metrics, channelKey: key && metrics.watchChannelKey(key) };
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
    if (error instanceof Fault) throw error;
    const isTaken = isObject(error) && error["code"] === "EADDRINUSE";
    throw new Fault(
      "configuration",
      `Cannot listen on ${host}:${port}, ${isTaken ? "where another program, or another facilitator, listens already" : messageOf(error)}; set FARTHING_${part}PORT to a free port`,
      { retryable: false, cause: error },
    );
  }
}
