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
import { readReceipts, type Receipt } from "../chain/reads.ts";
import type { FollowedBlock } from "../chain/block-follower.ts";
import type { RelayerTransaction } from "../model/relayer-transaction.ts";
import type { Store } from "../storage/store.ts";
import { findMulticall } from "../chain/multicall.ts";
import type { BatchSettings } from "./batch.ts";
import { createLane, type InFlight, type Lane, type LaneEvents } from "./lane.ts";
import type { LeaseOwner } from "./lease.ts";
import type { PrepareDeps, QueuedSettlement } from "./prepare.ts";
import type { Signer } from "./sign.ts";
import { createWorkQueue, type QueueEvents } from "./work-queue.ts";

/** Pause between looks at what no block announces: leases, waiting settlements. */
const tickMs = 1_000;

/** A transaction that is in a block, as its receipt says. */
export interface MinedTransaction {
  readonly transaction: RelayerTransaction;
  readonly hash: Hex;
  readonly succeeded: boolean;
  readonly blockNumber: number;
  /** Settlements it carries whose logs were not seen. */
  readonly unresolved: readonly string[];
}

/** What the relayer tells; outcomes are decided by who listens. */
export interface RelayerEvents extends LaneEvents, QueueEvents {
  /** Mined, and some of its settlements have no log of theirs. */
  onMinedWithoutLog(mined: MinedTransaction): Promise<void>;
}

/** A running relayer. */
export interface Relayer {
  readonly addresses: readonly Address[];
  /** Whether one more settlement may be claimed now. */
  hasRoom(): boolean;
  /** Takes a claimed settlement; call `hasRoom` before claiming. */
  enqueue(queued: QueuedSettlement): void;
  /** Transactions on their way and settlements that wait. */
  load(): { readonly inFlight: number; readonly queued: number; readonly lanesUsable: number };
  /** Takes notice of a block; `resolved` are the settlements whose logs were in it, by transaction. */
  onBlock(block: FollowedBlock, resolved: ReadonlyMap<Hex, ReadonlySet<string>>): Promise<void>;
  /** The blocks that held these transactions are gone. */
  onReorganised(hashes: readonly Hex[]): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** What a relayer works with. */
export interface RelayerDeps extends Omit<PrepareDeps, "chain"> {
  readonly chain: Chain;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly owner: LeaseOwner;
  readonly events: RelayerEvents;
  readonly signers: readonly Signer[];
  readonly inFlightMax: number;
  /** Settlements of one transaction at most; 1 turns batching off. */
  readonly batchMax: number;
  headNumber(): number;
}

/** Creates a relayer; `start` lets it work. */
export function createRelayer(deps: RelayerDeps): Relayer {
  const { chain, store, clock, log, events } = deps;
  const { chainId } = chain.network;
  const lanes = deps.signers.map((signer) => createLane(signer, deps));
  const stopping = new AbortController();
  let batching: BatchSettings | undefined;
  let ticking: Promise<void> | undefined;
  const queue = createWorkQueue({ ...deps, lanes, batching: () => batching });

  async function onBlock(
    block: FollowedBlock,
    resolved: ReadonlyMap<Hex, ReadonlySet<string>>,
  ): Promise<void> {
    for (const lane of lanes) {
      await closeResolved(lane, resolved);
      if (!block.isHead) continue;
      await lookAtConsumed(lane, block);
      // Not awaited: a slow endpoint must not hold up the next block.
      void lane.resend(block.number).catch((error: unknown) => {
        log.warn({ chainId, problem: messageOf(error) }, "Could not send again");
      });
    }
    if (block.isHead) queue.dispatch();
  }

  /** Transactions whose nonce is used up although their logs were not all seen. */
  async function lookAtConsumed(lane: Lane, block: FollowedBlock): Promise<void> {
    const count = block.transactionCounts.get(lane.signer.address) ?? 0;
    const consumed = lane.inFlight().filter(({ transaction }) => transaction.nonce < count);
    if (consumed.length === 0) return;
    const receipts = await readReceipts(
      chain,
      consumed.map(({ transaction }) => transaction.hash),
    );
    for (const [index, entry] of consumed.entries()) {
      const receipt = receipts[index];
      // None: this node lags, or another transaction took the nonce; the next block tells more.
      if (receipt && receipt.blockNumber <= block.number) await endByReceipt(lane, entry, receipt);
    }
  }

  async function endByReceipt(lane: Lane, entry: InFlight, receipt: Receipt): Promise<void> {
    const { transaction, unresolved } = entry;
    if (transaction.hash === null) return;
    const { hash } = transaction;
    try {
      const mined = { transaction, hash, ...receipt, unresolved: [...unresolved] };
      await events.onMinedWithoutLog(mined);
      await lane.close([transaction], "mined");
    } catch (error) {
      // It stays in flight and is looked at again with the next block; other payments go on.
      log.warn(
        { chainId, transaction: hash, problem: messageOf(error) },
        "Could not tell what became of a mined transaction",
      );
    }
  }

  async function tick(): Promise<void> {
    while (!stopping.signal.aborted) {
      await Promise.all(lanes.map((lane) => lane.keep()));
      queue.dispatch(true);
      await clock.sleep(tickMs, stopping.signal);
    }
  }

  return {
    addresses: lanes.map(({ signer }) => signer.address),
    hasRoom: queue.hasRoom,
    enqueue: queue.enqueue,
    load: () => ({
      inFlight: lanes.reduce((sum, lane) => sum + lane.inFlight().length, 0),
      queued: queue.size(),
      lanesUsable: lanes.filter((lane) => lane.room() > 0 || lane.inFlight().length > 0).length,
    }),
    onBlock,
    async onReorganised(hashes) {
      await store.reopenTransactions(hashes);
      for (const lane of lanes) {
        const open = await store.listOpenTransactions(chainId, lane.signer.address);
        lane.reopen(open.filter(({ hash }) => hash !== null && hashes.includes(hash)));
      }
    },
    async start() {
      const multicall = deps.batchMax > 1 ? await findMulticall(chain) : undefined;
      batching = multicall && { multicall, paymentsMax: deps.batchMax };
      await Promise.all(lanes.map((lane) => lane.keep()));
      ticking = tick();
    },
    async stop() {
      stopping.abort();
      await ticking;
      await queue.stop();
      await Promise.all(lanes.map((lane) => lane.stop()));
    },
  };
}

/** Ends the transactions whose settlements were all found in a block. */
async function closeResolved(
  lane: Lane,
  resolved: ReadonlyMap<Hex, ReadonlySet<string>>,
): Promise<void> {
  const mined = lane.inFlight().filter(({ transaction, unresolved }) => {
    const ids = transaction.hash === null ? undefined : resolved.get(transaction.hash);
    for (const id of ids ?? []) unresolved.delete(id);
    return ids !== undefined && unresolved.size === 0;
  });
  if (mined.length > 0)
    await lane.close(
      mined.map(({ transaction }) => transaction),
      "mined",
    );
}
