/**
 * The relayer of a network: a bounded queue of settlements and the wallets that carry them. After each
 * block it checks transactions mined without the expected log and recovers those that are not mined.
 */
import type { Address, Hex } from "@farthing/protocol";
import type { Clock } from "../base/clock.ts";
import { warning, type Log } from "../base/log.ts";
import type { Chain } from "../chain/chain.ts";
import type { FollowedBlock } from "../chain/chain-view.ts";
import type { EngineStore, WalletLeaseStore } from "../storage/engine-store.ts";
import { createBatching, type BatchingState } from "./batching.ts";
import { NonceManager } from "./wallet-nonces.ts";
import type { WalletEvents } from "./wallet-transactions.ts";
import { startLeftBehind } from "./left-behind.ts";
import { createRebalancer } from "./rebalancing.ts";
import type { LeaseOwner } from "./lease.ts";
import type { PrepareDeps, QueuedSettlement } from "./prepare.ts";
import { isLate } from "./recovery-action.ts";
import type { Signer } from "./sign.ts";
import { checkUsedNonces, type NonceEvents } from "./used-nonces.ts";
import { WorkQueue, type QueueEvents, type Waiter } from "./work-queue.ts";

/** Interval of checks that no block triggers: leases, waiting settlements. */
const tickMs = 1_000;

/** Ticks between checks for nonces that another process has reopened. */
const ticksPerReopening = 5;

/** Ticks between lookups of the network's Multicall3 while it is not known. */
const ticksPerLookup = 15;

export interface RelayerEvents extends Omit<WalletEvents, "onTooLarge">, QueueEvents, NonceEvents {}

export interface WalletLoad {
  readonly address: Address;
  readonly isOurs: boolean;
  readonly inFlight: number;
  /** Head block when the newest attempt at the lowest pending nonce was signed. */
  readonly oldestAtBlock: number | undefined;
}

export interface RelayerLoad {
  readonly inFlight: number;
  readonly queued: number;
  /** Working wallets of this process, full ones included. */
  readonly walletsUsable: number;
  /** Wallets of other processes on the same database. */
  readonly walletsElsewhere: number;
  readonly batching: BatchingState;
}

export interface Relayer {
  readonly addresses: readonly Address[];
  /** Wallets with a transaction that should be mined by this block, or that was refused. */
  lateAddresses(headNumber: number): ReadonlySet<string>;
  /** Whether a settlement of this kind may enter the queue. */
  hasRoom(waiter: Waiter): boolean;
  /** Reserves a place for a settlement that is about to be claimed; see the work queue. */
  reserve(waiter: Waiter): (() => void) | undefined;
  /** Whether any wallet, here or in another process, has gas and a node that accepts its sends. */
  isAble(): boolean;
  /** Whether this process holds any wallet. */
  isWorking(): boolean;
  /** Whether wallets here have room and the queue is empty. */
  isSpare(): boolean;
  /** Whether this process carries a settlement that a process without wallets has claimed. */
  isFor(settlementId: string): boolean;
  /** Forgets settlements that another process carries. */
  forget(ids: ReadonlySet<string>): void;
  /** Adds a claimed settlement; call `reserve` before claiming. */
  enqueue(queued: QueuedSettlement): void;
  load(): RelayerLoad;
  /** In the order of the addresses. */
  wallets(): readonly WalletLoad[];
  /** `resolved`: the settlements whose logs were in the block, by transaction. */
  onBlock(block: FollowedBlock, resolved: ReadonlyMap<Hex, ReadonlySet<string>>): Promise<void>;
  /** These settlements have an outcome. */
  onSettled(settlementIds: readonly string[]): void;
  /** Blocks were reorganised out; nonces used in them are stored as open again. */
  onReorganised(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface RelayerDeps extends Omit<PrepareDeps, "chain"> {
  readonly chain: Chain;
  readonly store: EngineStore & WalletLeaseStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly owner: LeaseOwner;
  readonly events: RelayerEvents;
  readonly signers: readonly Signer[];
  readonly inFlightMax: number;
  /** Settlements of one transaction at most; 1 turns batching off. */
  readonly batchMax: number;
  /** The batch contract, which contract wallets' payments can share; undefined for Multicall3. */
  readonly batcher: Address | undefined;
  headNumber(): number;
  finalizedNumber(): number;
  balanceOf(wallet: Address): bigint | undefined;
  readonly gasPriceCeiling: bigint;
}

export function createRelayer(deps: RelayerDeps): Relayer {
  const { chain, clock, log } = deps;
  const { chainId } = chain.network;
  const batching = createBatching(deps);
  const events = {
    ...deps.events,
    onTooLarge: (settlements: number) => batching.makeSmaller(settlements),
  };
  const managers = deps.signers.map((signer) => new NonceManager(signer, { ...deps, events }));
  const stopping = new AbortController();
  const addresses = managers.map(({ signer }) => signer.address);
  let ticking: Promise<void> | undefined;
  let leftBehind: ReturnType<typeof startLeftBehind> | undefined;
  const queue = new WorkQueue({ ...deps, managers, batching: batching.settings });
  const share = createRebalancer({ ...deps, chainId, managers });

  async function onBlock(
    block: FollowedBlock,
    resolved: ReadonlyMap<Hex, ReadonlySet<string>>,
  ): Promise<void> {
    // Together, in one commit.
    await Promise.all(managers.map((manager) => closeResolved(manager, resolved, block.number)));
    for (const manager of managers) {
      const state = block.wallets.get(manager.signer.address);
      if (!block.isHead || !state) continue;
      const { number } = block;
      await checkUsedNonces(manager, { number, count: state.transactionCount }, deps);
      const hasOthers =
        share.elsewhere() > 0 || managers.some((one) => one !== manager && one.canWork());
      // Not awaited: a slow endpoint must not hold up the next block.
      const fields = { event: "transaction_recovery_failed", chainId };
      const message = "Transaction recovery failed; retrying with the next block";
      void manager.onHead({ number, hasOthers }).catch(warning(log, fields, message));
    }
    if (block.isHead) queue.dispatch();
  }

  async function reopenNonces(): Promise<void> {
    for (const manager of managers) await manager.reopen();
  }

  async function tick(): Promise<void> {
    const fields = { event: "reopened_nonce_check_failed", chainId };
    const message = "Reopened nonce check failed; retrying in five seconds";
    const repeatLater = warning(log, fields, message);
    for (let ticks = 0; !stopping.signal.aborted; ticks++) {
      await share.look();
      if (ticks % ticksPerReopening === 0) await reopenNonces().catch(repeatLater);
      if (ticks % ticksPerLookup === 0) void batching.look();
      queue.dispatchAll();
      await clock.sleep(tickMs, stopping.signal);
    }
  }

  return {
    addresses,
    lateAddresses: (headNumber) => lateAmong(managers, headNumber),
    hasRoom: (waiter) => queue.hasRoom(waiter),
    reserve: (waiter) => queue.reserve(waiter),
    isAble: () => managers.some((manager) => manager.isAble()),
    isWorking: () => managers.some((manager) => manager.isOurs()),
    isSpare: () => queue.size === 0 && managers.some((manager) => manager.room() > 0),
    isFor: share.isFor,
    forget: (ids) => queue.forget(ids),
    enqueue: (queued) => queue.enqueue(queued),
    load: () => ({
      inFlight: managers.reduce((sum, manager) => sum + manager.pendingNonces().length, 0),
      queued: queue.size,
      walletsUsable: managers.filter((manager) => manager.canWork()).length,
      walletsElsewhere: share.elsewhere(),
      batching: batching.state(),
    }),
    wallets: () =>
      managers.map((manager) => ({
        address: manager.signer.address,
        isOurs: manager.isOurs(),
        inFlight: manager.pendingNonces().length,
        oldestAtBlock: manager.pendingNonces()[0]?.attemptedAtBlock,
      })),
    onBlock,
    onSettled(settlementIds) {
      queue.forget(settlementIds);
      for (const pending of managers.flatMap((manager) => manager.pendingNonces())) {
        for (const id of settlementIds) pending.unresolved.delete(id);
      }
    },
    onReorganised: reopenNonces,
    async start() {
      await batching.look();
      await share.look();
      ticking = tick();
      leftBehind = startLeftBehind({ ...deps, addresses });
    },
    async stop() {
      stopping.abort();
      await Promise.all([ticking, leftBehind?.stop()]);
      await queue.stop();
      await Promise.all(managers.map((manager) => manager.stop()));
      await share.stop();
    },
  };
}

function lateAmong(managers: readonly NonceManager[], headNumber: number): ReadonlySet<string> {
  const isLateAt = (manager: NonceManager) =>
    manager.pendingNonces().some((pending) => isLate(pending, headNumber));
  return new Set(managers.filter(isLateAt).map(({ signer }) => signer.address));
}

/** Closes the nonces whose settlements were all found in a block. */
async function closeResolved(
  manager: NonceManager,
  resolved: ReadonlyMap<Hex, ReadonlySet<string>>,
  blockNumber: number,
): Promise<void> {
  const closing: Promise<void>[] = [];
  for (const pending of manager.pendingNonces()) {
    for (const transaction of pending.attempts) {
      const ids = transaction.hash === null ? undefined : resolved.get(transaction.hash);
      for (const id of ids ?? []) pending.unresolved.delete(id);
      if (ids && pending.unresolved.size === 0) {
        closing.push(manager.close(pending, { transaction, blockNumber }));
      }
    }
  }
  await Promise.all(closing);
}
