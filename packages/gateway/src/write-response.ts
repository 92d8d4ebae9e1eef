/** Writes a response no faster than its client reads, and ends it when the client stops reading. */
import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { bytesOf } from "@farthing/seller";
import type { HeaderFields } from "./headers/header-fields.ts";
import { headerFields } from "./headers/response-headers.ts";

/** A response of the gateway or the exchange, or the upstream's as it arrives. */
export interface Outgoing {
  readonly status: number;
  readonly headers: Headers | HeaderFields;
  /** A text is ASCII. */
  readonly body: Readable | ReadableStream<Uint8Array> | string | null;
  /** In place of a body: all of it. */
  readonly whole?: Uint8Array<ArrayBuffer>;
}

export interface WritingOptions {
  readonly hasBody: boolean;
  /** Headers in place of those of the response, by names in lower case. */
  readonly more: Readonly<Record<string, string>>;
}

/** Writes head and body; a response that cannot be completed closes the connection. */
export async function writeResponse(
  raw: ServerResponse,
  response: Outgoing,
  { hasBody, more }: WritingOptions,
): Promise<void> {
  const { status, headers, body } = response;
  const bytes = hasBody ? shortBytesOf(response) : undefined;
  const size = typeof body === "string" ? body.length : bytes?.byteLength;
  const length = size === undefined ? {} : { "content-length": `${size}` };
  raw.writeHead(status, { ...headerFields(headers), ...length, ...more });
  closeAfterGrace(raw);
  // In Node's quickest encoding, which leaves bytes as they are, a body is written with its head.
  if (typeof body === "string") return void raw.end(hasBody ? body : undefined, "latin1");
  if (bytes) return void raw.end(inLatin1(bytes), "latin1");
  if (!body || !hasBody) {
    raw.end();
    await (body instanceof Readable ? body.destroy() : body?.cancel());
    return;
  }
  // Node's own streams are piped: as web streams, large bodies would cost twice the time.
  if (body instanceof Readable) {
    flushSoon(raw, body);
    return pipeBody(raw, body);
  }
  raw.flushHeaders();
  await writeBody(raw, body.getReader());
}

function inLatin1({ buffer, byteOffset, byteLength }: Uint8Array<ArrayBuffer>): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString("latin1");
}

/** What fits into the buffers of a connection, so that it need not wait for its client. */
const bytesAtOnceMax = 64 * 1024;

/** A response of bytes. Those that are written at once need no stream. */
export function outgoingOfBytes(
  status: number,
  headers: HeaderFields,
  bytes: Uint8Array<ArrayBuffer> | null,
): Outgoing {
  if (bytes === null || bytes.byteLength > bytesAtOnceMax) {
    return { status, headers, body: new Response(bytes).body };
  }
  return { status, headers, body: null, whole: bytes };
}

function shortBytesOf(response: Outgoing): Uint8Array<ArrayBuffer> | undefined {
  const bytes = response instanceof Response ? bytesOf(response) : response.whole;
  return bytes && bytes.byteLength <= bytesAtOnceMax ? bytes : undefined;
}

/**
 * Sends the head alone where no body has come with it, because an event stream may be silent for a
 * while after its head. Most bodies have come, and travel with the head.
 */
function flushSoon(raw: ServerResponse, body: Readable): void {
  const flushing = setImmediate(() => raw.flushHeaders());
  body.once("data", () => clearImmediate(flushing)).once("close", () => clearImmediate(flushing));
}

/** Pipes by hand, since `pipeline` takes a quarter more CPU time for a small response. */
function pipeBody(raw: ServerResponse, body: Readable): void {
  body.on("pause", () => {
    if (raw.writableNeedDrain) void drained(raw);
  });
  // An incomplete response must not look complete.
  const cutOff = (): void => {
    if (!body.readableEnded) raw.destroy();
  };
  if (body.closed) return cutOff();
  body.once("close", cutOff);
  // Ends a silent source as well.
  raw.once("close", () => body.destroy());
  body.pipe(raw);
}

async function writeBody(raw: ServerResponse, reader: ReadableStreamDefaultReader<Uint8Array>) {
  // Ends a silent source as well.
  raw.once("close", () => void reader.cancel().catch(() => undefined));
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || raw.destroyed) break;
      if (!raw.write(value)) await drained(raw);
    }
    raw.end();
  } catch {
    // The source failed: an incomplete response must not look complete.
    raw.destroy();
  } finally {
    // The client may have disconnected before the listener was added.
    await reader.cancel().catch(() => undefined);
  }
}

/** Longest time without a read: even a slow line reads something every few seconds. */
const maxStallMs = 60_000;

/** Grace for the rest of a request: cut off at once, the client might lose the response. */
const graceMs = 5_000;

/** Ends the response unless its client reads in time. To be called when data is ready. */
function drained(raw: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => raw.destroy(), maxStallMs);
    const go = (): void => {
      clearTimeout(timer);
      raw.off("drain", go).off("close", go);
      resolve();
    };
    raw.once("drain", go).once("close", go);
  });
}

/** Closes the connection when the rest of a request takes too long after its response. */
function closeAfterGrace(raw: ServerResponse): void {
  const { req: request } = raw;
  raw.once("finish", () => {
    if (request.complete) return;
    const { socket } = request;
    // A connection that stays carries many requests, of which it keeps nothing.
    const forget = (): void => {
      clearTimeout(timer);
      socket.off("close", forget);
    };
    const timer = setTimeout(() => {
      forget();
      if (!request.complete) socket.destroy();
    }, graceMs);
    socket.once("close", forget);
    request.once("end", forget);
  });
}
