/** A request whose body is read into bytes, so that it can be sent again byte for byte. */
import { defined, parseJson, type Hex } from "@farthing/protocol";
import * as Base64 from "ox/Base64";
import * as Hash from "ox/Hash";
import { keptBodyBytesMax, keptHeaderNames, type KeptRequest } from "./ledger/ledger.ts";
import { refusedPayment } from "./payment-error.ts";

/** Longer streams are refused unsent. */
export const streamBytesMax = 1024 * 1024;

/** The platform's `fetch`, or one of the same shape. */
export type FetchFunction = (input: string | URL, init?: RequestInit) => Promise<Response>;

export interface SendOptions {
  readonly header?: readonly [name: string, value: string];
  /** Further ones, which replace those of the request. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly redirect?: RequestRedirect;
  readonly signal?: AbortSignal;
  /** Where an unpaid redirect has led, instead of the request's own address. */
  readonly url?: string;
}

export interface ReplayableRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  /** SHA-256 of the body; of no bytes when there is none. */
  readonly bodyHash: Hex;
  /** The part that a ledger keeps. */
  readonly kept: KeptRequest;
  /** SHA-256 over method, URL and body: what a request id is bound to. */
  readonly fingerprint: string;
  readonly signal: AbortSignal | undefined;
  send(fetch: FetchFunction, options: SendOptions): Promise<Response>;
}

/** Throws a PaymentError `body_not_replayable` for a stream that is too long. */
export async function readReplayable(
  input: RequestInfo | URL,
  init: RequestInit,
  requestId: string,
): Promise<ReplayableRequest> {
  const isStream = isStreamBody(input, init);
  // Node demands `duplex` for a stream; browsers that do not know it ignore it.
  const request = new Request(
    input,
    isStream ? ({ ...init, duplex: "half" } as RequestInit) : init,
  );
  const body = await readBody(request, isStream ? streamBytesMax : undefined, requestId);
  const { method, url } = request;
  const bodyHash = Hash.sha256(body ?? new Uint8Array(), { as: "Hex" });
  const fingerprint = Hash.sha256(new TextEncoder().encode(`${method} ${url} ${bodyHash}`), {
    as: "Hex",
  });
  const signal = init.signal ?? (input instanceof Request ? input.signal : undefined);
  const base = { ...traitsOf(input), ...init, method, redirect: request.redirect };
  const { headers } = request;
  return {
    method,
    url,
    headers,
    bodyHash,
    kept: keptOf(request, bodyHash, body),
    fingerprint,
    signal,
    send(fetch, options) {
      const sent = new Headers(headers);
      for (const [name, value] of options.headers ?? []) sent.set(name, value);
      if (options.header) sent.set(...options.header);
      return fetch(options.url ?? url, {
        ...base,
        headers: sent,
        body: body ?? null,
        signal: options.signal ?? null,
        ...defined({ redirect: options.redirect }),
      });
    },
  };
}

function keptOf(
  { method, url, headers }: Request,
  bodyHash: Hex,
  body: Uint8Array = new Uint8Array(),
): KeptRequest {
  const all = [...headers];
  const bodyBytes = body.byteLength;
  const isKept = bodyBytes > 0 && bodyBytes <= keptBodyBytesMax;
  return {
    method,
    url,
    headers: all.filter(([name]) => keptHeaderNames.includes(name)),
    headersLeftOut: all.map(([name]) => name).filter((name) => !keptHeaderNames.includes(name)),
    bodyHash,
    bodyBytes,
    ...defined({ body: isKept ? Base64.fromBytes(body) : undefined }),
  };
}

/** A record's request with what the caller passes again; undefined without its body. */
export function readKept(
  kept: KeptRequest,
  init: Pick<RequestInit, "headers" | "body" | "signal">,
  requestId: string,
): Promise<ReplayableRequest> | undefined {
  const { method, url, bodyBytes } = kept;
  const body =
    init.body ?? (kept.body === undefined ? null : new Uint8Array(Base64.toBytes(kept.body)));
  if (bodyBytes > 0 && body === null) return undefined;
  const headers = new Headers(kept.headers.map(([name, value]) => [name, value]));
  for (const [name, value] of new Headers(init.headers)) headers.set(name, value);
  return readReplayable(url, { method, headers, body, signal: init.signal ?? null }, requestId);
}

function isStreamBody(input: RequestInfo | URL, init: RequestInit): boolean {
  const { body } = init;
  if (body === undefined || body === null) return input instanceof Request;
  if (body instanceof ReadableStream) return true;
  // Node's fetch takes any async iterable as a body.
  return typeof body === "object" && Symbol.asyncIterator in body;
}

function traitsOf(input: RequestInfo | URL): RequestInit {
  if (!(input instanceof Request)) return {};
  const { cache, credentials, integrity, keepalive, mode, referrerPolicy } = input;
  return { cache, credentials, integrity, keepalive, mode, referrerPolicy };
}

async function readBody(
  request: Request,
  bytesMax: number | undefined,
  requestId: string,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (request.body === null || request.method === "GET" || request.method === "HEAD") {
    return undefined;
  }
  if (bytesMax === undefined) return new Uint8Array(await request.arrayBuffer());
  const bytes = await readAtMost(request.body, bytesMax);
  if (bytes) return bytes;
  throw refusedPayment(
    "body_not_replayable",
    `The body is a stream of more than ${bytesMax} bytes; a payment has to send it twice. Pass bytes instead.`,
    requestId,
  );
}

/** Reads a stream whole; undefined, and the rest dropped, when it is longer than `bytesMax`. */
export async function readAtMost(
  stream: ReadableStream<Uint8Array>,
  bytesMax: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const reader = stream.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.byteLength;
    if (length > bytesMax) {
      // Not awaited: the canceled half of a cloned body settles only with the other half.
      reader.cancel().catch(() => {});
      return undefined;
    }
    chunks.push(value);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}

/** Undefined when the body is absent, too long or not JSON. */
export async function readJsonAtMost(
  stream: ReadableStream<Uint8Array> | null,
  bytesMax: number,
): Promise<unknown> {
  const bytes = stream === null ? undefined : await readAtMost(stream, bytesMax);
  return bytes && parseJson(new TextDecoder().decode(bytes))?.value;
}
