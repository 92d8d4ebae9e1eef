/** One API behind the gateway. Calls are never repeated: only the buyer knows if that is safe. */
import { Readable } from "node:stream";
import { parseJson } from "@farthing/protocol";
import { Pool, type Dispatcher } from "undici";
import type { UpstreamConfig } from "./configuration/configuration.ts";
import { createSlots, unpaidShare } from "./slots.ts";
import { sendForBytes, sendForStream, type ResponseHead, type Sent } from "./upstream-call.ts";

export interface UpstreamCall {
  readonly method: string;
  /** The canonical path with the query, relative to the upstream's base path. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | Readable | undefined;
  /** Ends the call when the client disconnects. */
  readonly signal?: AbortSignal;
  /** Whether the call is free of charge. */
  readonly isUnpaid?: boolean;
}

/** What an upstream is besides its configuration. */
export interface UpstreamRole {
  /** Whether it serves routes that cost something. */
  readonly isSold: boolean;
}

/** The turns of an upstream's calls. Clients that read slowly, and pay nothing, keep no buyer away. */
export function slotsOf({ concurrency, timeouts }: UpstreamConfig, { isSold }: UpstreamRole) {
  return createSlots({
    slotsMax: concurrency,
    // Waiting for a slot counts like connecting, so it may take as long.
    waitMs: timeouts.connectMs,
    ...(isSold && { unpaidMax: unpaidShare(concurrency) }),
  });
}

/**
 * Why there is no response. After `timed_out`, `unreachable` and `broken` the upstream may have
 * done its work.
 */
export type UpstreamFailure =
  | "full" // Too many calls are under way, and this one was not sent.
  | "timed_out"
  | "unreachable"
  | "broken"
  | "too_large" // The response exceeds its limit.
  | "bad_status" // The status does not exist.
  | "gone"; // The client disconnected.

/** An upstream's response, with its body as a stream or complete, or why there is none. */
export type UpstreamResponse<B> =
  | {
      readonly kind: "response";
      readonly status: number;
      readonly headers: ResponseHead["headers"];
      readonly body: B;
    }
  | ReturnType<typeof failed>;

/** Longer than most servers keep an idle connection, whose own hint takes precedence. */
const keepAliveMs = 4_000;

/** The last status of HTTP (RFC 9110, 15). */
const maxStatus = 599;

export interface Upstream {
  /** Calls under way. */
  inFlight(): number;
  /** Whether a call would be refused at once. */
  isFull(): boolean;
  /**
   * Returns the response with its head; the total time bounds the head alone. A short body that came
   * with the head is whole.
   */
  open(call: UpstreamCall): Promise<UpstreamResponse<Readable | Uint8Array<ArrayBuffer>>>;
  /** Returns the complete response, within the total time and size. */
  fetch(call: UpstreamCall): Promise<UpstreamResponse<Uint8Array<ArrayBuffer>>>;
  /** Closes the connections after the calls under way. */
  close(): Promise<void>;
}

/** Creates an upstream on HTTP; it does not connect yet. */
export function createHttpUpstream(config: UpstreamConfig, role: UpstreamRole): Upstream {
  const { url, timeouts, concurrency } = config;
  const base = new URL(url);
  const basePath = base.pathname.replace(/\/+$/, "");
  const pool = new Pool(base.origin, {
    connections: concurrency,
    pipelining: 1,
    connect: { timeout: timeouts.connectMs },
    headersTimeout: timeouts.headersMs,
    bodyTimeout: timeouts.idleMs,
    keepAliveTimeout: keepAliveMs,
  });
  const slots = slotsOf(config, role);

  async function run<B>(
    call: UpstreamCall,
    send: (options: Dispatcher.DispatchOptions) => Sent<B>,
  ): Promise<UpstreamResponse<B>> {
    const { signal, isUnpaid, body = null, method } = call;
    if (!(await slots.take(isUnpaid))) return failed("full");
    const given = { path: basePath + call.target, headers: call.headers, body };
    const sent = send({ ...given, method });
    let isLate = false;
    const late = setTimeout(() => {
      isLate = true;
      sent.abort(new Error("The call took too long."));
    }, timeouts.totalMs);
    const leave = (): void => sent.abort(new Error("The client left."));
    if (signal?.aborted === true) leave();
    else signal?.addEventListener("abort", leave);
    const free = (): void => {
      signal?.removeEventListener("abort", leave);
      slots.free(isUnpaid);
    };
    try {
      const response = await sent.response;
      const { body: received } = response;
      // One that broke off at once may have closed before.
      if (received instanceof Readable && !received.closed) received.once("close", free);
      else free();
      if (response.status <= maxStatus) return { kind: "response", ...response };
      if (received instanceof Readable) received.destroy();
      return failed("bad_status");
    } catch (error) {
      free();
      return failed(reasonOf(error, call, isLate));
    } finally {
      clearTimeout(late);
    }
  }

  return {
    inFlight: slots.taken,
    isFull: slots.isLineFull,
    open: (call) => run(call, (options) => sendForStream(pool, options)),
    async fetch(call) {
      const bytesMax = config.responseBytesMax;
      const response = await run(call, (options) => sendForBytes(pool, options, bytesMax));
      if (response.kind === "failed") return response;
      const { body } = response;
      return body ? { ...response, body } : failed("too_large");
    },
    close: () => pool.close(),
  };
}

/** Reads a body to its end; undefined when it is too long. */
export async function readWhole(body: AsyncIterable<Uint8Array>, bytesMax: number) {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop early closes the connection, so that the rest is not sent.
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > bytesMax) return undefined;
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks, size));
}

/** Reads a JSON body; undefined when it is too long or no JSON. */
export async function readJson({ body }: Response, bytesMax: number): Promise<unknown> {
  const bytes = body ? await readWhole(body, bytesMax) : undefined;
  return parseJson(new TextDecoder().decode(bytes))?.value;
}

function failed(reason: UpstreamFailure) {
  return { kind: "failed" as const, reason };
}

const timeoutCodes = new Set([
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
  "ETIMEDOUT",
]);

/** Errors before anything has reached the upstream. */
const unreachableCodes = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
]);

function reasonOf(error: unknown, call: UpstreamCall, isLate: boolean): UpstreamFailure {
  if (call.signal?.aborted) return "gone";
  if (isLate) return "timed_out";
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (timeoutCodes.has(code)) return "timed_out";
  return unreachableCodes.has(code) ? "unreachable" : "broken";
}
