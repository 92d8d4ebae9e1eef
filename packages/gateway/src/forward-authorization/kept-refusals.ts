/**
 * Refusals that wait to be fetched. A proxy that shows its callers no response but 401 and 403 of an
 * authorization fetches the true one by its name, and the exchange runs once.
 */
import { randomUUID } from "node:crypto";
import { errorResponse } from "../error-response.ts";
import { headerFields } from "../headers/response-headers.ts";
import { HeaderFields } from "../headers/header-fields.ts";
import { outgoingOfBytes, type Outgoing } from "../write-response.ts";

/** The proxy fetches a refusal at once; a slow one of a busy machine is a second late. */
const keptMs = 10_000;

/** Two hundred pages for people, or several thousand challenges, in these seconds. */
const keptBytesMax = 16 * 1024 * 1024;

/** By then the proxy has asked again. */
const retrySeconds = 1;

/** The least that an entry takes, with its headers. */
const entryBytes = 4 * 1024;

interface Kept {
  readonly status: number;
  readonly fields: HeaderFields["fields"];
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly untilMs: number;
}

export function createKeptRefusals({ nowMs = () => performance.now() } = {}) {
  /** In the order in which they were kept. */
  const kept = new Map<string, Kept>();
  let bytes = 0;
  const drop = (id: string): Kept | undefined => {
    const found = kept.get(id);
    if (found && kept.delete(id)) bytes -= entryBytes + found.bytes.byteLength;
    return found;
  };
  return {
    /** Keeps a refusal and returns its name, which nobody can guess. */
    async keep(refusal: Outgoing): Promise<string> {
      const now = nowMs();
      const body = await bytesOfBody(refusal);
      const id = randomUUID();
      const fields = headerFields(refusal.headers);
      kept.set(id, { status: refusal.status, fields, bytes: body, untilMs: now + keptMs });
      bytes += entryBytes + body.byteLength;
      for (const [one, { untilMs }] of kept) {
        if (bytes <= keptBytesMax && untilMs > now) break;
        drop(one);
      }
      return id;
    },
    /** Returns a refusal once. */
    take(id: string): Outgoing {
      const found = drop(id);
      if (found && found.untilMs > nowMs()) {
        return outgoingOfBytes(found.status, new HeaderFields(found.fields), found.bytes);
      }
      const message = "This refusal is not kept any more; ask again.";
      return errorResponse(503, "refusal_gone", message, { retryAfterSeconds: retrySeconds });
    },
  };
}

async function bytesOfBody({ body, whole }: Outgoing): Promise<Uint8Array<ArrayBuffer>> {
  if (whole) return whole;
  if (typeof body === "string") return new Uint8Array(Buffer.from(body, "latin1"));
  const chunks: Uint8Array[] = [];
  for await (const chunk of body ?? []) chunks.push(chunk);
  return new Uint8Array(Buffer.concat(chunks));
}
