/** Channels in PostgreSQL. Each change is one statement. */
import {
  channelFlags,
  channelIn,
  channelText,
  type ChannelStore,
} from "../channels/channel-store.ts";
import { createCarriedClock } from "../channels/carried-clock.ts";
import type { KeptCall } from "../channels/kept-call.ts";
import { maxIdleChannelMs } from "../retention.ts";
import { maxSwept, nowOf, Values, type Query } from "./tables.ts";

const changed = "changed_at_ms";

/** Ends the statement's transaction without a wait for the disk; PostgreSQL asks for it at its commit. */
const soon = "and set_config('synchronous_commit', 'off', true) is not null";

const flagOf = { unclaimed: "is_unclaimed", unvaulted: "is_unvaulted" } as const;

/** Returns the parts of a statement that keep a response, if something was `changed`. */
export type KeepText = (values: Values, call: KeptCall) => string;

export function createPostgresChannelStore(
  query: Query,
  keepText: KeepText,
  now?: () => number,
): ChannelStore {
  const clock = createCarriedClock(now);

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
    nowMs: () => clock.nowMs(),
    async get(id) {
      const values = new Values();
      const text = `select version, state, ${nowOf(values, now)} as "nowMs"
        from (select) as one left join farthing_channels on id = ${values.add(id)}`;
      const [row] = await query(text, values.list);
      const state = row?.["state"];
      clock.note(Number(row?.["nowMs"]));
      return {
        version: Number(row?.["version"] ?? 0),
        channel: typeof state === "string" ? channelIn(state) : undefined,
        nowMs: Number(row?.["nowMs"]),
      };
    },
    async compareAndSet(version, channel, { isLasting, kept, nextVersion }) {
      const values = new Values();
      const { isKept, isUnclaimed, isUnvaulted } = channelFlags(channel);
      const id = values.add(channel.id);
      const changedAtMs = nowOf(values, now);
      const set = [
        ["version", `${values.add(nextVersion)}::bigint`],
        ["state", values.add(channelText(channel))],
        ["is_kept", `${isKept}`],
        ["is_unclaimed", `${isUnclaimed}`],
        ["is_unvaulted", `${isUnvaulted}`],
        ["changed_at_ms", changedAtMs],
      ] as const;
      const change =
        version === 0
          ? `insert into farthing_channels (id, ${set.map(([name]) => name).join(", ")})
             values (${id}, ${set.map(([, value]) => value).join(", ")})
             on conflict (id) do nothing returning ${changed}`
          : `update farthing_channels set
               ${set.map(([name, value]) => `${name} = ${value}`).join(", ")}
             where id = ${id} and version = ${values.add(version)}::bigint
               ${isLasting ? "" : soon} returning ${changed}`;
      const text =
        kept === undefined
          ? change
          : `with changed as (${change}), ${keepText(values, kept)} select ${changed} from changed`;
      const [row] = await query(text, values.list);
      if (!row) return false;
      clock.note(Number(row["changed_at_ms"]));
      if (version === 0) await sweep();
      return true;
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
