/**
 * The relayer of a network: a bounded queue of settlements and the wallets that carry them. After each
 * block it checks transactions mined without the expected log and recovers those that are not mined.
 */
import type { Address, Hex } from "@farthing/protocol";
import { warning } from "../base/log.ts";
import { startPoll } from "../base/poll.ts";
import type { FollowedBlock } from "../chain/follower/chain-view.ts";
import type { Settlement } from "../model/settlement.ts";
import type { TokenPause } from "../chain/payments/token-pause.ts";
import { createCheckRefusal } from "./check-refusal.ts";
import { createBatching, type BatchingState } from "./batching.ts";
import { createContractCalls } from "./contract-calls.ts";
import { NonceManager } from "./wallet-nonces.ts";
import type { WalletDeps, WalletEvents } from "./wallet-transactions.ts";
import { startLeftBehind } from "./left-behind.ts";
import { createRebalancer } from "./rebalancing.ts";
import type { PrepareDeps, QueuedSettlement } from "./prepare.ts";
import { isUnknownToNodes, listResolved, noteUndecided } from "./pending-nonce.ts";
import { isLate } from "./recovery-action.ts";
import type { Signer } from "./signer.ts";
import { checkUsedNonces, type NonceEvents } from "./used-nonces.ts";
import { WorkQueue, type QueueEvents, type Waiter } from "./work-queue.ts";

/** Interval of checks that no block triggers: leases, waiting settlements. */
const tickMs = 1_000;

/** Ticks between checks for nonces that another process has reopened. */
const ticksPerReopening = 5;

/** Ticks between lookups of the network's Multicall3 while it is not known. */
const ticksPerLookup = 15;

export interface RelayerEvents extends Omit<WalletEvents, "onTooLarge">, QueueEvents, NonceEvents {
  /** Those of these settlements that are submitted, and of whose outcome nothing is proven. */
  readUndecided(settlementIds: readonly string[]): Promise<readonly Settlement[]>;
}

export interface WalletLoad {
  readonly address: Address;
  readonly isOurs: boolean;
  readonly inFlight: number;
  /** Head block when the newest attempt at the lowest pending nonce was signed. */
  readonly oldestAtBlock: number | undefined;
  /** The lowest nonce that it has in hand and the chain has not used; undefined when there is none. */
  readonly lowestNonce: number | undefined;
  /** Whether a nonce is used by what left no log: the result is known when its block is final. */
  readonly awaitsFinality: boolean;
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

export interface RelayerDeps extends Omit<PrepareDeps, "gasPrices">, Omit<WalletDeps, "events"> {
  readonly events: RelayerEvents;
  readonly tokenPause: TokenPause;
  readonly signers: readonly Signer[];
  /** Settlements of one transaction at most; 1 turns batching off. */
  readonly batchMax: number;
  /** The batch contract, which contract wallets' payments can share; undefined for Multicall3. */
  readonly batcher: Address | undefined;
  /** Of the newest block; undefined until one was read, and where its node omits it. */
  blockGasLimit(): bigint | undefined;
}

export type Relayer = ReturnType<typeof createRelayer>;

export function createRelayer(deps: RelayerDeps) {
  const { chain, log } = deps;
  const { chainId } = chain.network;
  const batching = createBatching(deps);
  const events = { ...deps.events, onTooLarge: batching.makeSmaller };
  const managers = deps.signers.map((signer) => new NonceManager(signer, { ...deps, events }));
  const addresses = managers.map(({ signer }) => signer.address);
  let jobs: { stop(): Promise<void> }[] = [];
  const { batchPayments, settings } = batching;
  const queue = new WorkQueue({ ...deps, managers, batching: settings, batchPayments });
  const share = createRebalancer({ ...deps, chainId, managers });

  /** `resolved`: the settlements whose logs were in the block, by transaction. */
  async function onBlock(block: FollowedBlock, resolved: ReadonlyMap<Hex, ReadonlySet<string>>) {
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

  function load(): RelayerLoad {
    return {
      inFlight: managers.reduce((sum, manager) => sum + manager.pendingCount(), 0),
      queued: queue.size,
      walletsUsable: managers.filter((manager) => manager.canWork()).length,
      walletsElsewhere: share.elsewhere(),
      batching: batching.state(),
    };
  }

  async function reopenNonces(): Promise<void> {
    await reopenAll(managers);
    await carryAgain(managers, events);
  }

  return {
    addresses,
    /** Wallets with a transaction that should be mined by this block, or that was refused. */
    lateAddresses: (headNumber: number) => lateAmong(managers, headNumber),
    /** Whether a settlement of this kind may enter the queue. */
    hasRoom: (waiter: Waiter) => queue.hasRoom(waiter),
    /** Reserves a place for a settlement that is about to be claimed; see the work queue. */
    reserve: (waiter: Waiter) => queue.reserve(waiter),
    /** Why nothing is sent at the present price of gas; undefined while it is within the bounds. */
    gasPriceProblem: () => deps.gasPrices.problem(),
    /** Why nothing is sent at present; undefined where it is not known. */
    problem: () => problemOf(deps, managers),
    /** Whether any wallet, here or in another process, has gas and a node that accepts its sends. */
    isAble: () => managers.some((manager) => manager.isAble()),
    /** Whether every node has refused its transaction; undefined where no wallet here carries it. */
    isUnknownToNodes: (settlementId: string) => isUnknownIn(managers, settlementId),
    /** Whether this process holds any wallet. */
    isWorking: () => managers.some((manager) => manager.isOurs()),
    isSpare: () => queue.size === 0 && managers.some((manager) => manager.room() > 0),
    isFor: share.isFor,
    checkRefusal: createCheckRefusal({ ...deps, managers }),
    /** Forgets settlements that another process carries. */
    forget: (ids: ReadonlySet<string>) => queue.forget(ids),
    /** Adds a claimed settlement; call `reserve` before claiming. */
    enqueue: (queued: QueuedSettlement) => queue.enqueue(queued),
    load,
    sendCall: createContractCalls({ ...deps, managers }),
    /** In the order of the addresses. */
    wallets: (): readonly WalletLoad[] => managers.map(loadOf),
    onBlock,
    onSettled(settlementIds: readonly string[]) {
      queue.forget(settlementIds);
      const settled = new Set(settlementIds);
      for (const { unresolved } of managers.flatMap((manager) => manager.pendingNonces())) {
        for (const id of unresolved) if (settled.has(id)) unresolved.delete(id);
      }
    },
    /** Blocks were reorganised out; nonces used in them are stored as open again. */
    onReorganised: reopenNonces,
    async start() {
      await batching.look();
      await share.look();
      jobs = startJobs({ ...deps, addresses, queue, share, batching, reopenNonces });
    },
    async stop() {
      await Promise.all(jobs.map((job) => job.stop()));
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

function problemOf(deps: RelayerDeps, managers: readonly NonceManager[]): string | undefined {
  const problem = deps.gasPrices.problem();
  if (problem !== undefined) return problem;
  if (deps.tokenPause.sinceMs() !== undefined) return "USDC is paused by its issuer";
  return managers.some((manager) => manager.isAble()) ? undefined : "no wallet can take work";
}

function loadOf(manager: NonceManager): WalletLoad {
  const pendingNonces = manager.pendingNonces();
  return {
    address: manager.signer.address,
    isOurs: manager.isOurs(),
    inFlight: pendingNonces.length,
    oldestAtBlock: pendingNonces[0]?.attemptedAtBlock,
    lowestNonce: pendingNonces.find(({ isUsedUp }) => !isUsedUp)?.nonce,
    awaitsFinality: pendingNonces.some(({ isUsedUp }) => isUsedUp),
  };
}

async function reopenAll(managers: readonly NonceManager[]): Promise<void> {
  for (const manager of managers) await manager.reopen();
}

/**
 * A nonce in hand carries its payments again whose outcome was reorganised out, as where another sender
 * had made them: its transaction is priced again, and not cancelled as one with nothing left to carry.
 */
async function carryAgain(
  managers: readonly NonceManager[],
  events: Pick<RelayerEvents, "readUndecided">,
): Promise<void> {
  const inHand = managers.flatMap((manager) => manager.pendingNonces());
  const resolved = inHand.flatMap(listResolved);
  if (resolved.length === 0) return;
  const undecided = await events.readUndecided(resolved);
  for (const settlement of undecided) {
    for (const pending of inHand) noteUndecided(pending, settlement);
  }
}

function isUnknownIn(managers: readonly NonceManager[], settlementId: string): boolean | undefined {
  const pendingNonces = managers.flatMap((manager) => manager.pendingNonces());
  const carriers = pendingNonces.filter(({ unresolved }) => unresolved.has(settlementId));
  return carriers.length === 0 ? undefined : carriers.some(isUnknownToNodes);
}

interface JobDeps extends RelayerDeps {
  readonly addresses: readonly Address[];
  readonly queue: WorkQueue;
  readonly share: ReturnType<typeof createRebalancer>;
  readonly batching: ReturnType<typeof createBatching>;
  reopenNonces(): Promise<void>;
}

/** Starts the checks that no block triggers. */
function startJobs(deps: JobDeps): { stop(): Promise<void> }[] {
  const { chain, clock, log, queue, share, batching, reopenNonces } = deps;
  const fields = { event: "reopened_nonce_check_failed", chainId: chain.network.chainId };
  const message = "Reopened nonce check failed; retrying in five seconds";
  const repeatLater = warning(log, fields, message);
  let ticks = 0;

  async function tick(): Promise<void> {
    deps.gasPrices.look();
    deps.tokenPause.look();
    await share.look();
    if (ticks % ticksPerReopening === 0) await reopenNonces().catch(repeatLater);
    if (ticks % ticksPerLookup === 0) void batching.look();
    ticks++;
  }

  return [
    startPoll({ clock, pauseMs: tickMs }, tick),
    // A slow signer of one wallet holds up the tick, and must not hold up the others' work.
    startPoll({ clock, pauseMs: tickMs }, () => queue.dispatchAll()),
    startLeftBehind(deps),
  ];
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
