/** Balances in Redis: a hash, its ledger, and the order of its charges. Each change is one script. */
import {
  balanceIn,
  balanceText,
  entryIn,
  entryText,
  nameOf,
  type BalanceStore,
} from "../balances/balance-store.ts";

/** Charges of each balance that are remembered, 200 bytes each. */
const maxCharges = 10_000;

/** ARGV: now, and the name of an entry, or "". */
const getScript = `
local balance = redis.call('HMGET', KEYS[1], 'version', 'state')
return {balance[1], balance[2], redis.call('HEXISTS', KEYS[2], ARGV[2])}
`;

/** ARGV: now, the expected version, the balance, and each entry's name and text. */
const changeScript = `
local version = redis.call('HGET', KEYS[1], 'version') or '0'
if version ~= ARGV[2] then return 0 end
version = string.format('%.0f', version + 1)
redis.call('HSET', KEYS[1], 'version', version, 'state', ARGV[3])
for at = 4, #ARGV, 2 do
  redis.call('HSET', KEYS[2], ARGV[at], version .. ' ' .. ARGV[at + 1])
  if string.sub(ARGV[at], 1, 7) == 'charge/' then redis.call('RPUSH', KEYS[3], ARGV[at]) end
end
while redis.call('LLEN', KEYS[3]) > ${maxCharges} do
  redis.call('HDEL', KEYS[2], redis.call('LPOP', KEYS[3]))
end
return 1
`;

const ledgerScript = "return redis.call('HVALS', KEYS[2])";

type Run = (id: string, script: string, more: readonly string[]) => Promise<unknown>;

export function createRedisBalanceStore(run: Run): BalanceStore {
  return {
    async get(id, entry) {
      const reply = await run(id, getScript, [entry === undefined ? "" : nameOf(entry)]);
      const [version, state, isEntered]: readonly unknown[] = Array.isArray(reply) ? reply : [];
      if (typeof version !== "string") return { version: 0, balance: undefined, isEntered: false };
      return {
        version: Number(version),
        balance: balanceIn(state),
        isEntered: isEntered === 1,
      };
    },
    async compareAndSet(version, balance, entries) {
      const texts = entries.flatMap((entry) => [nameOf(entry), entryText(entry)]);
      const more = [String(version), balanceText(balance), ...texts];
      return (await run(balance.id, changeScript, more)) === 1;
    },
    async ledger(id) {
      const reply = await run(id, ledgerScript, []);
      const texts: readonly unknown[] = Array.isArray(reply) ? reply : [];
      const read = texts.map((text) => {
        const [, version, entry] = /^(\d+) (.*)$/s.exec(String(text)) ?? [];
        return { version: Number(version), entry: entryIn(entry) };
      });
      return read.sort((a, b) => a.version - b.version).map(({ entry }) => entry);
    },
  };
}
