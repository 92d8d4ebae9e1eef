/** Rate limits: a token bucket, and the ways in which providers say that it is empty. */
import type { RateLimit } from "./conditions.ts";
import {
  errorOfNone,
  html,
  json,
  refuse,
  respond,
  type NodeRequest,
  type NodeResponse,
} from "@farthing/devnet/rpc-proxy";

/** A bucket that fills evenly. */
export interface TokenBucket {
  /** Takes so many tokens, or none. */
  take(tokens: number, nowMs: number): boolean;
  /** Takes up to so many; returns how many. */
  takeSome(tokens: number, nowMs: number): number;
}

/** Creates a full bucket. */
export function createTokenBucket(limit: RateLimit, startMs: number): TokenBucket {
  const { perSecond, burst = Math.max(1, perSecond) } = limit;
  let tokens = burst;
  let filledAtMs = startMs;

  function fill(nowMs: number): void {
    tokens = Math.min(burst, tokens + ((nowMs - filledAtMs) / 1_000) * perSecond);
    filledAtMs = nowMs;
  }

  return {
    take(wanted, nowMs) {
      fill(nowMs);
      // What is larger than the bucket passes when that is full, and is paid for afterwards.
      if (tokens < Math.min(wanted, burst)) return false;
      tokens -= wanted;
      return true;
    },
    takeSome(wanted, nowMs) {
      fill(nowMs);
      const taken = Math.min(wanted, Math.max(0, Math.floor(tokens)));
      tokens -= taken;
      return taken;
    },
  };
}

/** JSON-RPC's code for a limit, by EIP-1474. */
const limitExceeded = -32_005;

/** Error text beside the code. */
const words = "rate limit exceeded";

/** What a rate limit leaves of a request: how many of its calls are answered, or a refusal. */
export function admit(
  limit: RateLimit,
  bucket: TokenBucket,
  request: NodeRequest,
  nowMs: number,
): NodeResponse | number {
  const cost = limit.counts === "calls" ? request.calls.length : 1;
  if (limit.style === "late_calls_in_200") {
    const wanted = limit.counts === "calls" ? cost : request.calls.length;
    return bucket.takeSome(wanted, nowMs);
  }
  return bucket.take(cost, nowMs) ? request.calls.length : refusalOf(limit, request);
}

/** The reply to a call of a batch beyond the limit. */
export const lateCall = refuse(limitExceeded, words);

function refusalOf(limit: RateLimit, request: NodeRequest): NodeResponse {
  const { style } = limit;
  if (style === "html_429") return withRetryAfter(html(429, "Too Many Requests"), limit);
  if (style === "json_429") {
    return withRetryAfter(json(429, errorOfNone(limitExceeded, words)), limit);
  }
  return respond(
    request,
    request.calls.map(() => lateCall),
  );
}

function withRetryAfter(response: NodeResponse, { retryAfterSeconds }: RateLimit): NodeResponse {
  if (retryAfterSeconds === undefined) return response;
  return { ...response, headers: { ...response.headers, "retry-after": `${retryAfterSeconds}` } };
}
