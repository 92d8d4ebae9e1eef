/** An incoming request: its target made canonical, its headers, and its body, read once. */
import type { IncomingMessage } from "node:http";
import { Transform } from "node:stream";
import { isPlainHost } from "@farthing/seller";
import type { FastifyRequest } from "fastify";
import { canonicalPath, splitTarget, type PathRules } from "./routing/canonical-path.ts";

export type Incoming = NonNullable<ReturnType<typeof readIncoming>>;

/** Reads a request; undefined, for a 400, when target or host could be read in two ways. */
export function readIncoming(request: FastifyRequest, rules: PathRules, gone: AbortSignal) {
  const { raw } = request;
  // The next server may choose the other Host header.
  if (hasTwoHosts(raw.rawHeaders)) return undefined;
  if (raw.headers.host !== undefined && !isPlainHost(raw.headers.host)) return undefined;
  const target = splitTarget(request.originalUrl);
  const path = target && canonicalPath(target.path, rules);
  if (!target || path === undefined) return undefined;
  let body: Promise<Uint8Array<ArrayBuffer> | undefined> | undefined;
  const { "content-length": length } = raw.headers;
  const contentLength = length === undefined ? undefined : Number(length);
  const hasBody = contentLength !== undefined || "transfer-encoding" in raw.headers;
  return {
    method: request.method,
    host: raw.headers.host,
    path,
    /** The canonical path with the query, as the upstream gets it. */
    target: path + target.query,
    /** As it came, for what a client has signed. */
    rawTarget: request.originalUrl,
    headers: raw.headers,
    addresses: request.ips ? request.ips.toReversed() : [request.ip],
    requestId: request.id,
    /** As the client declares it, in bytes. */
    contentLength,
    /** Whether a body comes; it may be empty. */
    hasBody,
    /** Aborted when the client disconnects before the response. */
    gone,
    /** Returns the whole body on every call; undefined when it is too large or incomplete. */
    readBody: (bytesMax: number) => (body ??= readAll(raw, contentLength, bytesMax)),
    /** Streams the body; undefined when there is none. The stream fails when it grows too large. */
    openBody(bytesMax: number) {
      if (!hasBody || contentLength === 0) return undefined;
      if (contentLength !== undefined && contentLength > bytesMax) return "too_large" as const;
      const body = limit(bytesMax).on("error", () => undefined);
      // The rest is discarded, so that the client can still read the response.
      body.once("close", () => raw.unpipe(body).resume());
      return raw.pipe(body);
    },
  };
}

/** Counted in what has arrived: Node's `headersDistinct` would copy all headers for it. */
function hasTwoHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? "";
    if (name.length === 4 && name.toLowerCase() === "host") hosts += 1;
  }
  return hosts > 1;
}

async function readAll(raw: IncomingMessage, contentLength: number | undefined, bytesMax: number) {
  if (contentLength !== undefined && contentLength > bytesMax) return undefined;
  const chunks: Uint8Array[] = [];
  let size = 0;
  return new Promise<Uint8Array<ArrayBuffer> | undefined>((resolve) => {
    const take = (chunk: Uint8Array): void => {
      size += chunk.byteLength;
      if (size <= bytesMax) return void chunks.push(chunk);
      // The rest is discarded, so that the client can still read the response.
      raw.off("data", take).resume();
      resolve(undefined);
    };
    raw.on("data", take);
    raw.once("end", () => resolve(new Uint8Array(Buffer.concat(chunks, size))));
    // The client disconnected.
    raw.once("error", () => resolve(undefined));
    raw.once("close", () => resolve(undefined));
  });
}

function limit(bytesMax: number): Transform {
  let size = 0;
  return new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      size += chunk.byteLength;
      if (size > bytesMax) done(new Error("The body is larger than allowed."));
      else done(null, chunk);
    },
  });
}
