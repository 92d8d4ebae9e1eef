/**
 * The relayer of a network: a bounded queue of settlements and the lanes that carry them. Work goes
 * to the lane with the most room. After each block it looks at what was mined without the expected
 * log, and sends again what does not show up.
 */
import type { Address, Hex } from "@farthing/protocol";
import type { Clock } from "../base/clock.ts";
import { messageOf } from "../base/fault.ts";
import type { Log } from "../base/log.ts";
import type { Chain } from "../chain/chain.ts";
import type { FollowedBlock } from "../chain/block-follower.ts";
import type { EngineStore, WalletLeaseStore } from "../storage/engine-store.ts";
import { createBatching, type BatchingState } from "./batching.ts";
import { NonceManager } from "./wallet-nonces.ts";
import type { LaneEvents } from "./wallet-transactions.ts";
import { startLeftBehind } from "./left-behind.ts";
import { createLaneShare } from "./rebalancing.ts";
import type { LeaseOwner } from "./lease.ts";
import type { PrepareDeps, QueuedSettlement } from "./prepare.ts";
import { isLate } from "./recovery-action.ts";
import type { Signer } from "./sign.ts";
import { lookAtUsedNonces, type NonceEvents } from "./used-nonces.ts";
import { createWorkQueue, type QueueEvents, type Waiter } from "./work-queue.ts";

/** Pause between looks at what no block announces: leases, waiting settlements. */
const tickMs = 1_000;

/** Every so many of them, nonces are looked for that another process has opened again. */
const ticksPerLook = 5;

/** Every so many of them, the network is asked for its Multicall3 while that is not known. */
const ticksPerBatchingLook = 15;

/** What the relayer tells; outcomes are decided by who listens. */
export interface RelayerEvents extends Omit<LaneEvents, "onTooLarge">, QueueEvents, NonceEvents {}

/** A wallet's share of the work. */
export interface LaneLoad {
  readonly address: Address;
  readonly isOurs: boolean;
  readonly inFlight: number;
  /** Head block when the newest transaction at the lowest open nonce was signed. */
  readonly oldestAtBlock: number | undefined;
}

/** What a relayer has to do, and with what. */
export interface RelayerLoad {
  readonly inFlight: number;
  readonly queued: number;
  /** Wallets of this process that work, full ones included. */
  readonly lanesUsable: number;
  /** Wallets that other processes on the same database work. */
  readonly lanesElsewhere: number;
  readonly batching: BatchingState;
}

/** A running relayer. */
export interface Relayer {
  readonly addresses: readonly Address[];
  /** Those with a transaction that a block up to this one should have carried, or that was refused. */
  lateAddresses(headNumber: number): ReadonlySet<string>;
  /** Whether a settlement of this kind may be taken in now. */
  hasRoom(waiter: Waiter): boolean;
  /** Keeps a place for a settlement that is about to be claimed; see the work queue. */
  reserve(waiter: Waiter): (() => void) | undefined;
  /** Whether any wallet can send, here or in another process, as far as its gas and its node go. */
  isAble(): boolean;
  /** Whether this process works any wallet; otherwise another one has to. */
  isWorking(): boolean;
  /** Whether wallets here have room and nothing of their own to do. */
  isSpare(): boolean;
  /** Whether what a process without wallets has claimed is for this one to carry. */
  isFor(settlementId: string): boolean;
  /** Lets go of settlements that another process carries. */
  forget(ids: ReadonlySet<string>): void;
  /** Takes a claimed settlement; call `reserve` before claiming. */
  enqueue(queued: QueuedSettlement): void;
  /** Transactions on their way, settlements that wait, and wallets that work. */
  load(): RelayerLoad;
  /** Each wallet by itself, in the order of the addresses. */
  lanes(): readonly LaneLoad[];
  /** Takes notice of a block; `resolved` are the settlements whose logs were in it, by transaction. */
  onBlock(block: FollowedBlock, resolved: ReadonlyMap<Hex, ReadonlySet<string>>): Promise<void>;
  /** These settlements have their outcome, however it came about. */
  onSettled(settlementIds: readonly string[]): void;
  /** Blocks are gone: nonces that were used in them are stored as open again. */
  onReorganised(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** What a relayer works with. */
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
  headNumber(): number;
  finalizedNumber(): number;
  balanceOf(wallet: Address): bigint | undefined;
  readonly gasPriceCeiling: bigint;
}

/** Creates a relayer; `start` lets it work. */
export function createRelayer(deps: RelayerDeps): Relayer {
  const { chain, clock, log } = deps;
  const { chainId } = chain.network;
  const batching = createBatching(deps);
  const events = {
    ...deps.events,
    onTooLarge: (settlements: number) => batching.makeSmaller(settlements),
  };
  const lanes = deps.signers.map((signer) => new NonceManager(signer, { ...deps, events }));
  const stopping = new AbortController();
  const addresses = lanes.map(({ signer }) => signer.address);
  let ticking: Promise<void> | undefined;
  let leftBehind: ReturnType<typeof startLeftBehind> | undefined;
  const queue = createWorkQueue({ ...deps, lanes, batching: batching.settings });
  const share = createLaneShare({ ...deps, chainId, lanes });

  async function onBlock(
    block: FollowedBlock,
    resolved: ReadonlyMap<Hex, ReadonlySet<string>>,
  ): Promise<void> {
    // All at once, in one commit.
    await Promise.all(lanes.map((lane) => closeResolved(lane, resolved, block.number)));
    for (const lane of lanes) {
      const state = block.wallets.get(lane.signer.address);
      if (!block.isHead || !state) continue;
      const { number } = block;
      await lookAtUsedNonces(lane, { number, count: state.transactionCount }, deps);
      const hasOthers = share.elsewhere() > 0 || lanes.some((one) => one !== lane && one.canWork());
      // Not awaited: a slow endpoint must not hold up the next block.
      void lane.onHead({ number, hasOthers }).catch((error: unknown) => {
        log.warn({ chainId, problem: messageOf(error) }, "Could not help a transaction on");
      });
    }
    if (block.isHead) queue.dispatch();
  }

  /** Nonces that a reorganisation has opened again, whichever process saw it. */
  async function lookForReopened(): Promise<void> {
    for (const lane of lanes) await lane.reopen();
  }

  async function tick(): Promise<void> {
    for (let ticks = 0; !stopping.signal.aborted; ticks++) {
      await share.look();
      if (ticks % ticksPerLook === 0) await tryToLook();
      if (ticks % ticksPerBatchingLook === 0) void batching.look();
      queue.dispatch(true);
      await clock.sleep(tickMs, stopping.signal);
    }
  }

  async function tryToLook(): Promise<void> {
    try {
      await lookForReopened();
    } catch (error) {
      log.warn({ chainId, problem: messageOf(error) }, "Could not look for reopened nonces");
    }
  }

  return {
    addresses,
    lateAddresses: (headNumber) => lateAmong(lanes, headNumber),
    hasRoom: queue.hasRoom,
    reserve: queue.reserve,
    isAble: () => lanes.some((lane) => lane.isAble()),
    isWorking: () => lanes.some((lane) => lane.isOurs()),
    isSpare: () => queue.size() === 0 && lanes.some((lane) => lane.room() > 0),
    isFor: share.isFor,
    forget: queue.forget,
    enqueue: queue.enqueue,
    load: () => ({
      inFlight: lanes.reduce((sum, lane) => sum + lane.slots().length, 0),
      queued: queue.size(),
      lanesUsable: lanes.filter((lane) => lane.canWork()).length,
      lanesElsewhere: share.elsewhere(),
      batching: batching.state(),
    }),
    lanes: () =>
      lanes.map((lane) => ({
        address: lane.signer.address,
        isOurs: lane.isOurs(),
        inFlight: lane.slots().length,
        oldestAtBlock: lane.slots()[0]?.attemptedAtBlock,
      })),
    onBlock,
    onSettled(settlementIds) {
      queue.forget(settlementIds);
      for (const slot of lanes.flatMap((lane) => lane.slots())) {
        for (const id of settlementIds) slot.unresolved.delete(id);
      }
    },
    onReorganised: lookForReopened,
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
      await Promise.all(lanes.map((lane) => lane.stop()));
      await share.stop();
    },
  };
}

function lateAmong(lanes: readonly NonceManager[], headNumber: number): ReadonlySet<string> {
  const isLateAt = (lane: NonceManager) => lane.slots().some((slot) => isLate(slot, headNumber));
  return new Set(lanes.filter(isLateAt).map(({ signer }) => signer.address));
}

/** Ends the nonces whose settlements were all found in a block. */
async function closeResolved(
  lane: NonceManager,
  resolved: ReadonlyMap<Hex, ReadonlySet<string>>,
  blockNumber: number,
): Promise<void> {
  const closing: Promise<void>[] = [];
  for (const slot of lane.slots()) {
    for (const transaction of slot.attempts) {
      const ids = transaction.hash === null ? undefined : resolved.get(transaction.hash);
      for (const id of ids ?? []) slot.unresolved.delete(id);
      if (ids && slot.unresolved.size === 0) {
        closing.push(lane.close(slot, { transaction, blockNumber }));
      }
    }
  }
  await Promise.all(closing);
}
