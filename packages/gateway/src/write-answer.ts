/** Writes an answer to its client: no faster than he reads, and not for ever when he does not. */
import type { IncomingMessage, ServerResponse } from "node:http";

/**
 * How long a client may take nothing of what is ready for him, in milliseconds. Somebody who reads
 * nothing holds one of the upstream's connections; a slow line takes something every few seconds.
 */
const stallMsMax = 60_000;

/**
 * How long the rest of a request is awaited that has its answer already, in milliseconds. Cut off at
 * once, the client might lose the answer with the connection; some then send nothing more at all.
 */
const lingerMs = 5_000;

/** Writes head and body. Resolves when all is written, or the client has gone. */
export async function writeAnswer(
  raw: ServerResponse,
  answer: Response,
  { hasBody, more }: { readonly hasBody: boolean; readonly more: Readonly<Record<string, string>> },
): Promise<void> {
  for (const [name, value] of answer.headers) {
    if (name !== "set-cookie") raw.setHeader(name, value);
  }
  const cookies = answer.headers.getSetCookie();
  if (cookies.length > 0) raw.setHeader("Set-Cookie", cookies);
  for (const [name, value] of Object.entries(more)) raw.setHeader(name, value);
  raw.writeHead(answer.status);
  raw.once("finish", () => lingerFor(raw.req));
  if (!answer.body || !hasBody) {
    raw.end();
    await answer.body?.cancel();
    return;
  }
  // An event stream may be silent for a while after its head.
  raw.flushHeaders();
  await writeBody(raw, answer.body.getReader());
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

function lingerFor(request: IncomingMessage): void {
  if (request.complete) return;
  const { socket } = request;
  const cutOff = (): void => {
    if (!request.complete) socket.destroy();
  };
  const timer = setTimeout(cutOff, lingerMs);
  socket.once("close", () => clearTimeout(timer));
}

function drained(raw: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => raw.destroy(), stallMsMax);
    const go = (): void => {
      clearTimeout(timer);
      raw.off("drain", go).off("close", go);
      resolve();
    };
    raw.once("drain", go).once("close", go);
  });
}
