/** Channels of one process. Each call runs to its end before the next one starts. */
import type { Hex } from "@farthing/protocol";
import { channelFlags, type ChannelStore, type StoredChannel } from "../channels/channel-store.ts";
import type { KeptCall } from "../channels/kept-call.ts";

export function createMemoryChannelStore(
  channelsMax: number,
  now: () => number,
  keep: (call: KeptCall) => void,
): ChannelStore {
  const channels = new Map<Hex, { version: number; channel: StoredChannel }>();
  const versionOf = (id: Hex): number => channels.get(id)?.version ?? 0;
  return {
    async get(id) {
      return { version: 0, channel: undefined, ...channels.get(id), nowMs: now() };
    },
    async compareAndSet(version, channel, { kept, nextVersion }) {
      if (versionOf(channel.id) !== version) return false;
      channels.set(channel.id, { version: nextVersion, channel });
      if (kept) keep(kept);
      return true;
    },
    async remove(version, id) {
      return versionOf(id) === version && channels.delete(id);
    },
    async list(list, afterId, limit) {
      const isListed = (channel: StoredChannel): boolean => {
        const { isUnclaimed, isUnvaulted } = channelFlags(channel);
        return list === "unclaimed" ? isUnclaimed : isUnvaulted;
      };
      const found = [...channels.values()].map(({ channel }) => channel).filter(isListed);
      const after = found.filter(({ id }) => id > afterId);
      return after.toSorted((a, b) => (a.id < b.id ? -1 : 1)).slice(0, limit);
    },
    async makeRoom() {
      for (const [id, { channel }] of channels) {
        if (channels.size < channelsMax) break;
        if (!channelFlags(channel).isKept && channel.heldUntilMs <= now()) channels.delete(id);
      }
      return channels.size < channelsMax;
    },
  };
}
