/** Longest wait that x402 facilitators accept, in `Prefer: wait=N` and `?wait=N`. */
const waitSecondsMax = 30;

/** Returns the wait to ask for; leaves a second for the response before the call is cut off. */
export function waitSecondsWithin(timeoutMs: number): number {
  return Math.max(0, Math.min(waitSecondsMax, Math.floor(timeoutMs / 1000) - 1));
}
