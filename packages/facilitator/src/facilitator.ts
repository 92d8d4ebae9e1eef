/** The service, wired: configuration in, a running facilitator out; started and stopped whole. */
import type { ChainId } from "@farthing/protocol";
import {
  contractTransferGasMax,
  createLeaseOwner,
  createNetworkEngine,
  createSigners,
  createWaiters,
  installCrypto,
  listenToNeighbours,
  type NetworkEngine,
  openChain,
  selfCheck,
  gasPriceFloorWei,
} from "@farthing/engine";
import {
  type CheckLine,
  type Clock,
  createLog,
  Fault,
  type Log,
  messageOf,
  orAborted,
  sentenceOf,
  systemClock,
} from "@farthing/engine/base";
import type { Config } from "./config/config.ts";
import type { ArrivalTimes } from "./http/connections.ts";
import { registerDashboard } from "./http/dashboard.ts";
import { createMetricsServer } from "./http/metrics-server.ts";
import { createServer, type Listener, type StartStep } from "./http/server.ts";
import { registerPayments } from "./payments/routes.ts";
import { startGasWatch } from "./operations/gas-watch.ts";
import { createMetrics, noMetrics, type Metrics } from "./operations/metrics.ts";
import { startRemoval } from "./operations/remove-old.ts";
import { createStore, type ServiceStore } from "./features/open-store.ts";
import { startWalletWatch } from "./operations/wallet-watch.ts";
import { createFeatures } from "./features/features.ts";
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

/** What a wallet needs to work at all, and the price its supply is reckoned with. */
const gasNeeds = { floor: contractTransferGasMax * gasPriceFloorWei, price: gasPriceFloorWei };

/** How long requests under way may take when the service stops: three blocks. */
const drainMs = 6_000;

/** How long what was on the wire when the service stops may take to arrive: a slow round trip. */
const lingerMs = 250;

/** How long answers may take to leave once nobody waits for outcomes any more. */
const leaveMs = 1_000;

/** The address of a service that has none: a name that no resolver knows (RFC 2606). */
const insideUrl = "http://facilitator.invalid";

/**
 * Starts the service. Throws the fault `configuration` when a check fails, and what the signal says
 * when it ends the start; the port is closed by then and nothing is left behind.
 */
export async function startFacilitator(options: StartOptions): Promise<Facilitator> {
  const { config, clock = systemClock } = options;
  const log = options.log ?? createLog(config.logLevel);
  await installCrypto();
  const signers = walletsOf(config);
  const addresses = signers.map(({ address }) => address);
  const metrics = config.metrics ? createMetrics(clock, addresses) : noMetrics;
  const chains = config.networks.map((network) =>
    openChain(network, { log, clock, watchEndpoint: metrics.watchEndpoint }),
  );
  const { store: unwatched, open } = storeOf(options, log);
  const store = metrics.watchStore(unwatched);
  const impatience = new AbortController();
  const waiters = createWaiters(cutShortBy(impatience.signal, clock));
  const owner = createLeaseOwner({ sameMachine: config.databaseUrl.startsWith("sqlite:") });
  const shared = { config, store, clock, log, waiters, owner, signers };
  const engines = new Map<ChainId, NetworkEngine>(
    chains.map((chain) => [chain.network.chainId, createNetworkEngine(chain, shared)]),
  );
  const networkOf = (chainId: ChainId) => engines.get(chainId);
  const { selfBuilt = false, listen: listens = true } = options;
  let step: StartStep = "chain";
  const startStep = () => step;
  const context = wireHttp({ ...shared, selfBuilt, listens, startStep, engines, metrics });
  // The self-built face has no accounts.
  const features = selfBuilt
    ? undefined
    : createFeatures({
        ...shared,
        ...context,
        requestsMax: context.limits.requestsMax || null,
        budget: context,
        networkOf,
      });
  const server = await createServer(context, {
    trustedProxies: config.trustedProxies,
    connectionsMax: config.connectionsPerAddress,
    arrival: options.arrival,
    async registerRoutes(routes, limits) {
      registerPayments(routes, context, limits);
      if (!features) return;
      await registerFeatures(routes, features, { ...context, limits });
      await registerDashboard(routes, options.dashboardFolder);
    },
  });
  const metricsServer = createMetricsServer(metrics.render);
  const watch = watchEngines([...engines.values()], { clock, log, metrics });
  /** Ends what works by itself; there is nothing of that before the database is open. */
  const endings: (() => Promise<void>)[] = [];

  function workAlone(): void {
    const gasWatch = startGasWatch({
      networks: config.networks.map(({ network }) => network),
      keylessGasGwei: listens ? config.keylessGasGwei : null,
      revertedGasGwei: config.revertedGasGwei,
      note: metrics.noteGas,
      ...shared,
    });
    const removal = startRemoval({ engines, retention: config.retention, ...shared });
    const stopListening = listenToNeighbours({ ...shared, networks: engines });
    endings.push(gasWatch.stop, removal.stop, stopListening);
    if (features) endings.push(features.start());
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

  async function checkChains(): Promise<Facilitator["checks"]> {
    const checks = await orEnded(
      Promise.all(chains.map((chain) => selfCheck(chain, addresses, gasNeeds, clock))),
    );
    return chains.map(({ network }, index) => {
      const lines = checks[index] ?? [];
      options.onChecked?.(network.id, lines);
      return { network: network.id, lines };
    });
  }

  /** The port first: what the rest takes is up to nodes and the database. */
  async function start(): Promise<Omit<Facilitator, "stop">> {
    const places = await listenAt();
    const checks = await checkChains();
    refuseFailedChecks(checks);
    step = "database";
    log.info({ event: "chain_checked" }, "Chain checked; the database is opened");
    // Not given up half-way, whatever the signal says: what it changes is changed whole.
    await open();
    options.signal?.throwIfAborted();
    await store.appear(owner.id);
    workAlone();
    step = "done";
    log.info({ event: "database_opened" }, "Database opened; stock is taken");
    await orEnded(Promise.all([...engines.values()].map((engine) => engine.start())));
    if (listens) {
      log.info(
        { networks: config.networks.map(({ network }) => network.id) },
        "Facilitator serves",
      );
    }
    return { ...places, fetch: server.fetch, checks };
  }

  function orEnded<T>(work: Promise<T>): Promise<T> {
    return options.signal ? orAborted(work, options.signal) : work;
  }

  async function end(): Promise<void> {
    const drained = server.drain((signal) => clock.sleep(drainMs, signal));
    // Closed at once, a connection may hold a request that nobody would ever answer.
    await Promise.all([drained, clock.sleep(lingerMs)]);
    // Whoever still waits for an outcome is told "pending", which is what it is.
    impatience.abort();
    await server.drain((signal) => clock.sleep(leaveMs, signal));
    await server.close();
    await Promise.all([watch.stop(), ...endings.map((ending) => ending())]);
    await Promise.all([...engines.values()].map((engine) => engine.stop()));
    await metricsServer.close();
    await store.close();
  }

  async function stop(): Promise<void> {
    log.info({}, "Facilitator takes no more requests");
    await end();
    log.info({}, "Facilitator stopped");
  }

  try {
    return { ...(await start()), stop };
  } catch (error) {
    // The wallets are released, for the process that serves instead.
    await end().catch((problem: unknown) => {
      log.warn({ problem: messageOf(problem) }, "Start did not end cleanly");
    });
    throw error;
  }
}

/** The store that was given, which is open, or the one that the configuration names. */
function storeOf({ store, config }: StartOptions, log: Log) {
  if (store) return { store, open: async () => undefined };
  const own = createStore(config.databaseUrl, { log });
  return { store: own, open: own.open };
}

/** A clock whose pauses end when the signal says so. */
function cutShortBy(signal: AbortSignal, clock: Clock): Clock {
  return {
    nowMs: () => clock.nowMs(),
    sleep: (ms, own) => clock.sleep(ms, own ? AbortSignal.any([signal, own]) : signal),
  };
}

/** Gauges of what is going on, and the log's warning about wallets that run low. */
function watchEngines(
  engines: readonly NetworkEngine[],
  deps: { readonly clock: Clock; readonly log: Log; readonly metrics: Metrics },
) {
  const networks = engines.map(({ chain, relayer, view }) => ({
    network: chain.network,
    chainId: chain.network.chainId,
    view,
    queued: () => relayer.load().queued,
    endpointLimits: () => chain.limits(),
    lanes: relayer.lanes,
  }));
  deps.metrics.watchNetworks(networks);
  return startWalletWatch({ networks, ...deps });
}

function walletsOf(config: Config) {
  if (config.wallets) return createSigners(config.wallets);
  throw new Fault(
    "configuration",
    "No relayer wallet is configured; set FARTHING_RELAYER_KEYS or FARTHING_RELAYER_MNEMONIC",
    { retryable: false },
  );
}

/** Refuses to serve with a wrong chain, token or domain, or with no wallet that can pay gas. */
function refuseFailedChecks(checks: Facilitator["checks"]): void {
  const problems = checks.flatMap(({ network, lines }) => {
    const relayers = lines.filter(({ name }) => name === "relayer");
    const isFunded = relayers.length === 0 || relayers.some(({ status }) => status !== "fail");
    // One empty wallet among several is a warning; the others work.
    return lines
      .filter(({ name, status }) => status === "fail" && (name !== "relayer" || !isFunded))
      .map((line) => `${network} ${line.name}: ${sentenceOf(line)}`);
  });
  if (problems.length > 0) {
    throw new Fault("configuration", problems.join("\n"), { retryable: false });
  }
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
