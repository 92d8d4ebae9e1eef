/** Passes in Redis: one hash each, which Redis forgets by itself. Each call is one script. */
import { maxPassKeptMs } from "../retention.ts";
import { start } from "./scripts.ts";
import { passIn, type Pass, type PassStore } from "../passes/pass-store.ts";

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

/** ARGV: now, the end of a pass, when Redis forgets the list (ms), and the id. */
const listScript = `${start}
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', text(now))
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[4])
local left = redis.call('PTTL', KEYS[1])
local wanted = math.max(tonumber(ARGV[3]) - now, 1)
if left < wanted then redis.call('PEXPIRE', KEYS[1], text(wanted)) end
return 1
`;

/** ARGV: now, and how many. Returns ids of passes that have not ended, those that end last first. */
const idsScript = `${start}
return redis.call('ZREVRANGEBYSCORE', KEYS[1], '+inf', '(' .. text(now), 'LIMIT', 0, ARGV[2])
`;

/** ARGV: now, the value, and until when it is kept (ms). Returns the value that was kept before. */
const rememberScript = `${start}
local found = redis.call('GET', KEYS[1])
if found then return found end
redis.call('SET', KEYS[1], ARGV[2], 'PX', text(math.max(tonumber(ARGV[3]) - now, 1)))
return false
`;

const recallScript = "return redis.call('GET', KEYS[1])";

/** Passes that one payer holds for one scope at once. More than that is no buyer in need of one. */
const maxHeld = 100;

/** `name` is that of the key, without its prefix. */
type Run = (name: string, script: string, more: readonly string[]) => Promise<unknown>;

const listOf = (payer: string, network: string, scope: string) =>
  `passes:${network}:${payer}:${scope}`;

export function createRedisPassStore(runAt: Run): PassStore {
  const run: Run = (id, ...call) => runAt(`pass:${id}`, ...call);
  const get: PassStore["get"] = async (id) => toPass(id, await run(id, getScript, []));
  return {
    get,
    async open(pass) {
      const { payment, isVoid, isFinal, expiresAtMs } = pass;
      const flags = { isVoid: isVoid ? "1" : "0", isFinal: isFinal ? "1" : "0" };
      const texts = { ...pass, ...flags, payment: JSON.stringify(payment) };
      const values = names.map((name) => String(texts[name]));
      const forgottenAtMs = String(expiresAtMs + maxPassKeptMs);
      // Before the pass, so that a crash in between leaves an id in the list and no pass without one.
      const list = listOf(payment.payer.toLowerCase(), payment.network, pass.scope);
      await runAt(list, listScript, [String(expiresAtMs), forgottenAtMs, pass.id]);
      return toPass(pass.id, await run(pass.id, openScript, [forgottenAtMs, ...values])) ?? pass;
    },
    async addUses(id, added, tokenHash = "") {
      const left = await run(id, addScript, [String(added), tokenHash]);
      return typeof left === "number" ? left : undefined;
    },
    async heldBy({ payer, networks, scope }) {
      let held: Pass | undefined;
      for (const network of networks) {
        const ids = await runAt(listOf(payer, network, scope), idsScript, [String(maxHeld)]);
        for (const id of Array.isArray(ids) ? ids : []) {
          const pass = await get(String(id));
          if (!pass || pass.isVoid || pass.usesLeft < 1) continue;
          if (!held || pass.expiresAtMs > held.expiresAtMs) held = pass;
          break;
        }
      }
      return held;
    },
    async remember(key, value, untilMs) {
      const kept = await runAt(`kept:${key}`, rememberScript, [value, String(untilMs)]);
      return typeof kept === "string" ? kept : undefined;
    },
    async recall(key) {
      const kept = await runAt(`kept:${key}`, recallScript, []);
      return typeof kept === "string" ? kept : undefined;
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
