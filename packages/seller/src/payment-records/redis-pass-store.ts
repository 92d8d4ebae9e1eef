/** Passes in Redis: one hash each, which Redis forgets by itself. Each call is one script. */
import { maxPassKeptMs } from "./retention.ts";
import { start } from "./redis-scripts.ts";
import { passIn, type Pass, type PassStore } from "./pass-store.ts";

/** The fields of a pass in the order of the replies; `id` is part of the key. */
const names = [
  "tokenHash",
  "scope",
  "uses",
  "usesLeft",
  "expiresAtMs",
  "isVoid",
  "isFinal",
  "payment",
] as const;

const read = `redis.call('HMGET', KEYS[1], ${names.map((name) => `'${name}'`).join(", ")})`;

const getScript = `return ${read}`;

/** ARGV: now, when Redis forgets the pass (ms), and the values of its fields. */
const openScript = `${start}
if redis.call('EXISTS', KEYS[1]) == 0 then
  redis.call('HSET', KEYS[1], ${names.map((name, nth) => `'${name}', ARGV[${nth + 3}]`).join(", ")})
  redis.call('PEXPIRE', KEYS[1], text(math.max(tonumber(ARGV[2]) - now, 1)))
elseif redis.call('HGET', KEYS[1], 'isVoid') == '0' then
  redis.call('HSET', KEYS[1], 'tokenHash', ARGV[3])
end
return ${read}
`;

/** ARGV: now, the uses to add, and the expected hash, or "". Returns the uses that are left. */
const addScript = `
local pass = redis.call('HMGET', KEYS[1], 'tokenHash', 'uses', 'usesLeft', 'isVoid')
if pass[4] ~= '0' or (ARGV[3] ~= '' and ARGV[3] ~= pass[1]) then return false end
local left = tonumber(pass[3]) + tonumber(ARGV[2])
if left < 0 or left > tonumber(pass[2]) then return false end
redis.call('HSET', KEYS[1], 'usesLeft', left)
return left
`;

/** ARGV: now, and the field to set. */
const markScript = `
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('HSET', KEYS[1], ARGV[2], '1')
return 1
`;

type Run = (id: string, script: string, more: readonly string[]) => Promise<unknown>;

export function createRedisPassStore(run: Run): PassStore {
  return {
    get: async (id) => toPass(id, await run(id, getScript, [])),
    async open(pass) {
      const { payment, isVoid, isFinal, expiresAtMs } = pass;
      const flags = { isVoid: isVoid ? "1" : "0", isFinal: isFinal ? "1" : "0" };
      const texts = { ...pass, ...flags, payment: JSON.stringify(payment) };
      const values = names.map((name) => String(texts[name]));
      const forgottenAtMs = String(expiresAtMs + maxPassKeptMs);
      return toPass(pass.id, await run(pass.id, openScript, [forgottenAtMs, ...values])) ?? pass;
    },
    async addUses(id, added, tokenHash = "") {
      const left = await run(id, addScript, [String(added), tokenHash]);
      return typeof left === "number" ? left : undefined;
    },
    mark: async (id, mark) => {
      const field = mark === "void" ? "isVoid" : "isFinal";
      return (await run(id, markScript, [field])) === 1;
    },
  };
}

function toPass(id: string, reply: unknown): Pass | undefined {
  if (!Array.isArray(reply) || typeof reply[0] !== "string") return undefined;
  const values: readonly unknown[] = reply;
  return passIn({ id, ...Object.fromEntries(names.map((name, nth) => [name, values[nth]])) });
}
