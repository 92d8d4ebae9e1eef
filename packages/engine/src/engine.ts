/**
 * The engine: verifies, settles and relays x402 payments on one or more networks. It has no HTTP, no
 * accounts and no billing; a service adds these around it, and takes part in settlements as a
 * `SettlementParticipant`.
 */
import { randomBytes } from "node:crypto";
import type { Address, ChainId, Hex, Network, Outcome, PaymentRequest } from "@farthing/protocol";
import { compileSignatures } from "@farthing/protocol/compile-signatures";
import type { Tracer } from "@opentelemetry/api";
import { sentenceOf, type CheckLine } from "./base/check-line.ts";
import { systemClock, type Clock } from "./base/clock.ts";
import { misconfigured } from "./base/fault.ts";
import { silentLog, type Log } from "./base/log.ts";
import { orAborted } from "./base/or-aborted.ts";
import { registeredTracer } from "./base/tracing.ts";
import type { ChainView } from "./chain/follower/chain-view.ts";
import type { Chain } from "./chain/endpoints/chain.ts";
import { readGasReceipts, type GasReceipt } from "./chain/reads/gas-receipts.ts";
import type { RpcEndpoint } from "./chain/endpoints/rpc-endpoint.ts";
import { selfCheck } from "./chain/checks/self-check.ts";
import type { Settlement } from "./model/settlement.ts";
import {
  createNetworkEngine,
  openChain,
  type EngineSettings,
  type NetworkEndpoints,
  type NetworkEngine,
} from "./network-engine.ts";
import { stateOf, type NetworkState } from "./network-state.ts";
import { createPaymentSteps, type PaymentSteps } from "./payment-steps.ts";
import { contractTransferGasMax, gasPriceFloorWei } from "./relayer/fees.ts";
import { defaultGasLimits } from "./relayer/gas-prices.ts";
import { createLeaseOwner } from "./relayer/lease.ts";
import { createSettlementTraces } from "./relayer/settlement-traces.ts";
import type { Signer } from "./relayer/signer.ts";
import type { AdmissionCaller } from "./settlement/admission.ts";
import {
  readAuthorizationEnd,
  type AuthorizationEnd,
  type AuthorizationQuestion,
} from "./settlement/authorization-end.ts";
import { createChannels, type Channels } from "./settlement/channels.ts";
import type { Since } from "./settlement/compare-nonces.ts";
import type { SearchResult } from "./settlement/read-lost.ts";
import { startPeerListener } from "./settlement/peers.ts";
import type { RefundOptions, RefundRequest, RefundResult } from "./settlement/refund.ts";
import type { SettleOptions, SettleResult } from "./settlement/settle.ts";
import { createWaiters, type WaitGoal, type Waiters, type Waiting } from "./settlement/waiters.ts";
import { createStorage, type EngineStores } from "./storage/open-storage.ts";
import type { SettlementParticipant } from "./storage/participant.ts";
import type { Screen, VerifiedPayment, VerifyOptions } from "./verification/verify.ts";
import { readWalletSignature, type WalletReading } from "./verification/wallet-signature.ts";

/**
 * The least gas money of a relayer wallet, and the gas price for estimates of its supply, at a start: at
 * the lowest price, because a service also starts while the price is high and its wallets are filled.
 */
const gasNeeds = { floor: contractTransferGasMax * gasPriceFloorWei, price: gasPriceFloorWei };

/** A week of XDC: backups are made daily. */
const searchBlocksMax = 302_400;

/** The engine's settings, where the options leave them out. */
export const defaultSettings: EngineSettings = {
  ...defaultGasLimits,
  confirmations: 1,
  laneInFlight: 8,
  contractInFlight: 1,
  batchMax: 50,
  walletFactories: [],
  settleMarginSeconds: 6n,
  revertedGasGwei: null,
  repeatAfterSuccess: "auto",
  formerWallets: [],
  sharedWallets: [],
  searchBlocksMax,
  idSecret: undefined,
};

/** Longest wait of `settle` for an outcome where its options name none. */
const outcomeWaitMs = 25_000;

/** Random bytes of a request id where the caller passes none. */
const requestIdBytes = 16;

/**
 * The most gas measured for a plain payer's settlement: 103,580 alone, to a payee that receives USDC
 * for the first time. External callers choose their payees, so less would let them exceed a budget.
 */
const plainGas = 104_000n;

const weiPerGwei = 1_000_000_000n;

/** Storage that a service has composed on a database, for the engine and for itself. */
export interface EngineStorage {
  readonly store: EngineStores & { close(): Promise<void> };
  /** Whether all processes that use the database run on this machine, as with a SQLite file. */
  readonly isLocal: boolean;
  /** Brings the schema up to date. */
  open(): Promise<void>;
}

/** A database for the engine alone, and the participants in its settlements, in order. */
export interface EngineDatabase {
  /** `sqlite:/path/to/file`, `sqlite::memory:` or `postgres://…`. */
  readonly databaseUrl: string;
  /** A database opens only with all participants that it was ever opened with. */
  readonly participants?: readonly SettlementParticipant[];
}

export interface EngineOptions {
  readonly networks: readonly NetworkEndpoints[];
  /** The relayer wallets, which pay for gas. Only processes on this database may use them. */
  readonly signers: readonly Signer[];
  readonly storage: EngineDatabase | EngineStorage;
  readonly settings?: Partial<EngineSettings>;
  readonly clock?: Clock;
  /** Silent by default. */
  readonly log?: Log;
  /** Receives the spans; by default the tracer that is registered with OpenTelemetry's API, if any. */
  readonly tracer?: Tracer | undefined;
  /** Wraps an endpoint to observe its requests. */
  readonly watchEndpoint?: (network: Network, endpoint: RpcEndpoint) => RpcEndpoint;
  /** Refuses payments of addresses that the operator does not serve; absent serves all. */
  readonly screen?: Screen | undefined;
}

export interface StartOptions {
  /** Aborts the start; the engine still needs `stop`. */
  readonly signal?: AbortSignal;
  /** Receives the self-check's lines, also when the start fails because of them. */
  onChecked?(network: string, lines: readonly CheckLine[]): void;
  /** Called when the database is open, before recovery: background jobs may begin. */
  onDatabaseOpened?(): void;
}

/** The self-check's lines of one network. */
export interface NetworkCheck {
  readonly network: string;
  readonly lines: readonly CheckLine[];
}

/** The step that the start has reached. */
export type EngineStep = "chain" | "database" | "recovery" | "running";

export interface EngineStatus {
  readonly step: EngineStep;
  readonly networks: readonly NetworkState[];
}

/** Gas of one settlement at the present price, in gwei. */
export interface GasEstimate {
  readonly plainGwei: number;
  readonly contractGwei: number;
}

export interface SettlementEngine {
  /**
   * Checks the networks, opens the database, takes over what earlier processes left and begins to
   * relay. Throws the fault `configuration` when a check fails. Call `stop` also when it throws.
   */
  start(options?: StartOptions): Promise<readonly NetworkCheck[]>;
  /** Finishes what is being signed, releases the wallets and closes the storage. */
  stop(): Promise<void>;
  /** Checks a payment without settling it. Throws a fault when it cannot be evaluated now. */
  verify(
    request: PaymentRequest,
    options?: Partial<VerifyOptions & AdmissionCaller>,
  ): Promise<Outcome<VerifiedPayment>>;
  /** Settles a payment, or returns the settlement that it already has. Throws as `verify` does. */
  settle(request: PaymentRequest, options?: Partial<SettleOptions>): Promise<SettleResult>;
  /** Returns money of a final payment to its payer, signed by its payee. Throws as `verify` does. */
  refund(request: RefundRequest, options?: Partial<RefundOptions>): Promise<RefundResult>;
  find(settlementId: string): Promise<Settlement | undefined>;
  /** Throws `storage_behind` while the database may lack payments, so that nothing is known not to exist. */
  refuseWhileBehind(): Promise<void>;
  /** Begins to wait for a change of a settlement. */
  subscribe(settlementId: string, goal: WaitGoal, timeoutMs: number): Waiting;
  /** Returns how an address signed a text (EIP-191, ERC-1271); undefined on a chain not served. */
  checkWalletSignature(
    chainId: ChainId,
    signed: { readonly address: Address; readonly message: string; readonly signature: Hex },
  ): Promise<WalletReading | undefined>;
  /** Returns how an authorization ended; undefined until that is known. */
  readAuthorizationEnd(
    chainId: ChainId,
    question: AuthorizationQuestion,
  ): Promise<AuthorizationEnd | undefined>;
  /** Returns the gas that transactions used, as far as the node has their receipts. */
  readGas(chainId: ChainId, hashes: readonly Hex[]): Promise<GasReceipt[]>;
  estimateGas(chainId: ChainId): GasEstimate;
  status(): EngineStatus;
  viewOf(chainId: ChainId): ChainView | undefined;
  networkOf(chainId: ChainId): { readonly chain: Chain; view(): ChainView | undefined } | undefined;
  /** Records what the wallets have sent since then and the database has lost. Nothing on a chain not served. */
  recoverSince(chainId: ChainId, since: Since): Promise<SearchResult | undefined>;
  /** Payment channels, beside their deposits, which `settle` takes as `depositRequest` writes them. */
  readonly channels: Channels;
  /** For a service whose own limits come between the steps of `verify` and `settle`. */
  readonly steps: PaymentSteps;
  /** For a service that waits for changes of its own records. */
  readonly waiters: Waiters;
  /** Ends all waits at once, as before a stop: callers receive their settlements as they are. */
  endWaits(): void;
}

export function createEngine(options: EngineOptions): SettlementEngine {
  const { signers, clock = systemClock, log = silentLog, tracer = registeredTracer() } = options;
  const settings = { ...defaultSettings, ...options.settings };
  const addresses = signers.map(({ address }) => address);
  const { store: ownStore, open, isLocal } = storageOf(options.storage, log);
  const traces = createSettlementTraces(tracer);
  const store = traces.watchStore(ownStore);
  const ending = new AbortController();
  const waiters = createWaiters(clock, ending.signal);
  const owner = createLeaseOwner({ sameMachine: isLocal });
  const shared = { config: settings, store, clock, log, waiters, owner, signers, tracer, traces };
  const chains = options.networks.map((given) => {
    return { chain: openChain(given, { ...options, log, clock, tracer }), batcher: given.batcher };
  });
  const networks = new Map<ChainId, NetworkEngine>(
    chains.map(({ chain, batcher }) => [
      chain.network.chainId,
      createNetworkEngine(chain, { ...shared, batcher }),
    ]),
  );
  const networkOf = (chainId: ChainId) => networks.get(chainId);
  const priceOf = (chainId: ChainId) => networkOf(chainId)?.gasPrices.now() ?? gasPriceFloorWei;
  const estimateGas: SettlementEngine["estimateGas"] = (chainId) => estimateAt(priceOf(chainId));
  const steps = createPaymentSteps({
    ...settings,
    ...shared,
    screen: options.screen,
    networkOf,
    networks: () => networks.values(),
    revertedGasOf: (chainId) => revertedGasAt(settings, priceOf(chainId)),
  });
  const states = [...networks.values()].map(stateOf);
  let step: EngineStep = "chain";
  let stopListening: (() => Promise<void>) | undefined;

  async function start(options: StartOptions = {}): Promise<readonly NetworkCheck[]> {
    const { signal } = options;
    const orEnded = <T>(work: Promise<T>) => (signal ? orAborted(work, signal) : work);
    await compileSignatures();
    const checks = await orEnded(checkChains(chains, addresses, clock));
    for (const { network, lines } of checks) options.onChecked?.(network, lines);
    refuseFailedChecks(checks);
    step = "database";
    log.info({ event: "chain_checked" }, "Chain checked; opening the database");
    // A migration is not interrupted: it changes the schema whole or not at all.
    await open();
    signal?.throwIfAborted();
    await store.registerOwner(owner.id);
    stopListening = startPeerListener({ ...shared, networks });
    options.onDatabaseOpened?.();
    step = "recovery";
    log.info({ event: "database_opened" }, "Database opened; recovery begins");
    await orEnded(Promise.all([...networks.values()].map((network) => network.start())));
    step = "running";
    return checks;
  }

  async function stop(): Promise<void> {
    ending.abort();
    await stopListening?.();
    await Promise.all([...networks.values()].map((network) => network.stop()));
    await store.close();
  }

  return {
    start,
    stop,
    ...createCalls({ steps, settings, served: (network) => networks.has(network.chainId) }),
    find: steps.findTold,
    refuseWhileBehind: steps.refuseWhileBehind,
    subscribe: waiters.wait,
    async checkWalletSignature(chainId, signed) {
      const network = networkOf(chainId);
      return network && readWalletSignature(network.chain, signed);
    },
    async readAuthorizationEnd(chainId, question) {
      const network = networkOf(chainId);
      const view = network?.view();
      return network && view && readAuthorizationEnd({ chain: network.chain, view }, question);
    },
    async readGas(chainId, hashes) {
      const network = networkOf(chainId);
      return network ? readGasReceipts(network.chain, hashes) : [];
    },
    estimateGas,
    status: () => ({ step, networks: states }),
    viewOf: (chainId) => networkOf(chainId)?.view(),
    networkOf,
    recoverSince: async (chainId, since) => networkOf(chainId)?.lost.searchSince(since),
    channels: createChannels({ networkOf, clock }),
    steps,
    waiters,
    endWaits: () => ending.abort(),
  };
}

/** The gas that contract wallets may burn at a gas price in wei; undefined without a bound. */
function revertedGasAt({ revertedGasGwei: set }: EngineSettings, gasPriceWei: bigint) {
  const budgetGwei = typeof set === "function" ? set(gasPriceWei) : set;
  if (budgetGwei === null) return undefined;
  return { budgetGwei, reserveGwei: estimateAt(gasPriceWei).contractGwei };
}

/** The calls with defaults for their options. */
function createCalls(deps: {
  readonly steps: PaymentSteps;
  readonly settings: EngineSettings;
  served(network: Network): boolean;
}): Pick<SettlementEngine, "verify" | "settle" | "refund"> {
  const { steps, settings } = deps;
  const defaults = {
    served: (_version: 1 | 2, network: Network) => deps.served(network),
    marginSeconds: settings.settleMarginSeconds,
    unitsMin: 0n,
    owner: null,
    priority: "open" as const,
  };
  const settleDefaults = () => ({
    ...defaults,
    keyId: null,
    credits: 0,
    terms: {},
    requestId: randomBytes(requestIdBytes).toString("hex"),
    exchange: null,
    goal: "outcome" as const,
    timeoutMs: outcomeWaitMs,
    repeatTimeoutMs: outcomeWaitMs,
  });
  return {
    async verify(request, options) {
      const terms = { ...defaults, ...options };
      const verified = await steps.verifier.verifyUnclaimed(request, terms);
      if (!verified.ok) return verified;
      const refused =
        (await steps.refuseIdentifier(request)) ?? (await steps.admit(verified.value, terms));
      return refused ? { ok: false, refusal: refused } : verified;
    },
    settle: (request, options) => steps.settle(request, { ...settleDefaults(), ...options }),
    refund: (request, options) =>
      steps.refund(request, { ...settleDefaults(), payee: null, ...options }),
  };
}

function storageOf(storage: EngineOptions["storage"], log: Log): EngineStorage {
  if ("store" in storage) return storage;
  const { databaseUrl, participants = [] } = storage;
  const { store, open, close } = createStorage(databaseUrl, participants, { log });
  return { store: { ...store, close }, open, isLocal: databaseUrl.startsWith("sqlite:") };
}

function estimateAt(price: bigint): GasEstimate {
  const gweiOf = (gas: bigint) => Number((gas * price) / weiPerGwei);
  // A contract wallet's payment reserves the most gas that its transaction may burn.
  return { plainGwei: gweiOf(plainGas), contractGwei: gweiOf(contractTransferGasMax) };
}

function checkChains(
  chains: readonly { readonly chain: Chain; readonly batcher: Address | undefined }[],
  relayers: readonly Address[],
  clock: Clock,
): Promise<NetworkCheck[]> {
  return Promise.all(
    chains.map(async ({ chain, batcher }) => ({
      network: chain.network.id,
      lines: await selfCheck(chain, { relayers, needs: gasNeeds, clock, batcher }),
    })),
  );
}

/** Throws for a wrong chain, token or domain, and where no wallet can pay for gas. */
function refuseFailedChecks(checks: readonly NetworkCheck[]): void {
  const problems = checks.flatMap(({ network, lines }) => {
    const relayers = lines.filter(({ name }) => name === "relayer");
    const isFunded = relayers.length === 0 || relayers.some(({ status }) => status !== "fail");
    // One empty wallet among several is a warning; the others work.
    return lines
      .filter(({ name, status }) => status === "fail" && (name !== "relayer" || !isFunded))
      .map((line) => `${network} ${line.name}: ${sentenceOf(line)}`);
  });
  if (problems.length > 0) throw misconfigured(problems.join("\n"));
}
