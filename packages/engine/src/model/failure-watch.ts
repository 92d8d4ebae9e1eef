/**
 * Schedules checks of failed settlements. A third party that submits an authorization mostly does
 * so within a minute, which the blocks show; later checks become ever more rare, so that an
 * authorization that never expires costs a node little.
 */

/** The first check, once blocks are no longer read for the failure. */
const firstLookMs = 60_000;

/** Each check doubles the age at which the next comes, up to this pause. */
const pauseMsMax = 24 * 60 * 60 * 1000;

/**
 * An expired authorization is checked once more when a final block has passed its end: six seconds
 * on XDC, more in a pause of the chain.
 */
const finalAfterMs = 30_000;

/** Returns milliseconds since 1970, at most the largest safe time. */
export function expiresAtMs(validBefore: bigint): number {
  const ms = validBefore * 1000n;
  return ms > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(ms);
}

/** Returns whether a final block has passed the end of an authorization. */
export function isOver(expiresAt: number, nowMs: number): boolean {
  return nowMs >= expiresAt + finalAfterMs;
}

export function firstLookAtMs(nowMs: number, expiresAt: number): number {
  return Math.min(nowMs + firstLookMs, expiresAt + finalAfterMs);
}

export function nextLookAtMs(
  { failedAtMs, expiresAtMs: expiresAt }: { failedAtMs: number; expiresAtMs: number },
  nowMs: number,
): number {
  const pause = Math.min(pauseMsMax, Math.max(firstLookMs, nowMs - failedAtMs));
  if (nowMs >= expiresAt) return nowMs + finalAfterMs;
  return Math.min(nowMs + pause, expiresAt + finalAfterMs);
}
