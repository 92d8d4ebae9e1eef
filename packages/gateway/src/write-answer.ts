/** Writes an answer to its client: no faster than he reads, and not for ever when he does not. */
import type { ServerResponse } from "node:http";
import { headerFields } from "./headers/answer-headers.ts";
import { endWhenStalled, lingerAfter } from "./slow-clients.ts";

/** Writes head and body. Resolves when all is written, or the client has gone. */
export async function writeAnswer(
  raw: ServerResponse,
  answer: Response,
  { hasBody, more }: { readonly hasBody: boolean; readonly more: Readonly<Record<string, string>> },
): Promise<void> {
  for (const [name, value] of Object.entries({ ...headerFields(answer.headers), ...more })) {
    if (value !== undefined) raw.setHeader(name, value);
  }
  raw.writeHead(answer.status);
  lingerAfter(raw);
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
