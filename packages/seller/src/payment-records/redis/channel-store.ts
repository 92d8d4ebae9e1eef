/**
 * Channels in Redis: a hash each, and two sorted sets with the ids of those that are listed. One slot of
 * a cluster has them all, so that a channel and its lists change together. Each call is one script.
 */
import type { Hex } from "@farthing/protocol";
import {
  channelFlags,
  channelIn,
  channelText,
  type ChannelStore,
} from "../channels/channel-store.ts";
import { createCarriedClock } from "../channels/carried-clock.ts";
import type { KeptCall } from "../channels/kept-call.ts";
import { maxIdleChannelMs } from "../retention.ts";
import { start } from "./scripts.ts";

/** KEYS: the channel. ARGV: now. */
const getScript = `${start}
return {text(now), unpack(redis.call('HMGET', KEYS[1], 'version', 'state'))}
`;

/**
 * KEYS: the channel, the lists, and a record with its response. ARGV: now, the expected version, the next
 * one, the id, the channel, whether Redis must not forget it ("1"), and whether it is in each list; then,
 * where a response is kept, how long (ms), the fields of its record, and its parts. Returns the time.
 */
const changeScript = `${start}
local version = redis.call('HGET', KEYS[1], 'version') or '0'
if version ~= ARGV[2] then return '' end
redis.call('HSET', KEYS[1], 'version', ARGV[3], 'state', ARGV[5])
if ARGV[6] == '1' then redis.call('PERSIST', KEYS[1])
else redis.call('PEXPIRE', KEYS[1], '${maxIdleChannelMs}') end
for at = 2, 3 do
  if ARGV[at + 5] == '1' then redis.call('ZADD', KEYS[at], 0, ARGV[4])
  else redis.call('ZREM', KEYS[at], ARGV[4]) end
end
if ARGV[9] then
  redis.call('DEL', KEYS[4], KEYS[5])
  for field, value in pairs(cjson.decode(ARGV[10])) do redis.call('HSET', KEYS[4], field, value) end
  redis.call('HSET', KEYS[4], 'e', text(now + ARGV[9]), 't', text(now + ARGV[9]))
  redis.call('HSET', KEYS[5], 'status', ARGV[11], 'headers', ARGV[12], 'body', ARGV[13])
  for at = 4, 5 do redis.call('PEXPIRE', KEYS[at], ARGV[9]) end
end
return text(now)
`;

/** KEYS: as above. ARGV: now, the expected version, and the id. */
const removeScript = `
if redis.call('HGET', KEYS[1], 'version') ~= ARGV[2] then return 0 end
redis.call('DEL', KEYS[1])
for at = 2, 3 do redis.call('ZREM', KEYS[at], ARGV[3]) end
return 1
`;

/** KEYS: the list. ARGV: now, the lowest id, and how many. */
const listScript = "return redis.call('ZRANGEBYLEX', KEYS[1], ARGV[2], '+', 'LIMIT', 0, ARGV[3])";

/** `names` are those of the keys, without the prefix that all channels share. */
type Run = (names: string[], script: string, more: readonly string[]) => Promise<unknown>;

const keysOf = (id: Hex): string[] => [id, "unclaimed", "unvaulted"];

/** The last arguments of the script for a response to keep. */
export type KeepArguments = (call: KeptCall) => readonly string[];

export function createRedisChannelStore(
  run: Run,
  keepArguments: KeepArguments,
  now?: () => number,
): ChannelStore {
  const clock = createCarriedClock(now);
  const get: ChannelStore["get"] = async (id) => {
    const reply = await run([id], getScript, []);
    const [nowMs, version, state]: readonly unknown[] = Array.isArray(reply) ? reply : [];
    clock.note(Number(nowMs));
    return {
      version: Number(version ?? 0),
      channel: typeof state === "string" ? channelIn(state) : undefined,
      nowMs: Number(nowMs),
    };
  };
  return {
    nowMs: () => clock.nowMs(),
    get,
    async compareAndSet(version, channel, { kept, nextVersion }) {
      const { isKept, isUnclaimed, isUnvaulted } = channelFlags(channel);
      const flags = [isKept, isUnclaimed, isUnvaulted].map((flag) => (flag ? "1" : "0"));
      const versions = [`${version}`, `${nextVersion}`];
      const more = [...versions, channel.id, channelText(channel), ...flags];
      const keys = keysOf(channel.id);
      const both = kept ? [...keys, kept.key, `${kept.key}:answer`] : keys;
      const reply = await run(both, changeScript, [...more, ...(kept ? keepArguments(kept) : [])]);
      const isDone = typeof reply === "string" && reply !== "";
      if (isDone) clock.note(Number(reply));
      return isDone;
    },
    remove: async (version, id) => (await run(keysOf(id), removeScript, [`${version}`, id])) === 1,
    async list(list, afterId, limit) {
      const least = afterId === "" ? "-" : `(${afterId}`;
      const ids = await run([list], listScript, [least, `${limit}`]);
      const found = await Promise.all((Array.isArray(ids) ? ids : []).map(get));
      // One that has left the list meanwhile says so itself.
      return found.flatMap(({ channel }) => channel ?? []);
    },
  };
}
