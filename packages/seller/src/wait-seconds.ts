/** Waits that are asked for, and waits that a facilitator asks for. */

/** Longest wait that x402 facilitators accept, in `Prefer: wait=N` and `?wait=N`. */
const waitSecondsMax = 30;

/** Returns the wait to ask for; leaves a second for the response before the call is cut off. */
export function waitSecondsWithin(timeoutMs: number): number {
  return Math.max(0, Math.min(waitSecondsMax, Math.floor(timeoutMs / 1000) - 1));
}

/** A longer wait would outlive every buyer. */
const maxRetryAfterSeconds = 300;

/** Returns the wait that a response asks for, in seconds. */
export function retryAfterOf(headers: Headers): number | undefined {
  const text = headers.get("Retry-After");
  return text !== null && /^\d{1,6}$/.test(text)
    ? Math.min(Number(text), maxRetryAfterSeconds)
    : undefined;
}
