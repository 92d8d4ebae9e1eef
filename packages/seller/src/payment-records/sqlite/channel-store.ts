/** Channels in the SQLite database of the payment records. Each change is one transaction. */
import type { Hex } from "@farthing/protocol";
import {
  channelFlags,
  channelIn,
  channelText,
  type ChannelStore,
  type StoredChannel,
} from "../channels/channel-store.ts";
import type { KeptCall } from "../channels/kept-call.ts";
import type { Database } from "./tables.ts";

/** Channels that are forgotten at once, where the file is full. */
const forgottenAtOnce = 16;

const flagOf = { unclaimed: "is_unclaimed", unvaulted: "is_unvaulted" } as const;

export function createSqliteChannelStore(
  database: Database,
  channelsMax: number,
  now: () => number,
  /** Within the transaction. */
  keep: (call: KeptCall) => void,
): ChannelStore {
  function put(version: number, channel: StoredChannel, nextVersion: number): boolean {
    const { id, heldUntilMs } = channel;
    const flags = channelFlags(channel);
    const isListed = [flags.isKept, flags.isUnclaimed, flags.isUnvaulted].map(Number);
    const values = [channelText(channel), ...isListed, heldUntilMs];
    const row =
      version === 0
        ? database.get(
            `insert into channels
               (id, version, state, is_kept, is_unclaimed, is_unvaulted, held_until_ms)
             values (?, ?, ?, ?, ?, ?, ?) on conflict (id) do nothing returning id`,
            id,
            nextVersion,
            ...values,
          )
        : database.get(
            `update channels set version = ?, state = ?, is_kept = ?, is_unclaimed = ?,
               is_unvaulted = ?, held_until_ms = ? where id = ? and version = ? returning id`,
            nextVersion,
            ...values,
            id,
            version,
          );
    return row !== undefined;
  }

  return {
    nowMs: now,
    async get(id: Hex) {
      const row = database.get("select version, state from channels where id = ?", id);
      const channel = row && channelIn(row["state"]);
      return { version: Number(row?.["version"] ?? 0), channel, nowMs: now() };
    },
    async compareAndSet(version, channel, { isLasting, kept, nextVersion }) {
      const change = (): boolean => {
        const isDone = put(version, channel, nextVersion);
        if (isDone && kept) keep(kept);
        return isDone;
      };
      return database.together(change, isLasting ? "surely" : "soon");
    },
    async remove(version, id) {
      const text = "delete from channels where id = ? and version = ? returning id";
      return database.transaction(() => database.get(text, id, version) !== undefined, "soon");
    },
    async list(list, afterId, limit) {
      const text = `select state from channels where ${flagOf[list]} = 1 and id > ?
        order by id limit cast(? as integer)`;
      return database.all(text, afterId, limit).map(({ state }) => channelIn(state));
    },
    async makeRoom() {
      const count = (): number =>
        Number(database.get("select count(*) as entries from channels")?.["entries"] ?? 0);
      if (count() < channelsMax) return true;
      database.run(
        `delete from channels where id in (select id from channels
           where is_kept = 0 and held_until_ms <= ? limit ${forgottenAtOnce})`,
        now(),
      );
      return count() < channelsMax;
    },
  };
}
