/**
 * Schedules checks of failed settlements. A third party that submits an authorization mostly does so
 * within a minute, which the blocks show; later looks cost a node little and come ever more
 * rarely, so that an authorization that never expires costs little too.
 */

/** The first look in the list, once blocks are not read for the failure any more. */
const firstLookMs = 60_000;

/** Each look doubles the age at which the next comes, up to this pause. */
const pauseMsMax = 24 * 60 * 60 * 1000;

/**
 * After its end an authorization is looked at once more, when a final block has passed it: six
 * seconds on XDC, more in a pause of the chain.
 */
const finalAfterMs = 30_000;

/** When an authorization expires, in milliseconds since 1970; the furthest safe time at most. */
export function expiresAtMs(validBefore: bigint): number {
  const ms = validBefore * 1000n;
  return ms > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(ms);
}

/** Tells whether an authorization expired so long ago that a final block has passed it. */
export function isOver(expiresAt: number, nowMs: number): boolean {
  return nowMs >= expiresAt + finalAfterMs;
}

/** When a settlement that fails now is looked at for the first time. */
export function firstLookAtMs(nowMs: number, expiresAt: number): number {
  return Math.min(nowMs + firstLookMs, expiresAt + finalAfterMs);
}

/** When one that is looked at now is looked at again. */
export function nextLookAtMs(
  { failedAtMs, expiresAtMs: expiresAt }: { failedAtMs: number; expiresAtMs: number },
  nowMs: number,
): number {
  const pause = Math.min(pauseMsMax, Math.max(firstLookMs, nowMs - failedAtMs));
  if (nowMs >= expiresAt) return nowMs + finalAfterMs;
  return Math.min(nowMs + pause, expiresAt + finalAfterMs);
}
