/**
 * The scripts that Redis runs, each atomically. A record is one hash ({@link storedNames}) and its
 * response another (`status`, `headers`, and `body` as base64), so that Redis itself expires each at
 * its own time. The rules are in create-payment-records.ts.
 */
import { storedNames } from "../rules/stored-record.ts";

/** The values of a record in the replies of the scripts, in order; before them the time. */
export const returnedNames = Object.entries(storedNames).flatMap(([name, { field }]) =>
  field === undefined ? [] : [{ name, field }],
);

const storedFields = returnedNames.map(({ field }) => `'${field}'`);

/** ARGV[1]: now, -1 for the server's clock. */
export const start = `
local now = tonumber(ARGV[1])
if now < 0 then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local function text(number) return string.format('%.0f', number) end
`;

const recordStart = `${start}
local record, answer = KEYS[1], KEYS[2]
local function read()
  return {text(now), unpack(redis.call('HMGET', record, ${storedFields.join(", ")}))}
end
local function find()
  local ends = redis.call('HGET', record, 'e')
  return ends and tonumber(ends) > now and read()
end
-- Sets fields (JSON): a text, "" to remove, or a moment as {milliseconds from now, not after}.
-- Removes first, because a script that has written is not stopped for want of memory any more.
local function set(fields)
  fields = cjson.decode(fields)
  for field, value in pairs(fields) do
    if value == '' then redis.call('HDEL', record, field) end
  end
  for field, value in pairs(fields) do
    if type(value) == 'table' then value = text(math.min(now + value[1], value[2] or math.huge)) end
    if value ~= '' then redis.call('HSET', record, field, value) end
  end
  if not fields.e then return end
  local ends, answerEnds = unpack(redis.call('HMGET', record, 'e', 't'))
  redis.call('PEXPIRE', record, text(ends - now))
  redis.call('PEXPIRE', answer, text(math.max((answerEnds or ends) - now, 0)))
end
`;

/** ARGV: now (-1 for the server's clock). Returns the record. */
export const getScript = `${recordStart}
return find()
`;

/** ARGV: now, fields. Returns the record that was there, or "inserted". */
export const insertScript = `${recordStart}
local found = find()
if found then return found end
-- One that has ended by a clock that is not the server's.
if redis.call('EXISTS', record) == 1 then redis.call('DEL', record) end
set(ARGV[2])
-- It may still be there: where Redis is allowed to forget, it forgets key by key. Deleted last,
-- because a script that has written something is not stopped for want of memory any more.
redis.call('DEL', answer)
return 'inserted'
`;

/**
 * ARGV: now, the expected values (JSON: a list for each field, "" for none); then nothing, to forget
 * the record, or fields, and the status, headers and body of a response to keep, or "" to forget the
 * one that is kept. Returns the record, unless it is not as expected.
 */
export const changeScript = `${recordStart}
for field, values in pairs(cjson.decode(ARGV[2])) do
  local kept = redis.call('HGET', record, field) or ''
  local isExpected = false
  for _, value in ipairs(values) do isExpected = isExpected or value == kept end
  if not isExpected then return false end
end
if not ARGV[3] then
  local found = read()
  redis.call('DEL', record, answer)
  return found
end
if ARGV[4] == '' then
  redis.call('DEL', answer)
elseif ARGV[4] then
  redis.call('HSET', answer, 'status', ARGV[4], 'headers', ARGV[5], 'body', ARGV[6])
end
set(ARGV[3])
return read()
`;

/** Returns the response of a record: status, headers and body. */
export const responseScript = `
return redis.call('HMGET', KEYS[2], 'status', 'headers', 'body')
`;

/**
 * KEYS: a hash from tokens to their payers ("" for several), and a sorted set of times. ARGV: now,
 * time to remember in ms, most tokens, token, payer, "1" to replace the stored payer. Returns the
 * payer that was stored before. Anyone can show new tokens, so their number is bounded.
 */
export const tokenScript = `${start}
local payers, times = KEYS[1], KEYS[2]
local keptMs, most, token, payer = tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4], ARGV[5]
local function forget(tokens)
  for _, old in ipairs(tokens) do
    redis.call('HDEL', payers, old)
    redis.call('ZREM', times, old)
  end
end
-- Forgets more than it adds, so nothing piles up.
forget(redis.call('ZRANGEBYSCORE', times, '-inf', text(now - keptMs), 'LIMIT', 0, 4))
local known = redis.call('ZSCORE', times, token) and redis.call('HGET', payers, token)
if known and ARGV[6] ~= '1' then return known end
redis.call('HSET', payers, token, payer)
redis.call('ZADD', times, text(now), token)
redis.call('PEXPIRE', payers, keptMs)
redis.call('PEXPIRE', times, keptMs)
local excess = redis.call('ZCARD', times) - most
if excess > 0 then forget(redis.call('ZRANGE', times, 0, math.min(excess, 4) - 1)) end
return known
`;
