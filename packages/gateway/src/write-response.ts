/** Writes a response no faster than its client reads, and ends it when the client stops reading. */
import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { headerFields } from "./headers/response-headers.ts";

/** A response of the gateway or the exchange, or the upstream's as it arrives. */
export interface Outgoing {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readable | ReadableStream<Uint8Array> | null;
}

/** Writes head and body; a response that cannot be completed closes the connection. */
export async function writeResponse(
  raw: ServerResponse,
  { status, headers, body }: Outgoing,
  { hasBody, more }: { readonly hasBody: boolean; readonly more: Readonly<Record<string, string>> },
): Promise<void> {
  for (const [name, value] of Object.entries({ ...headerFields(headers), ...more })) {
    if (value !== undefined) raw.setHeader(name, value);
  }
  raw.writeHead(status);
  closeAfterGrace(raw);
  if (!body || !hasBody) {
    raw.end();
    await (body instanceof Readable ? body.destroy() : body?.cancel());
    return;
  }
  // An event stream may be silent for a while after its head.
  raw.flushHeaders();
  // Node's own streams are piped: as web streams, large bodies would cost twice the time.
  if (body instanceof Readable) pipeBody(raw, body);
  else await writeBody(raw, body.getReader());
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
    const cutOff = (): void => {
      if (!request.complete) socket.destroy();
    };
    const timer = setTimeout(cutOff, graceMs);
    socket.once("close", () => clearTimeout(timer));
  });
}
