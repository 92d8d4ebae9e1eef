/** Writes a response to its client: no faster than they read, and not for ever when they do not. */
import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { headerFields } from "./headers/response-headers.ts";
import { endWhenStalled, closeAfterGrace } from "./slow-clients.ts";

/** A response of the gateway's own or of the exchange of payments, or the upstream's as it arrives. */
export interface Outgoing {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readable | ReadableStream<Uint8Array> | null;
}

/** Writes head and body; what cannot be written to its end takes the connection with it. */
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
    if (raw.writableNeedDrain) endWhenStalled(raw);
  });
  // A response that is not complete must not look as if it were.
  const cutOff = (): void => {
    if (!body.readableEnded) raw.destroy();
  };
  if (body.closed) return cutOff();
  body.once("close", cutOff);
  // Ends the source as well, also while it is silent.
  raw.once("close", () => body.destroy());
  body.pipe(raw);
}

async function writeBody(
  raw: ServerResponse,
  reader: ReadableStreamDefaultReader<Uint8Array>,
): Promise<void> {
  // Ends the source as well, also while it is silent.
  raw.once("close", () => void reader.cancel().catch(() => undefined));
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || raw.destroyed) break;
      if (!raw.write(value)) await drained(raw);
    }
    raw.end();
  } catch {
    // The source broke: an answer that is not complete must not look as if it were.
    raw.destroy();
  } finally {
    // The client may have gone before anybody listened for it.
    await reader.cancel().catch(() => undefined);
  }
}

function drained(raw: ServerResponse): Promise<void> {
  endWhenStalled(raw);
  return new Promise((resolve) => {
    const go = (): void => {
      raw.off("drain", go).off("close", go);
      resolve();
    };
    raw.once("drain", go).once("close", go);
  });
}
