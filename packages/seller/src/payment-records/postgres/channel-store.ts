/** Channels in PostgreSQL. Each change is one statement. */
import {
  channelFlags,
  channelIn,
  channelText,
  newVersion,
  type ChannelStore,
} from "../channels/channel-store.ts";
import type { KeptCall } from "../channels/kept-call.ts";
import { maxIdleChannelMs } from "../retention.ts";
import { maxSwept, nowOf, Values, type Query } from "./tables.ts";

const flagOf = { unclaimed: "is_unclaimed", unvaulted: "is_unvaulted" } as const;

/** Returns the parts of a statement that keep a response, if something was `changed`. */
export type KeepText = (values: Values, call: KeptCall) => string;

export function createPostgresChannelStore(
  query: Query,
  keepText: KeepText,
  now?: () => number,
): ChannelStore {
  /** Deletes a few channels of which the chain tells as much, with each new one. */
  async function sweep(): Promise<void> {
    const values = new Values();
    await query(
      `delete from farthing_channels where id in
         (select id from farthing_channels
          where not is_kept and changed_at_ms <= ${nowOf(values, now)} - ${maxIdleChannelMs}
          order by changed_at_ms limit ${maxSwept} for update skip locked)`,
      values.list,
    );
  }

  return {
    async get(id) {
      const values = new Values();
      const text = `select version, state, ${nowOf(values, now)} as "nowMs"
        from (select) as one left join farthing_channels on id = ${values.add(id)}`;
      const [row] = await query(text, values.list);
      const state = row?.["state"];
      return {
        version: Number(row?.["version"] ?? 0),
        channel: typeof state === "string" ? channelIn(state) : undefined,
        nowMs: Number(row?.["nowMs"]),
      };
    },
    async compareAndSet(version, channel, { kept }) {
      const values = new Values();
      const { isKept, isUnclaimed, isUnvaulted } = channelFlags(channel);
      const id = values.add(channel.id);
      const set = [
        ["state", values.add(channelText(channel))],
        ["is_kept", `${isKept}`],
        ["is_unclaimed", `${isUnclaimed}`],
        ["is_unvaulted", `${isUnvaulted}`],
        ["changed_at_ms", nowOf(values, now)],
      ] as const;
      const change =
        version === 0
          ? `insert into farthing_channels (id, version, ${set.map(([name]) => name).join(", ")})
             values (${id}, ${values.add(newVersion())}, ${set.map(([, value]) => value).join(", ")})
             on conflict (id) do nothing returning id`
          : `update farthing_channels set version = version + 1,
               ${set.map(([name, value]) => `${name} = ${value}`).join(", ")}
             where id = ${id} and version = ${values.add(version)}::bigint returning id`;
      const text =
        kept === undefined
          ? change
          : `with changed as (${change}), ${keepText(values, kept)} select id from changed`;
      const isDone = (await query(text, values.list)).length > 0;
      if (isDone && version === 0) await sweep();
      return isDone;
    },
    async remove(version, id) {
      const text = "delete from farthing_channels where id = $1 and version = $2 returning id";
      return (await query(text, [id, version])).length > 0;
    },
    async list(list, afterId, limit) {
      const text = `select state from farthing_channels where ${flagOf[list]} and id > $1
        order by id limit $2`;
      return (await query(text, [afterId, limit])).map(({ state }) => channelIn(state));
    },
  };
}
