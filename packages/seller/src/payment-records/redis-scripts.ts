/**
 * What happens inside of Redis, each script in one piece. They find, insert and change; the rules
 * are in create-payment-records.ts. A record is a hash and its response another, so that each is
 * forgotten by Redis itself when its time is over.
 *
 * Fields of a record: `v` format, `f` fingerprint, `p` payload, `s` state, `r` receipt, `e` when it
 * ends, `h` holder, `u` until when it is held, `t` until when its response can be had; times in
 * milliseconds since the Unix epoch; `k` exchange key; of the request that opened it `ot` token,
 * `oa` authorization, `oc` cookie (hashes, absent where it showed none) and `os` "1" when a salt
 * opened its nonce. Records of earlier versions have no `v`, some of them none of the last five. Of
 * a response: `status`, `headers`, `body` (base64).
 */

/** What {@link insertScript}, {@link getScript} and {@link changeScript} return of a record, in order. */
export const returnedFields: readonly string[] = "now v f p s r h u t k ot oa oc os".split(" ");

const [, ...storedFields] = returnedFields.map((field) => `'${field}'`);

const start = `
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
-- Sets fields (JSON: their values) and times (JSON: milliseconds from now, and not after).
local function set(fields, times)
  for field, value in pairs(cjson.decode(fields)) do redis.call('HSET', record, field, value) end
  times = cjson.decode(times)
  for field, time in pairs(times) do
    redis.call('HSET', record, field, text(math.min(now + time[1], time[2] or math.huge)))
  end
  if not times.e then return end
  local ends, answerEnds = unpack(redis.call('HMGET', record, 'e', 't'))
  redis.call('PEXPIRE', record, text(ends - now))
  redis.call('PEXPIRE', answer, text(math.max((answerEnds or ends) - now, 0)))
end
`;

/** ARGV: now (-1 for the server's). The record. */
export const getScript = `${recordStart}
return find()
`;

/** ARGV: now, fields, times. The record that was there, or "inserted". */
export const insertScript = `${recordStart}
local found = find()
if found then return found end
-- One that has ended by a clock that is not the server's.
if redis.call('EXISTS', record) == 1 then redis.call('DEL', record) end
set(ARGV[2], ARGV[3])
-- It may still be there: where Redis is allowed to forget, it forgets key by key. Deleted last,
-- because a script that has written something is not stopped for want of memory any more.
redis.call('DEL', answer)
return 'inserted'
`;

/**
 * ARGV: now, what is expected (JSON: fields and the values that each may have, "" for none), then
 * nothing, to forget the record, or fields, times, names of fields to remove (JSON), and then
 * nothing or the status, headers and body of a response to keep. The record, unless it is not as
 * expected.
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
if ARGV[6] then
  redis.call('HSET', answer, 'status', ARGV[6], 'headers', ARGV[7], 'body', ARGV[8])
end
for _, field in ipairs(cjson.decode(ARGV[5])) do redis.call('HDEL', record, field) end
set(ARGV[3], ARGV[4])
return read()
`;

/** The response of a record: status, headers and body. */
export const answerScript = `
return redis.call('HMGET', KEYS[2], 'status', 'headers', 'body')
`;

/**
 * KEYS: a hash from tokens to the payers that showed them ("" when several did), and a sorted set of
 * when. ARGV: now, time to remember in ms, most tokens, token, payer, "1" to replace the one that is
 * noted. The payer that was noted before. Whoever signs with a new key can show a new token, so the
 * notes have a bound.
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
-- More than one note adds, so nothing piles up.
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
