/**
 * What happens inside of Redis, each script in one piece: the steps of a grant. A grant is a hash,
 * its answer another, so that each is forgotten by Redis itself when its time is over.
 *
 * Fields of a grant: `f` fingerprint, `p` payload, `s` state, `r` receipt, `e` when it ends,
 * `h` holder, `u` until when it is held, `t` until when its answer can be had; times in
 * milliseconds since the Unix epoch; `k` exchange key; of the request that opened it `ot` token,
 * `oa` authorization, `oc` cookie (hashes, absent where it showed none) and `os` "1" when a salt
 * opened its nonce. Records of earlier versions have none of the last five. Of an answer: `status`,
 * `headers`, `body` (base64).
 */

const start = `
local grant, answer = KEYS[1], KEYS[2]
local now = tonumber(ARGV[1])
if now < 0 then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local function text(number) return string.format('%.0f', number) end
`;

/**
 * ARGV: now (-1 for the server's), fingerprint, payload, holder, lease in ms, longest claim in ms,
 * exchange key for a new record, rule, then what the request shows: token ("" also when another payer
 * has shown it), whether that is so, authorization, cookie, and "1" when a salt opens the nonce. The
 * rules are those of `mayResume` in proof.ts.
 */
export const takeScript = `${start}
local fingerprint, payload, holder = ARGV[2], ARGV[3], ARGV[4]
local heldUntil = text(now + ARGV[5])
local key, rule, token, isShared, authorization, cookie, salt =
  ARGV[7], ARGV[8], ARGV[9], ARGV[10], ARGV[11], ARGV[12], ARGV[13]
local f, p, s, r, e, h, u, t, k, ot, oa, oc, os = unpack(redis.call('HMGET', grant,
  'f', 'p', 's', 'r', 'e', 'h', 'u', 't', 'k', 'ot', 'oa', 'oc', 'os'))
if s and tonumber(e) <= now then
  redis.call('DEL', grant, answer)
  s = false
end
if not s then
  redis.call('HSET', grant, 'f', fingerprint, 'p', payload, 's', 'claimed',
    'e', text(now + ARGV[6]), 'h', holder, 'u', heldUntil, 'k', key)
  local opener = {ot = token, oa = authorization, oc = cookie, os = salt}
  for field, value in pairs(opener) do
    if value ~= '' then redis.call('HSET', grant, field, value) end
  end
  redis.call('PEXPIRE', grant, ARGV[6])
  -- It may still be there: where Redis is allowed to forget, it forgets key by key.
  redis.call('DEL', answer)
  return {'acquired', 'claimed', key}
end
if f ~= fingerprint or p ~= payload then return {'bound'} end
local function same(kept, shown) return kept and shown ~= '' and kept == shown end
local isBound = os or oa or oc or (ot and isShared ~= '1')
local isAllowed = rule == 'anyone' or salt == '1' or same(ot, token) or
  same(oa, authorization) or same(oc, cookie) or
  (rule == 'bound' and s ~= 'delivered' and not isBound)
if s ~= 'delivered' then
  if not isAllowed then return {'unproven', s, '', r} end
  if h and tonumber(u) > now then return {'busy'} end
  -- Nothing was sent for a claim; one of an earlier version gets its key now.
  if s == 'claimed' and not k then
    redis.call('HSET', grant, 'k', key)
    k = key
  end
  redis.call('HSET', grant, 'h', holder, 'u', heldUntil)
elseif not isAllowed or tonumber(t) <= now then
  return {'delivered', s, '', r}
end
local status, headers, body = unpack(redis.call('HMGET', answer, 'status', 'headers', 'body'))
return {s == 'delivered' and s or 'acquired', s, k or '', r, status, headers, body}
`;

/**
 * KEYS: a hash from tokens to the payers that showed them ("" when several did), and a sorted set of
 * when. ARGV: now, token, payer, time to remember in ms, most tokens. 1 when another payer has shown
 * the token. Whoever signs with a new key can show a new token, so the notes have a bound.
 */
export const tokenScript = `${start}
local token, payer, keptMs, most = ARGV[2], ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5])
local payers, times = grant, answer
local function forget(tokens)
  for _, old in ipairs(tokens) do
    redis.call('HDEL', payers, old)
    redis.call('ZREM', times, old)
  end
end
-- More than one note adds, so nothing piles up.
forget(redis.call('ZRANGEBYSCORE', times, '-inf', text(now - keptMs), 'LIMIT', 0, 4))
local known = redis.call('ZSCORE', times, token) and redis.call('HGET', payers, token)
if known == payer then return 0 end
redis.call('HSET', payers, token, known and '' or payer)
redis.call('ZADD', times, text(now), token)
redis.call('PEXPIRE', payers, keptMs)
redis.call('PEXPIRE', times, keptMs)
local excess = redis.call('ZCARD', times) - most
if excess > 0 then forget(redis.call('ZRANGE', times, 0, math.min(excess, 4) - 1)) end
return known and 1 or 0
`;

/** ARGV: now, fingerprint, payload. 1 when the grant is there with this binding. */
export const hasScript = `${start}
local f, p, e = unpack(redis.call('HMGET', grant, 'f', 'p', 'e'))
return (f == ARGV[2] and p == ARGV[3] and tonumber(e) > now) and 1 or 0
`;

/** ARGV: now. 1 when somebody holds the grant. */
export const busyScript = `${start}
local h, u, e = unpack(redis.call('HMGET', grant, 'h', 'u', 'e'))
return (h and tonumber(u) > now and tonumber(e) > now) and 1 or 0
`;

const held = `${start}
if redis.call('HGET', grant, 'h') ~= ARGV[2] then return 0 end
`;

/**
 * ARGV: now, holder, state, receipt, time to keep in ms; then for a delivery the longest time to
 * keep the answer in ms and when its authorization ends, both empty otherwise; then status, headers
 * and body of an answer to keep, or nothing.
 */
export const recordScript = `${held}
local state, receipt, keptMs = ARGV[3], ARGV[4], ARGV[5]
redis.call('HSET', grant, 's', state, 'e', text(now + keptMs))
if receipt ~= '' then redis.call('HSET', grant, 'r', receipt) end
if ARGV[8] then redis.call('HSET', answer, 'status', ARGV[8], 'headers', ARGV[9], 'body', ARGV[10]) end
redis.call('PEXPIRE', grant, keptMs)
if state == 'delivered' then
  local answerUntil = math.min(now + ARGV[6], tonumber(ARGV[7]))
  redis.call('HDEL', grant, 'h', 'u')
  redis.call('HSET', grant, 't', text(answerUntil))
  redis.call('PEXPIRE', answer, text(math.max(answerUntil - now, 0)))
else
  redis.call('PEXPIRE', answer, keptMs)
end
return 1
`;

/** ARGV: now, holder. */
export const releaseScript = `${held}
redis.call('DEL', grant, answer)
return 1
`;

/** ARGV: now, holder. */
export const leaveScript = `${held}
redis.call('HDEL', grant, 'h', 'u')
return 1
`;

/** ARGV: now, holder, lease in ms. */
export const renewScript = `${held}
redis.call('HSET', grant, 'u', text(now + ARGV[3]))
return 1
`;
