/** Channels in the SQLite database of the payment records. Each change is one transaction. */
import type { Hex } from "@farthing/protocol";
import {
  channelIn,
  channelText,
  isUnclaimed,
  type ChannelStore,
  type StoredChannel,
} from "../channels/channel-store.ts";
import type { Database } from "./tables.ts";

/** Channels that are forgotten at once, where the file is full. */
const forgottenAtOnce = 16;

export function createSqliteChannelStore(
  database: Database,
  channelsMax: number,
  now: () => number,
): ChannelStore {
  function put(version: number, channel: StoredChannel): boolean {
    const text = channelText(channel);
    const { id, heldUntilMs, openRefund } = channel;
    const isKept = isUnclaimed(channel) || openRefund !== undefined ? 1 : 0;
    const row =
      version === 0
        ? database.get(
            `insert into channels (id, version, state, is_kept, held_until_ms)
             values (?, abs(random() % 1000000000) + 1, ?, ?, ?) on conflict (id) do nothing returning id`,
            id,
            text,
            isKept,
            heldUntilMs,
          )
        : database.get(
            `update channels set version = version + 1, state = ?, is_kept = ?, held_until_ms = ?
             where id = ? and version = ? returning id`,
            text,
            isKept,
            heldUntilMs,
            id,
            version,
          );
    return row !== undefined;
  }

  return {
    async get(id: Hex) {
      const row = database.get("select version, state from channels where id = ?", id);
      return { version: Number(row?.["version"] ?? 0), channel: row && channelIn(row["state"]) };
    },
    compareAndSet: async (version, channel, isLasting) =>
      database.transaction(() => put(version, channel), isLasting ? "surely" : "soon"),
    async remove(version, id) {
      const text = "delete from channels where id = ? and version = ? returning id";
      return database.transaction(() => database.get(text, id, version) !== undefined, "soon");
    },
    async unclaimed(afterId, limit) {
      const text =
        "select state from channels where is_kept = 1 and id > ? order by id limit cast(? as integer)";
      return database
        .all(text, afterId, limit)
        .map(({ state }) => channelIn(state))
        .filter(isUnclaimed);
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
