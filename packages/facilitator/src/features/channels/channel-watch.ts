/** What the contract says of the vault's channels, followed by its events while anything is unclaimed. */
import type { ChainId, Hex } from "@farthing/protocol";
import type { Channels } from "@farthing/engine";
import type { Clock } from "@farthing/engine/base";
import type { KeptVoucher } from "./model.ts";
import type { ChannelStore } from "./store.ts";

/** Channels of one read, of three calls each. */
const readMax = 100;

/** Blocks whose events are read at once; after a longer absence every open channel is read instead. */
const eventBlocksMax = 200;

/** Blocks that are read again, since they may have been replaced: XDC makes a block final within five. */
const replacedBlocks = 8;

export type ChannelWatch = ReturnType<typeof createChannelWatch>;

export function createChannelWatch(deps: {
  readonly store: ChannelStore;
  readonly chain: Pick<Channels, "headOf" | "events" | "read">;
  readonly clock: Clock;
}) {
  const { store, chain, clock } = deps;
  /** The newest block whose events are known, by network. */
  const readUpTo = new Map<ChainId, number>();

  async function refresh(chainId: ChainId, ids: readonly Hex[], block = 0): Promise<void> {
    for (let first = 0; first < ids.length; first += readMax) {
      const some = ids.slice(first, first + readMax);
      const states = await chain.read(chainId, some, block);
      const read = some.flatMap((channelId, index) => {
        const state = states[index];
        return state ? [{ channelId, state }] : [];
      });
      await store.recordChannels(chainId, read, clock.nowMs());
    }
  }

  return {
    /** Reads these channels at or above a block, and records what the contract says. */
    refresh,
    /** Reads the channels that have changed since the last look; all that are open after a long absence. */
    async look(chainId: ChainId, open: readonly KeptVoucher[]): Promise<void> {
      const head = chain.headOf(chainId);
      if (head === undefined) return;
      const before = readUpTo.get(chainId);
      if (before === undefined || head - before > eventBlocksMax) {
        const ids = open.map(({ channelId }) => channelId);
        await refresh(chainId, ids);
      } else {
        const events = await chain.events(chainId, Math.max(0, before - replacedBlocks), head);
        const touched = [...new Set(events.map(({ channelId }) => channelId))];
        const known = await store.findVouchers(chainId, touched);
        await refresh(chainId, [...known.keys()]);
      }
      readUpTo.set(chainId, head);
    },
    /** Nothing is at stake: the node is left alone, and asked for everything when something is again. */
    rest: (chainId: ChainId) => void readUpTo.delete(chainId),
  };
}
