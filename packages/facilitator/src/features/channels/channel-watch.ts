/**
 * What the contract says of the channels of accounts, followed by its events. An event that is new, or
 * that a reorganisation has taken off the chain, has its channel read again before anything relies on it.
 */
import type { ChainId, Hex } from "@farthing/protocol";
import type { Channels, MinedChannelEvent } from "@farthing/engine";
import { Fault, type Runtime } from "@farthing/engine/base";
import { compareEvents, type ChannelEventStore, type ReadState } from "./event-store.ts";
import type { ChainEvent, ChannelEventKind, KeptVoucher } from "./model.ts";
import type { VoucherStore } from "./store.ts";

/** Channels of one read, of three calls each. */
const readMax = 100;

/** Blocks whose events are read at once; nodes allow some thousand. */
const eventBlocksMax = 200;

/**
 * Events that are worked on at once, where they are of several blocks: those of one full block. Anyone can
 * fill blocks with events of channels of their own, for less than a cent each.
 */
const eventsMax = 5_000;

/** Ranges of one look: what an absence of a day has left is read in twenty looks. */
const rangesMax = 10;

/** Blocks that are read again, since they may have been replaced: XDC makes a block final within five. */
const replacedBlocks = 8;

/** Asked for where no channel is open, to see whether a node answers. */
const noChannel: Hex = `0x${"0".repeat(64)}`;

export type ChannelWatch = ReturnType<typeof createChannelWatch>;

/** Both blocks belong to it. */
interface BlockRange {
  readonly fromBlock: number;
  readonly toBlock: number;
}

interface WatchDeps extends Runtime {
  readonly store: VoucherStore & ChannelEventStore;
  readonly chain: Pick<Channels, "headOf" | "events" | "read">;
}

export function createChannelWatch(deps: WatchDeps) {
  const { store, chain, clock, log } = deps;
  /** By network, the newest block whose events are known and that is not replaced any more. */
  const readUpTo = new Map<ChainId, number>();
  /** By network, the blocks of the next range: fewer after one whose events the nodes did not give. */
  const blocksAtOnce = new Map<ChainId, number>();

  async function readStates(
    chainId: ChainId,
    ids: readonly Hex[],
    block: number,
  ): Promise<ReadState[]> {
    const found: ReadState[] = [];
    for (let first = 0; first < ids.length; first += readMax) {
      const some = ids.slice(first, first + readMax);
      const states = await chain.read(chainId, some, block);
      found.push(
        ...some.flatMap((channelId, index) => {
          const state = states[index];
          return state ? [{ channelId, state }] : [];
        }),
      );
    }
    return found;
  }

  async function refresh(chainId: ChainId, ids: readonly Hex[], block = 0): Promise<void> {
    await store.recordChannels(chainId, await readStates(chainId, ids, block), clock.nowMs());
  }

  /** Records events of a range of blocks, with the channels that they concern. */
  async function recordEvents(
    chainId: ChainId,
    { fromBlock, toBlock }: BlockRange,
    found: readonly MinedChannelEvent[],
  ): Promise<void> {
    const ids = [...new Set(found.map(({ channelId }) => channelId))];
    const known = await store.findVouchers(chainId, ids);
    const ofAccounts = found.filter(({ channelId }) => known.has(channelId));
    const recorded = await store.listEventsBetween(chainId, fromBlock, toBlock);
    const { events, reorganised } = compareEvents(recorded, toChainEvents(ofAccounts));
    const touched = new Set([...events, ...reorganised].map(({ channelId }) => channelId));
    const states = await readStates(chainId, [...touched], toBlock);
    await store.recordLook({ chainId, block: toBlock, events, reorganised, states }, clock.nowMs());
  }

  /**
   * Claims go on where events cannot be read: the open channels are read from the contract instead, which
   * fails where no node answers at all.
   */
  async function goOnWithout(chainId: ChainId, part: BlockRange, open: readonly KeptVoucher[]) {
    await refresh(chainId, open.length > 0 ? open.map(({ channelId }) => channelId) : [noChannel]);
    const fields = { event: "channel_events_unread", chainId, ...part };
    log.warn(fields, "Events of channels not read; their contract is asked instead");
  }

  return {
    /** Reads these channels at or above a block, and records what the contract says. */
    refresh,
    /** Reads what has changed since the last look, and after a long absence first all that is open. */
    async look(chainId: ChainId, open: readonly KeptVoucher[]): Promise<void> {
      const head = chain.headOf(chainId);
      if (head === undefined) return;
      const recorded = readUpTo.has(chainId) ? undefined : await store.findWatchedBlock(chainId);
      const watched = readUpTo.get(chainId) ?? (recorded && recorded - replacedBlocks);
      const before = Math.min(watched ?? head, head - replacedBlocks);
      if (watched === undefined || head - before > eventBlocksMax + replacedBlocks) {
        const ids = open.map(({ channelId }) => channelId);
        await refresh(chainId, ids);
      }
      let fromBlock = Math.max(0, before + 1);
      let isRefreshed = false;
      for (let range = 0; range < rangesMax && fromBlock <= head; range++) {
        const blocks = blocksAtOnce.get(chainId) ?? eventBlocksMax;
        const part = { fromBlock, toBlock: Math.min(head, fromBlock + blocks - 1) };
        const found = await eventsOf(chain, chainId, part);
        if (found) {
          await recordEvents(chainId, part, found);
          blocksAtOnce.set(chainId, Math.min(eventBlocksMax, blocks * 2));
        } else {
          if (!isRefreshed) await goOnWithout(chainId, part, open);
          isRefreshed = true;
          const asked = part.toBlock - fromBlock + 1;
          blocksAtOnce.set(chainId, Math.max(1, Math.floor(asked / 2)));
          // One block alone is left out.
          if (asked > 1) continue;
        }
        readUpTo.set(chainId, Math.min(part.toBlock, head - replacedBlocks));
        fromBlock = part.toBlock + 1;
      }
    },
    /** No account has a channel: nothing is asked, and nothing is missed when one is opened. */
    rest(chainId: ChainId): void {
      const head = chain.headOf(chainId);
      if (head !== undefined) readUpTo.set(chainId, head - replacedBlocks);
    },
  };
}

/** The events of a range of blocks; undefined where no node gives so many. */
async function eventsOf(
  chain: Pick<Channels, "events">,
  chainId: ChainId,
  { fromBlock, toBlock }: BlockRange,
) {
  try {
    const found = await chain.events(chainId, fromBlock, toBlock);
    return found.length > eventsMax && fromBlock < toBlock ? undefined : found;
  } catch (error) {
    if (error instanceof Fault && error.code.startsWith("rpc_")) return undefined;
    throw error;
  }
}

const kindOf: Readonly<Partial<Record<MinedChannelEvent["name"], ChannelEventKind>>> = {
  Deposited: "deposited",
  Claimed: "claimed",
  WithdrawInitiated: "withdrawing",
  WithdrawFinalized: "withdrawn",
  Refunded: "refunded",
};

/** Numbers the events of one kind that a transaction makes for a channel. */
function toChainEvents(found: readonly MinedChannelEvent[]): ChainEvent[] {
  const counts = new Map<string, number>();
  return found.flatMap(({ name, channelId, transaction, blockNumber, amount = null }) => {
    const kind = kindOf[name];
    if (!kind) return [];
    const key = `${channelId} ${transaction} ${kind}`;
    const position = counts.get(key) ?? 0;
    counts.set(key, position + 1);
    return [{ kind, channelId, transactionHash: transaction, position, blockNumber, amount }];
  });
}
