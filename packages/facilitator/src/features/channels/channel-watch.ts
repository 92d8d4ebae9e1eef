/**
 * What the contract says of the channels of accounts, followed by its events. An event that is new, or
 * that a reorganisation has taken off the chain, has its channel read again before anything relies on it.
 */
import type { ChainId, Hex } from "@farthing/protocol";
import type { Channels, MinedChannelEvent } from "@farthing/engine";
import type { Clock } from "@farthing/engine/base";
import { compareEvents, type ChannelEventStore, type ReadState } from "./event-store.ts";
import type { ChainEvent, ChannelEventKind, KeptVoucher } from "./model.ts";
import type { VoucherStore } from "./store.ts";

/** Channels of one read, of three calls each. */
const readMax = 100;

/** Blocks whose events are read at once; nodes allow some thousand. */
const eventBlocksMax = 200;

/** Ranges of one look: what an absence of a day has left is read in twenty looks. */
const rangesMax = 10;

/** Blocks that are read again, since they may have been replaced: XDC makes a block final within five. */
const replacedBlocks = 8;

export type ChannelWatch = ReturnType<typeof createChannelWatch>;

export function createChannelWatch(deps: {
  readonly store: VoucherStore & ChannelEventStore;
  readonly chain: Pick<Channels, "headOf" | "events" | "read">;
  readonly clock: Clock;
}) {
  const { store, chain, clock } = deps;
  /** The newest block whose events are known, by network. */
  const readUpTo = new Map<ChainId, number>();

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

  /** Records the events of a range of blocks, with the channels that they concern. */
  async function readEvents(chainId: ChainId, fromBlock: number, toBlock: number): Promise<void> {
    const found = await chain.events(chainId, fromBlock, toBlock);
    const ids = [...new Set(found.map(({ channelId }) => channelId))];
    const known = await store.findVouchers(chainId, ids);
    const ofAccounts = found.filter(({ channelId }) => known.has(channelId));
    const recorded = await store.listEventsBetween(chainId, fromBlock, toBlock);
    const { events, reorganised } = compareEvents(recorded, toChainEvents(ofAccounts));
    const touched = new Set([...events, ...reorganised].map(({ channelId }) => channelId));
    const states = await readStates(chainId, [...touched], toBlock);
    await store.recordLook({ chainId, block: toBlock, events, reorganised, states }, clock.nowMs());
  }

  return {
    /** Reads these channels at or above a block, and records what the contract says. */
    refresh,
    /** Reads what has changed since the last look, and after a long absence first all that is open. */
    async look(chainId: ChainId, open: readonly KeptVoucher[]): Promise<void> {
      const head = chain.headOf(chainId);
      if (head === undefined) return;
      let before = readUpTo.get(chainId) ?? (await store.findWatchedBlock(chainId));
      if (before === undefined || head - before > eventBlocksMax) {
        const ids = open.map(({ channelId }) => channelId);
        await refresh(chainId, ids);
      }
      before = Math.min(before ?? head, head);
      for (let range = 0; range < rangesMax; range++) {
        const to = Math.min(head, before + eventBlocksMax);
        await readEvents(chainId, Math.max(0, before - replacedBlocks), to);
        readUpTo.set(chainId, to);
        before = to;
        if (to === head) break;
      }
    },
    /** No account has a channel: nothing is asked, and nothing is missed when one is opened. */
    rest(chainId: ChainId): void {
      const head = chain.headOf(chainId);
      if (head !== undefined) readUpTo.set(chainId, head);
    },
  };
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
