/** The body of a node:http request. It is put back for the handler or a later parser. */
import type { IncomingMessage } from "node:http";

type Bytes = Uint8Array<ArrayBuffer>;

/** Reads the whole body; undefined when it is too large. `parsed` is a parser's output. */
export async function readNodeBody(req: IncomingMessage, parsed: unknown, bytesMax: number) {
  const kept = keptBody(req, parsed);
  if (kept) return kept.byteLength <= bytesMax ? kept : undefined;
  return hasBody(req) ? peekBody(req, bytesMax) : new Uint8Array();
}

/** Returns the body that earlier middleware has kept; undefined when it is still to be read. */
function keptBody(req: IncomingMessage, body: unknown): Bytes | undefined {
  const rawBody: unknown = "rawBody" in req ? req.rawBody : undefined;
  const raw = toBytes(rawBody);
  if (raw) return raw;
  if (!hasBody(req) || !(req.readableDidRead || req.readableEnded)) return undefined;
  const parsed = toBytes(body);
  if (parsed) return parsed;
  const isMultipart = /^\s*multipart\//i.test(req.headers["content-type"] ?? "");
  if (typeof body === "object" && body !== null && !isMultipart) {
    // A parser's output is equal for equal bodies, which is all that a binding needs.
    return new TextEncoder().encode(JSON.stringify(body));
  }
  throw new Error(
    "The request's body was read before charge() ran, and nothing tells what it was. " +
      "Put charge() before the parser of this route, or keep the bytes in req.rawBody.",
  );
}

function toBytes(body: unknown): Bytes | undefined {
  if (typeof body === "string") return new TextEncoder().encode(body);
  return body instanceof Uint8Array ? new Uint8Array(body) : undefined;
}

function hasBody(req: IncomingMessage): boolean {
  const length = req.headers["content-length"];
  return req.headers["transfer-encoding"] !== undefined || (length !== undefined && length !== "0");
}

/** Reads to the end and puts everything back before the stream emits its end. */
async function peekBody(req: IncomingMessage, bytesMax: number): Promise<Bytes | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const chunk: unknown = req.read();
    if (chunk instanceof Uint8Array) {
      chunks.push(chunk);
      size += chunk.byteLength;
      if (size > bytesMax) return undefined;
    } else if (req.complete) {
      break;
    } else {
      await moreOrEnd(req);
    }
  }
  const bytes = Buffer.concat(chunks);
  if (bytes.byteLength > 0) req.unshift(bytes);
  return new Uint8Array(bytes);
}

function moreOrEnd(req: IncomingMessage): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: Error) => {
      req.off("readable", onReadable).off("close", onClose).off("error", settle);
      if (error) reject(error);
      else resolve();
    };
    const onReadable = () => settle();
    const onClose = () => settle(new Error("The connection closed before the request was whole."));
    req.on("readable", onReadable).on("close", onClose).on("error", settle);
  });
}
