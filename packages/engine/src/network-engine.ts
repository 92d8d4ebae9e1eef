/**
 * Wires the engine of one network. It starts without a gap: first it follows blocks, then it recovers
 * stored settlements, then its wallets work.
 */
import type { ChainId, Network } from "@farthing/protocol";
import type { Clock } from "./base/clock.ts";
import { messageOf } from "./base/fault.ts";
import type { Log } from "./base/log.ts";
import type { Secret } from "./base/secret.ts";
import { startBlockFollower, type BlockFollower, type ChainView } from "./chain/block-follower.ts";
import { limitReadings } from "./chain/accepted-head.ts";
import { createChain, type Chain } from "./chain/chain.ts";
import { createPaymentReader, type PaymentReader } from "./chain/payment-reader.ts";
import type { CallSender } from "./chain/payment-reading.ts";
import { createRpcEndpoint, type RpcEndpoint } from "./chain/rpc-endpoint.ts";
import type { Settlement } from "./model/settlement.ts";
import { gasPriceFloorWei, gasPriceOf } from "./relayer/fees.ts";
import type { LeaseOwner } from "./relayer/lease.ts";
import { simulate } from "./relayer/prepare.ts";
import { createRelayer, type Relayer } from "./relayer/relayer.ts";
import type { Signer } from "./relayer/sign.ts";
import type { RepeatPolicy } from "./settlement/exchange-calls.ts";
import type { OutcomeBook } from "./settlement/outcome-book.ts";
import { OutcomeTracker } from "./settlement/outcome-tracker.ts";
import { createStock } from "./settlement/recovery.ts";
import type { Waiters } from "./settlement/waiters.ts";
import type { EngineStore, WalletLeaseStore } from "./storage/engine-store.ts";

export interface NetworkEngine {
  readonly chain: Chain;
  readonly read: PaymentReader;
  readonly relayer: Relayer;
  readonly book: OutcomeBook;
  view(): ChainView | undefined;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface EngineSettings {
  readonly gasPriceMaxWei: bigint;
  /** Blocks after which a settlement counts as confirmed. */
  readonly confirmations: number;
  /** Transactions of one relayer wallet that may be unmined at once. */
  readonly laneInFlight: number;
  /** Those of them that may carry a contract wallet's payment. */
  readonly contractInFlight: number;
  /** Settlements in one transaction. */
  readonly batchMax: number;
  /** A settlement that expires sooner is not sent. */
  readonly settleMarginSeconds: bigint;
  /** Daily gas per network that contract wallets may burn by reverting; null for no bound. */
  readonly revertedGasGwei: number | null;
  /** How a repeat of a confirmed settle is answered. */
  readonly repeatAfterSuccess: RepeatPolicy;
}

export interface NetworkEndpoints {
  readonly network: Network;
  readonly rpcUrls: readonly Secret[];
}

export interface EngineDeps {
  readonly config: EngineSettings;
  readonly store: EngineStore & WalletLeaseStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly waiters: Waiters;
  readonly owner: LeaseOwner;
  readonly signers: readonly Signer[];
}

/** Sends no request yet. */
export function openChain(
  { network, rpcUrls }: NetworkEndpoints,
  deps: {
    readonly log: Log;
    readonly clock: Clock;
    /** Wraps an endpoint, for example to count its requests. */
    readonly watchEndpoint?: (network: Network, endpoint: RpcEndpoint) => RpcEndpoint;
  },
): Chain {
  const { log, clock, watchEndpoint = (_, endpoint) => endpoint } = deps;
  const endpoints = rpcUrls.map((url, index) =>
    watchEndpoint(network, createRpcEndpoint({ url, index })),
  );
  return createChain({ network, endpoints, log, clock });
}

export function createNetworkEngine(chain: Chain, deps: EngineDeps): NetworkEngine {
  const { config, store, clock, log, waiters } = deps;
  const { chainId } = chain.network;
  let follower: BlockFollower | undefined;
  let hasStarted = false;
  let isStopping = false;
  let starting: Promise<void> | undefined;
  const view = () => follower?.view();
  const headNumber = () => view()?.head.number ?? 0;
  const finalizedNumber = () => view()?.finalized.number ?? 0;
  const bounds = { floor: gasPriceFloorWei, ceiling: config.gasPriceMaxWei };
  const gasPrice = () => gasPriceOf(view(), bounds);
  const reader = createPaymentReader(chain, () => senderAmong(deps, view(), gasPrice()));
  const read = before(limitReadings(reader, view), () => follower?.attend());
  const shared = { chain, store, clock, log };

  const book = new OutcomeTracker({
    ...shared,
    waiters,
    confirmations: config.confirmations,
    simulate: (settlement) => simulate(settlement, { chain, read }),
    onSettled: (ids) => relayer.onSettled(ids),
    view,
    headNumber,
    finalizedNumber,
  });
  const relayer = createRelayer({
    ...shared,
    read,
    owner: deps.owner,
    signers: deps.signers,
    inFlightMax: config.laneInFlight,
    contractInFlightMax: config.contractInFlight,
    batchMax: config.batchMax,
    marginSeconds: config.settleMarginSeconds,
    gasPrice,
    headNumber,
    finalizedNumber,
    balanceOf: (wallet) => view()?.wallets.get(wallet)?.balance,
    gasPriceCeiling: config.gasPriceMaxWei,
    events: {
      onSubmitted: (settlements) => {
        for (const settlement of settlements) book.track(settlement);
        waiters.notify(settlements);
        follower?.wake();
      },
      onSent: (ids) => {
        waiters.notifySent(ids);
        follower?.wake();
        notifyPeers(chainId, ids, deps);
      },
      onRefused: book.onRefused,
      onMinedWithoutLog: book.onMinedWithoutLog,
      onNeverMined: (ids) => stock.requeue(ids),
      onReleased: (ids) => stock.requeue(ids),
      onWalletAcquired: () => hasStarted && stock.onTaken(),
    },
  });
  const stock = createStock({ chainId, store, log, book, relayer });

  async function begin(): Promise<void> {
    follower = startBlockFollower({
      chain,
      clock,
      log,
      wallets: relayer.addresses,
      lateWallets: relayer.lateAddresses,
      interest() {
        const interest = book.interest();
        // Pending nonces need blocks even when their payments have an outcome.
        const isBusy = stock.isDue() || relayer.load().inFlight > 0;
        return interest === "none" && isBusy ? "finality" : interest;
      },
      listener: {
        async onBlock(block) {
          await relayer.onBlock(block, await book.onBlock(block));
          const seen = view();
          if (seen && block.isHead) await book.onHead(seen);
          if (block.isHead) await stock.putBack(() => book.recheck());
          if (block.isHead) stock.onBlock();
        },
        async onReorganisation(fromBlock, gone) {
          await stock.putBack(() => book.onReorganisation(fromBlock, gone));
        },
      },
    });
    await follower.ready();
    const stored = await stock.take();
    // A wallet taken now would have to be released at once.
    if (isStopping) return;
    await relayer.start();
    hasStarted = true;
    // The store leaves out those that a transaction already carries.
    await enqueueStored(stored, { relayer, store });
    follower.wake();
  }

  function start(): Promise<void> {
    starting = begin();
    return starting;
  }

  async function stop(): Promise<void> {
    if (!starting) return;
    isStopping = true;
    if (!hasStarted) await follower?.stop();
    // The caller of start receives its error.
    await starting.catch(() => undefined);
    await relayer.stop().catch((error: unknown) => {
      log.warn(
        { event: "relayer_stop_failed", chainId, problem: messageOf(error) },
        "Relayer stop failed",
      );
    });
    await follower?.stop();
    await book.stop();
  }

  return { chain, read, relayer, book, view, start, stop };
}

/** Calls `onRead` before each reading. */
function before(read: PaymentReader, onRead: () => void): PaymentReader {
  return (check) => {
    onRead();
    return read(check);
  };
}

/** Queues settlements that waited when an earlier process stopped. */
async function enqueueStored(
  stored: readonly Settlement[],
  { relayer, store }: { readonly relayer: Relayer; readonly store: EngineStore },
): Promise<void> {
  const queued = stored.filter(({ state }) => state === "queued");
  const alone = await store.findRevertedTwice(queued.map(({ id }) => id));
  for (const settlement of queued) {
    // Settlements claimed during the start may be queued or carried by now.
    const isPossiblyTaken = true;
    const goesAlone = alone.has(settlement.id);
    relayer.enqueue({ settlement, simulatedAt: 0, isPossiblyTaken, goesAlone });
  }
}

/** Notifies peers of a send: callers may wait at those that claimed the settlements. */
function notifyPeers(
  chainId: ChainId,
  ids: readonly string[],
  { store, waiters, log }: Pick<EngineDeps, "store" | "waiters" | "log">,
): void {
  const elsewhere = ids.filter((id) => !waiters.has(id));
  if (elsewhere.length === 0) return;
  store.notify("sent", elsewhere).catch((error: unknown) => {
    log.warn(
      { event: "send_not_published", chainId, problem: messageOf(error) },
      "Send not published to peers",
    );
  });
}

/** Simulations use the wallet that can pay for the most gas. */
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
