/** One HTTP call of the facilitator, without a repeat. */
import { defined, parseJson } from "@farthing/protocol";
import { readBytes } from "./body.ts";
import type { createFacilitatorTime } from "./facilitator-time.ts";
import { retryAfterOf } from "./wait-seconds.ts";

/** The payment was not evaluated. After a `/settle` it is unknown whether the money moves. */
export interface Fault {
  readonly kind: "fault";
  readonly reason: "unreachable" | "timed_out" | "rate_limited" | "unavailable" | "unreadable";
  /** For the seller's log; contains no secret and no input of the buyer. */
  readonly message: string;
  readonly retryAfterSeconds?: number;
  readonly certainty?: Certainty;
  /** It is about this payer's payments alone: the facilitator works, and others may take the payment. */
  readonly isAboutPayer?: boolean;
  /** No connection was opened, so the facilitator has seen nothing of the call. */
  readonly isUnsent?: boolean;
  /** The name of the facilitator, where it has one. */
  readonly facilitator?: string;
}

/**
 * What the facilitator's own error response (`error` and `requestId`) says about `/settle`.
 * `refused`: nothing will be sent. `unavailable`: most likely the same. Absent when the response
 * may come from a proxy, or none came.
 */
export type Certainty = "refused" | "unavailable";

/** What came of it. */
export type Reply = Awaited<ReturnType<typeof callOnce>>;

/** A response has about 1 kB; extensions may make it a few times larger. */
const maxAnswerBytes = 256 * 1024;

export function initOf(headers: Record<string, string>, json: object | undefined): RequestInit {
  if (json === undefined) return { headers };
  const body = JSON.stringify(json);
  return { method: "POST", headers: { ...headers, "Content-Type": "application/json" }, body };
}

export async function callOnce(
  own: typeof globalThis.fetch | undefined,
  url: string,
  init: RequestInit,
  { timeoutMs, time }: { timeoutMs: number; time: ReturnType<typeof createFacilitatorTime> },
) {
  const signal = AbortSignal.timeout(Math.max(1, Math.ceil(timeoutMs)));
  // Looked up for each call, because programs may replace the global one later.
  const send = own ?? globalThis.fetch;
  const sentAtMs = Date.now();
  try {
    // A followed redirect could carry the key to another host, or turn the POST into a GET.
    const response = await send(url, { ...init, signal, redirect: "manual" });
    time.note(response.headers, sentAtMs);
    const bytes = await readBytes(response.body, maxAnswerBytes);
    if (bytes === undefined) return fault("unreadable", "its answer is too large");
    return {
      kind: "response" as const,
      status: response.status,
      body: parseJson(new TextDecoder().decode(bytes))?.value,
      ...defined({ retryAfterSeconds: retryAfterOf(response.headers) }),
    };
  } catch (error) {
    if (signal.aborted) return fault("timed_out", `no answer within ${Math.ceil(timeoutMs)} ms`);
    const cause = causeOf(error);
    // A replaced fetch may have sent the request before, and repeated it.
    const isUnsent = own === undefined && unopenedCodes.has(cause);
    return { ...fault("unreachable", cause), ...(isUnsent ? { isUnsent } : {}) };
  }
}

export function fault(reason: Fault["reason"], what: string): Fault {
  return { kind: "fault", reason, message: `The facilitator could not be used: ${what}.` };
}

/** How Node.js reports that no connection was opened. A connection that breaks has other codes. */
const unopenedCodes = new Set(["ECONNREFUSED", "ENOTFOUND", "UND_ERR_CONNECT_TIMEOUT"]);

/** Returns the reason of a failed connection, e.g. `ECONNREFUSED`, without the address. */
function causeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : undefined;
  if (cause instanceof Error && "code" in cause && typeof cause.code === "string")
    return cause.code;
  return "the connection failed";
}
