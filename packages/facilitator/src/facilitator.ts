/** The service, wired: configuration in, a running facilitator out; started and stopped whole. */
import { readFileSync } from "node:fs";
import { isObject, type ChainId } from "@farthing/protocol";
import { authenticate } from "./accounts/api-keys.ts";
import { createBatcher } from "./base/batcher.ts";
import { sentenceOf, type CheckLine } from "./base/check-line.ts";
import { systemClock, type Clock } from "./base/clock.ts";
import { Fault, messageOf } from "./base/fault.ts";
import { createLog, type Log } from "./base/log.ts";
import { selfCheck } from "./chain/self-check.ts";
import { gasPriceFloorWei, type Config } from "./config.ts";
import type { ArrivalTimes } from "./http/connections.ts";
import type { HttpContext } from "./http/context.ts";
import { createCatalogue } from "./listings/catalogue.ts";
import { createMetricsServer } from "./http/metrics-server.ts";
import { createServer, type Listener } from "./http/server.ts";
import { surfacesOf } from "./http/surface.ts";
import { startGasWatch } from "./gas-watch.ts";
import { createMetrics, noMetrics, type Metrics } from "./metrics.ts";
import type { Claim, Pair, Settlement } from "./model/settlement.ts";
import { createNetworkEngine, openChain, type NetworkEngine } from "./network-engine.ts";
import { contractTransferGasMax } from "./relayer/fees.ts";
import { createLeaseOwner } from "./relayer/lease.ts";
import { createSigners } from "./relayer/sign.ts";
import { createAdmission, type Admit } from "./settlement/admission.ts";
import { listenToNeighbours } from "./settlement/neighbours.ts";
import { createExchanges } from "./settlement/exchanges.ts";
import { startRemoval } from "./remove-old.ts";
import { createRefuseIdentifier, type RefuseIdentifier } from "./settlement/payment-identifier.ts";
import { createSettle, type SettleDeps } from "./settlement/settle.ts";
import { createWaiters, type Waiters } from "./settlement/waiters.ts";
import { openStore } from "./storage/open-store.ts";
import type { ClaimResult, Store } from "./storage/store.ts";
import { createRefuseUsed, type RefuseUsed } from "./verification/earlier-use.ts";
import { installCrypto } from "./verification/signature.ts";
import { createVerifier, type Verifier } from "./verification/verify.ts";
import { startWalletWatch } from "./wallet-watch.ts";
import { wireKeyless } from "./wire-keyless.ts";
import { wireAccounts } from "./wire-accounts.ts";

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
  readonly store?: Store;
  /** Where the dashboard's build is, when not beside this package. */
  readonly dashboardFolder?: string;
  /** How slowly requests may arrive, when not as usual. */
  readonly arrival?: ArrivalTimes;
  /** Told the self-check's findings, also when they end the start. */
  onChecked?(network: string, lines: readonly CheckLine[]): void;
}

/** Claims of one transaction, and claims that may wait for one. */
const claimsMax = 200;
const claimsWaitingMax = 10_000;

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

/** Starts the service. Throws the fault `configuration` when a check fails. */
export async function startFacilitator(options: StartOptions): Promise<Facilitator> {
  const { config, clock = systemClock } = options;
  const log = options.log ?? createLog(config.logLevel);
  await installCrypto();
  const signers = walletsOf(config);
  const addresses = signers.map(({ address }) => address);
  const metrics = config.metrics ? createMetrics(clock, addresses) : noMetrics;
  const chains = config.networks.map((network) => openChain(network, { log, clock, metrics }));
  const checks = await Promise.all(
    chains.map(async (chain) => {
      const lines = await selfCheck(chain, addresses, gasNeeds, clock);
      options.onChecked?.(chain.network.id, lines);
      return { network: chain.network.id, lines };
    }),
  );
  refuseFailedChecks(checks);
  const store = metrics.watchStore(options.store ?? (await openStore(config.databaseUrl, { log })));
  const impatience = new AbortController();
  const waiters = createWaiters(cutShortBy(impatience.signal, clock));
  const owner = createLeaseOwner({ sameMachine: config.databaseUrl.startsWith("sqlite:") });
  await store.appear(owner.id);
  const shared = { config, store, clock, log, waiters, owner, signers };
  const engines = new Map<ChainId, NetworkEngine>(
    chains.map((chain) => [chain.network.chainId, createNetworkEngine(chain, shared)]),
  );
  const gasWatch = startGasWatch({
    networks: config.networks.map(({ network }) => network),
    keylessGasGwei: options.listen === false ? null : config.keylessGasGwei,
    revertedGasGwei: config.revertedGasGwei,
    note: metrics.noteGas,
    ...shared,
  });
  const removal = startRemoval({ engines, retention: config.retention, ...shared });
  const stopListening = listenToNeighbours({ store, clock, log, waiters, networks: engines });
  const watch = watchEngines([...engines.values()], { clock, log, metrics });
  const context = contextOf({ options, config, clock, log, store, waiters, engines, metrics });
  const networkOf = (chainId: ChainId) => engines.get(chainId);
  // The self-built face has no accounts.
  const accounts = options.selfBuilt
    ? undefined
    : wireAccounts({ ...shared, settle: context.settle, version: context.version, networkOf });
  const server = await createServer(context, {
    trustedProxies: config.trustedProxies,
    connectionsMax: config.connectionsPerAddress,
    arrival: options.arrival,
    accounts,
    dashboardFolder: options.dashboardFolder,
  });
  const metricsServer = createMetricsServer(metrics.render);

  async function stop(): Promise<void> {
    log.info({}, "Facilitator takes no more requests");
    const drained = server.drain((signal) => clock.sleep(drainMs, signal));
    // Closed at once, a connection may hold a request that nobody would ever answer.
    await Promise.all([drained, clock.sleep(lingerMs)]);
    // Whoever still waits for an outcome is told "pending", which is what it is.
    impatience.abort();
    await server.drain((signal) => clock.sleep(leaveMs, signal));
    await server.close();
    await accounts?.stop();
    await stopListening();
    await Promise.all([watch.stop(), gasWatch.stop(), removal.stop()]);
    await Promise.all([...engines.values()].map((engine) => engine.stop()));
    await metricsServer.close();
    await store.close();
    log.info({}, "Facilitator stopped");
  }

  try {
    const { fetch } = server;
    const metricsUrl = config.metrics && (await listen(metricsServer, config.metrics, "METRICS_"));
    // First: however much there is to take stock of, /health and /ready say that it has begun.
    const url = options.listen === false ? insideUrl : await listen(server, config, "");
    if (options.listen !== false) accounts?.listensAt(url);
    await Promise.all([...engines.values()].map((engine) => engine.start()));
    if (options.listen === false) return { url, fetch, metricsUrl, checks, stop };
    log.info({ networks: config.networks.map(({ network }) => network.id) }, "Facilitator serves");
    return { url, fetch, metricsUrl, checks, stop };
  } catch (error) {
    // The wallets are given back, for whoever serves on that port instead.
    await stop();
    throw error;
  }
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

interface Wiring {
  readonly options: StartOptions;
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  readonly store: Store;
  readonly waiters: Waiters;
  readonly engines: ReadonlyMap<ChainId, NetworkEngine>;
  readonly metrics: Metrics;
}

function contextOf(wiring: Wiring): HttpContext {
  const { options, config, clock, log, store, waiters, engines, metrics } = wiring;
  const networks = config.networks.map(({ network }) => network);
  const findByPair = createBatcher<Pair, Settlement | undefined>({
    run: (pairs) => store.findSettlementsByPair(pairs),
    itemsMax: claimsMax,
    inFlightMax: 1,
    waitingMax: claimsWaitingMax,
  });
  const networkOf = (chainId: ChainId) => engines.get(chainId);
  const viewOf = (chainId: ChainId) => engines.get(chainId)?.view();
  const refuseUsed = createRefuseUsed({ clock, networkOf });
  const { revertedGasOf, ...keyless } = wireKeyless({ config, store, clock, viewOf });
  const admit = createAdmission({ clock, store, networkOf, revertedGasOf });
  const exchanges = createExchanges({ store, clock, log, policy: config.repeatAfterSuccess });
  const refuseIdentifier = createRefuseIdentifier({ store, clock });
  const verifier = createVerifier({
    clock,
    findByPair,
    openExchange: exchanges.open,
    refuseUsed,
    chainOf: networkOf,
  });
  return {
    version: versionOf(),
    clock,
    log,
    surfaces: surfacesOf({
      selfBuilt: options.selfBuilt ?? false,
      networks,
      publicNetworks: config.publicNetworks,
      hostedAuth: config.hostedAuth,
    }),
    networks: [...engines.values()].map(({ chain, relayer, view }) => ({
      network: chain.network,
      relayers: relayer.addresses,
      view,
      load: relayer.load,
      endpointLimits: () => chain.limits(),
    })),
    limits: limitsOf(options, config),
    observer: metrics.http,
    verifier,
    settle: settleOf({
      ...wiring,
      admit,
      revertedGasOf,
      verifier,
      findByPair,
      refuseUsed,
      refuseIdentifier,
    }),
    admit,
    refuseIdentifier,
    // The self-built face has no accounts, and with that no listings.
    catalogue: createCatalogue(options.selfBuilt ? undefined : store),
    waiters,
    settleMarginSeconds: config.settleMarginSeconds,
    creditsPerSettlement: config.creditsPerSettlement,
    exchanges,
    findSettlement: (id) => store.findSettlement(id),
    authenticate: (text) => authenticate(store, clock, text),
    planOf: async (account) => (await store.findAccount(account))?.plan,
    pingStore: () => store.ping(),
    ...keyless,
    viewOf,
  };
}

/** The limits of the surfaces; a service inside another process has that one's callers only. */
function limitsOf({ listen }: StartOptions, config: Config): HttpContext["limits"] {
  return {
    requestsMax: listen === false ? 0 : config.rateLimit,
    unitsMin: listen === false ? 0n : config.minAmountUnits,
    payerCapUnits: listen === false ? null : config.payerCapUnits,
    payerCountMax: listen === false ? null : config.payerCountMax,
    keylessGasGwei: listen === false ? null : config.keylessGasGwei,
    headAgeMaxSeconds: config.headAgeMaxSeconds,
  };
}

function settleOf(
  wiring: Pick<Wiring, "clock" | "log" | "store" | "waiters" | "engines"> & {
    admit: Admit;
    revertedGasOf: SettleDeps["revertedGasOf"];
    verifier: Verifier;
    refuseUsed: RefuseUsed;
    refuseIdentifier: RefuseIdentifier;
    findByPair(pair: Pair): Promise<Settlement | undefined>;
  },
) {
  const { clock, log, store, engines } = wiring;
  const announceUnserved = createBatcher<string, undefined>({
    async run(ids) {
      await store.announceUnserved(ids);
      return ids.map(() => undefined);
    },
    itemsMax: claimsMax,
    inFlightMax: 1,
    waitingMax: claimsWaitingMax,
  });
  return createSettle({
    ...wiring,
    claim: createBatcher<Claim, ClaimResult>({
      run: (claims) => store.claimSettlements(claims, clock.nowMs()),
      itemsMax: claimsMax,
      inFlightMax: 1,
      waitingMax: claimsWaitingMax,
    }),
    findSettlement: (id) => store.findSettlement(id),
    networkOf: (chainId) => engines.get(chainId),
    tellUnserved: ({ id: settlementId }) => {
      // Others find it by themselves, only later.
      announceUnserved(settlementId).catch((error: unknown) => {
        log.warn({ settlementId, problem: messageOf(error) }, "Could not tell others of a claim");
      });
    },
  });
}

/** The version of the package, which all packages share. */
export function versionOf(): string {
  const text = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  const manifest: unknown = JSON.parse(text);
  return isObject(manifest) ? String(manifest["version"]) : "";
}
