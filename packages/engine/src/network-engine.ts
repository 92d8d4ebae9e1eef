/**
 * Wires the engine of one network: chain, reader, follower, outcome tracker, relayer. The order of the
 * start leaves no gap: the follower first, then the search of the past, then the wallets.
 */
import type { Address, ChainId, Network } from "@farthing/protocol";
import type { Tracer } from "@opentelemetry/api";
import { warning, type Runtime } from "./base/log.ts";
import type { Secret } from "./base/secret.ts";
import { startBlockFollower, type BlockFollower } from "./chain/follower/block-follower.ts";
import type { ChainView } from "./chain/follower/chain-view.ts";
import { limitReadings } from "./chain/follower/accepted-head.ts";
import { createChain, type Chain } from "./chain/endpoints/chain.ts";
import { createPaymentReader, type PaymentReader } from "./chain/payments/payment-reader.ts";
import type { CallSender } from "./chain/payments/payment-reading.ts";
import { createRpcEndpoint, type RpcEndpoint } from "./chain/endpoints/rpc-endpoint.ts";
import { TokenPause } from "./chain/payments/token-pause.ts";
import { traceEndpoint } from "./chain/endpoints/trace-endpoint.ts";
import type { Settlement } from "./model/settlement.ts";
import { GasPrices, type GasLimits } from "./relayer/gas-prices.ts";
import type { LeaseOwner } from "./relayer/lease.ts";
import { simulate, type FailedSimulation } from "./relayer/prepare.ts";
import { createRelayer, type Relayer } from "./relayer/relayer.ts";
import type { SettlementTraces } from "./relayer/settlement-traces.ts";
import type { Signer } from "./relayer/signer.ts";
import { createAdoptTransfers } from "./settlement/adopt-transfers.ts";
import type { RepeatPolicy } from "./settlement/exchange-calls.ts";
import { createReadRefund } from "./settlement/lost-refunds.ts";
import { LostTransfers } from "./settlement/lost-transfers.ts";
import { OutcomeTracker } from "./settlement/outcome-tracker.ts";
import { createRecovery, type Recovery } from "./settlement/recovery.ts";
import { createSettlementIds } from "./settlement/settlement-ids.ts";
import type { Waiters } from "./settlement/waiters.ts";
import { createWaitingWatch } from "./settlement/waiting-watch.ts";
import type { EngineStore, WalletLeaseStore } from "./storage/engine-store.ts";
import { createUndeployedWallets } from "./verification/undeployed-wallet.ts";

export type NetworkEngine = ReturnType<typeof createNetworkEngine>;

export interface EngineSettings extends GasLimits {
  /** Blocks after which a settlement counts as confirmed. */
  readonly confirmations: number;
  /** Transactions of one relayer wallet that may be unmined at once. */
  readonly laneInFlight: number;
  /** Those of them that may carry a contract wallet's payment. */
  readonly contractInFlight: number;
  /** Settlements in one transaction. */
  readonly batchMax: number;
  /** Factories that may deploy a paying wallet, through the batch contract (experimental). */
  readonly walletFactories: readonly Address[];
  /** A settlement that expires sooner is not sent. */
  readonly settleMarginSeconds: bigint;
  /**
   * Daily gas per network that contract wallets may burn by reverting, in gwei, fixed or at a gas price in
   * wei; null for no bound.
   */
  readonly revertedGasGwei: number | null | ((gasPriceWei: bigint) => number | null);
  /** Wallets that were taken out of the configuration: what they sent is recognised as ours. */
  readonly formerWallets: readonly Address[];
  /** Wallets from which other software sends as well: what they sent is ours only where it is claimed. */
  readonly sharedWallets: readonly Address[];
  /** Blocks that a start searches at most for payments that the database has lost. */
  readonly searchBlocksMax: number;
  /** The secret of settlements' ids, the same in all processes; undefined for random ids. */
  readonly idSecret: Secret | undefined;
  /** The response to a repeated settle of a confirmed payment. */
  readonly repeatAfterSuccess: RepeatPolicy;
}

export interface NetworkEndpoints {
  readonly network: Network;
  readonly rpcUrls: readonly Secret[];
  /** The batch contract (experimental), which carries batches instead of Multicall3. */
  readonly batcher?: Address | undefined;
}

export interface EngineDeps extends Runtime {
  readonly config: EngineSettings;
  readonly store: EngineStore & WalletLeaseStore;
  readonly waiters: Waiters;
  readonly owner: LeaseOwner;
  readonly traces: SettlementTraces;
  readonly signers: readonly Signer[];
  readonly batcher: Address | undefined;
}

/** Opens a network's chain without a request. */
export function openChain(
  { network, rpcUrls }: NetworkEndpoints,
  deps: Runtime & {
    readonly tracer: Tracer;
    watchEndpoint?: (network: Network, endpoint: RpcEndpoint) => RpcEndpoint;
  },
): Chain {
  const { log, clock, tracer, watchEndpoint = (_, endpoint) => endpoint } = deps;
  const endpoints = rpcUrls.map((url, index) =>
    traceEndpoint(tracer, network, watchEndpoint(network, createRpcEndpoint({ url, index }))),
  );
  return createChain({ network, endpoints, log, clock });
}

export function createNetworkEngine(chain: Chain, deps: EngineDeps) {
  const { config, store, log } = deps;
  const { chainId } = chain.network;
  let follower: BlockFollower | undefined;
  let hasStarted = false;
  let isStopping = false;
  let starting: Promise<void> | undefined;
  const view = () => follower?.view();
  const facts = () => follower?.facts();
  const headNumber = () => facts()?.head.number ?? 0;
  const finalizedNumber = () => facts()?.finalized.number ?? 0;
  const gasPrices = new GasPrices({ ...deps, chain, limits: config, facts });
  const gasPrice = () => gasPrices.now();
  const tokenPause = new TokenPause({ ...deps, chain, headNumber });
  const reading = { view, gasPrice, tokenPause, attend: () => follower?.attend() };
  const { read, undeployed } = createReaders(chain, deps, reading);
  const wallets = [...deps.signers.map(({ address }) => address), ...config.formerWallets];
  const shared = { ...deps, chain, wallets, view, headNumber, finalizedNumber, tokenPause };

  const outcomes = new OutcomeTracker({
    ...shared,
    confirmations: config.confirmations,
    simulate: (settlement) => simulate(settlement, { chain, read, undeployed }),
    onSettled: (ids) => relayer.onSettled(ids),
  });
  const { lost, readRefund } = createLossSearch(shared, outcomes);
  const checkRefusal = () => relayer.checkRefusal();
  const relayer = createRelayer({
    ...shared,
    lost,
    read,
    undeployed,
    inFlightMax: config.laneInFlight,
    contractInFlightMax: config.contractInFlight,
    batchMax: config.batchMax,
    marginSeconds: config.settleMarginSeconds,
    gasPrices,
    blockGasLimit: () => facts()?.head.gasLimit,
    balanceOf: (wallet) => facts()?.wallets.get(wallet)?.balance,
    events: {
      ...relayerEvents(chainId, deps, { outcomes, checkRefusal, wake: () => follower?.wake() }),
      onNeverMined: (ids) => recovery.requeue(ids),
      onReleased: (ids) => recovery.requeue(ids),
      onWalletAcquired: () => hasStarted && recovery.repeat(),
    },
  });
  const recovery = createRecovery({ chainId, store, log, outcomes, relayer });
  const lookAtWaiting = createWaitingWatch({ ...shared, chainId, outcomes, relayer, recovery });

  async function begin(): Promise<void> {
    follower = followBlocks({ ...shared, outcomes, relayer, recovery, lookAtWaiting });
    await follower.ready();
    await lost.compare();
    const stored = await recovery.run();
    // A wallet acquired now would have to be released at once.
    if (isStopping) return;
    await relayer.start();
    hasStarted = true;
    // Settlements that a transaction already carries are skipped when nonces are assigned.
    await enqueueStored(stored, { relayer, store });
    follower.wake();
  }

  const start = (): Promise<void> => (starting = begin());

  async function stop(): Promise<void> {
    if (!starting) return;
    isStopping = true;
    await lost.stop();
    if (!hasStarted) await follower?.stop();
    // The caller of `start` handles its failure.
    await starting.catch(() => undefined);
    const fields = { event: "relayer_stop_failed", chainId };
    await relayer.stop().catch(warning(log, fields, "Relayer not stopped cleanly"));
    await follower?.stop();
    await outcomes.stop();
  }

  /**
   * The database may be one that took over without its last commits: what it lacks is found, and what it
   * has open is followed again, although its outcome was recorded here before.
   */
  async function onReconnected(): Promise<void> {
    await lost.compare();
    if (hasStarted) recovery.repeat();
  }

  const parts = { chain, read, undeployed, relayer, outcomes, gasPrices, tokenPause, view };
  return { ...parts, headNumber, wallets, lost, readRefund, onReconnected, start, stop };
}

interface RelayerListeners {
  readonly outcomes: OutcomeTracker;
  checkRefusal(): Promise<void>;
  wake(): void;
}

/** What the relayer reports of its transactions, for the outcomes and for callers that wait. */
function relayerEvents(
  chainId: ChainId,
  deps: EngineDeps,
  { outcomes, checkRefusal, wake }: RelayerListeners,
) {
  const { store, waiters } = deps;
  return {
    async readUndecided(settlementIds: readonly string[]) {
      const ids = outcomes.unproven(settlementIds);
      const stored = await Promise.all(ids.map((id) => store.findSettlement(id)));
      return stored.flatMap((one) => (one?.state === "submitted" ? [one] : []));
    },
    onSubmitted(settlements: readonly Settlement[]) {
      for (const settlement of settlements) outcomes.observe(settlement);
      waiters.notify(settlements);
      wake();
    },
    onSent(ids: readonly string[]) {
      waiters.notifySent(ids);
      wake();
      publishSent(chainId, ids, deps);
    },
    async onRefused(settlement: Settlement, failure: FailedSimulation) {
      await checkRefusal();
      await outcomes.onRefused(settlement, failure);
    },
    onMinedWithoutLog: outcomes.onMinedWithoutLog,
  };
}

/** Leads each block through the relayer, the outcomes and the recovery, in this order. */
function followBlocks(
  deps: SharedDeps & {
    readonly outcomes: OutcomeTracker;
    readonly relayer: Relayer;
    readonly recovery: Recovery;
    lookAtWaiting(): Promise<void>;
  },
): BlockFollower {
  const { chain, clock, log, outcomes, relayer, recovery } = deps;
  return startBlockFollower({
    chain,
    clock,
    log,
    wallets: relayer.addresses,
    lateWallets: relayer.lateAddresses,
    interest() {
      const interest = outcomes.interest();
      // A nonce on its way needs the blocks too, also when its payments have their outcome.
      const isBusy = recovery.isDue() || relayer.load().inFlight > 0;
      return interest === "none" && isBusy ? "finality" : interest;
    },
    listener: {
      async onBlock(block) {
        await relayer.onBlock(block, await outcomes.onBlock(block));
        const seen = deps.view();
        if (seen && block.isHead) await outcomes.onHead(seen);
        if (block.isHead) await recovery.revertReorganised(() => outcomes.recheck());
        if (block.isHead) recovery.onBlock();
        if (block.isHead) await deps.lookAtWaiting();
      },
      async onReorganisation(fromBlock, hashes) {
        await recovery.revertReorganised(() => outcomes.onReorganisation(fromBlock, hashes));
      },
    },
  });
}

interface SharedDeps extends EngineDeps {
  readonly chain: Chain;
  readonly wallets: readonly Address[];
  view(): ChainView | undefined;
}

/** Creates the search for payments that the database has lost. */
function createLossSearch(deps: SharedDeps, outcomes: OutcomeTracker) {
  const readRefund = createReadRefund(deps);
  const adopt = createAdoptTransfers({
    ...deps,
    readRefund,
    newId: createSettlementIds(deps.config.idSecret),
    async adopt(found) {
      for (const { settlement } of found) outcomes.observe(settlement);
      await outcomes.concludeFound(found);
    },
  });
  const { sharedWallets, searchBlocksMax } = deps.config;
  const lost = new LostTransfers({ ...deps, sharedWallets, searchBlocksMax, adopt });
  return { lost, readRefund };
}

interface ReadingDeps {
  readonly tokenPause: TokenPause;
  view(): ChainView | undefined;
  gasPrice(): bigint;
  /** A payment is being read, so that the next blocks are followed closely. */
  attend(): void;
}

/** The readers of payments: by deployed wallets and plain addresses, and by wallets that are not deployed. */
function createReaders(chain: Chain, deps: EngineDeps, reading: ReadingDeps) {
  const { view, gasPrice, tokenPause, attend } = reading;
  const sender = () => senderAmong(deps, view(), gasPrice());
  const readWithin = tokenPause.watch(limitReadings(createPaymentReader(chain, sender), view));
  const read: PaymentReader = (check) => {
    attend();
    return readWithin(check);
  };
  const undeployed = createUndeployedWallets({
    chain,
    // Without batches no wallet is deployed.
    batcher: deps.config.batchMax === 1 ? undefined : deps.batcher,
    factories: deps.config.walletFactories,
    sender,
  });
  return { read, undeployed };
}

/** Enqueues settlements that were queued when an earlier process stopped. */
async function enqueueStored(
  stored: readonly Settlement[],
  { relayer, store }: { readonly relayer: Relayer; readonly store: EngineStore },
): Promise<void> {
  const queued = stored.filter(({ state }) => state === "queued");
  const alone = await store.findRevertedTwice(queued.map(({ id }) => id));
  for (const settlement of queued) {
    // Settlements claimed during the start are queued already, or carried by a transaction.
    const isPossiblyTaken = true;
    const goesAlone = alone.has(settlement.id);
    relayer.enqueue({ settlement, simulatedAt: 0, isPossiblyTaken, goesAlone });
  }
}

/** Notifies the peers that claimed the settlements of a send, since their callers wait there. */
function publishSent(
  chainId: ChainId,
  ids: readonly string[],
  { store, waiters, log }: Pick<EngineDeps, "store" | "waiters" | "log">,
): void {
  const elsewhere = ids.filter((id) => !waiters.has(id));
  if (elsewhere.length === 0) return;
  const fields = { event: "send_not_published", chainId };
  store.notify("sent", elsewhere).catch(warning(log, fields, "Send not published to peers"));
}

/** The sender of simulations: the wallet that can pay for the most gas. */
function senderAmong(
  { signers }: Pick<EngineDeps, "signers">,
  view: ChainView | undefined,
  gasPrice: bigint,
): CallSender | undefined {
  const balanceOf = ({ address }: Signer) => view?.wallets.get(address)?.balance;
  const held = (signer: Signer) => balanceOf(signer) ?? 0n;
  const [first, ...rest] = signers;
  if (first === undefined) return undefined;
  const richest = rest.reduce((best, next) => (held(next) > held(best) ? next : best), first);
  return { from: richest.address, gasPrice, balance: balanceOf(richest) };
}
