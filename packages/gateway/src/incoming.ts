/** A request as it came in: its raw target made canonical, its headers, and its body, read once. */
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { Transform, type Readable } from "node:stream";
import { isPlainHost } from "@farthing/seller";
import type { FastifyRequest } from "fastify";
import { canonicalPath, splitTarget, type PathRules } from "./routing/canonical-path.ts";
import type { ClientFacts } from "./headers/request-headers.ts";

/** A request of canonical form. */
export interface Incoming extends ClientFacts {
  readonly method: string;
  readonly host: string | undefined;
  /** Canonical. */
  readonly path: string;
  /** The path with the query behind it, as the upstream gets it. */
  readonly target: string;
  /** As the client declares it, in bytes. */
  readonly contentLength: number | undefined;
  /** Aborted when the client has gone before its answer. */
  readonly gone: AbortSignal;
  /** The whole body, however often asked for; undefined when it is too large or never complete. */
  readBody(bytesMax: number): Promise<Uint8Array<ArrayBuffer> | undefined>;
  /** The body as it comes; undefined when there is none. A stream that grows too large errs. */
  openBody(bytesMax: number): Readable | undefined | "too_large";
}

/** Reads a request; undefined when target or host could be read in two ways, which is a 400. */
export function readIncoming(
  request: FastifyRequest,
  rules: PathRules,
  gone: AbortSignal,
): Incoming | undefined {
  const { raw } = request;
  // Two Host headers: the next server may choose the other one.
  if ((raw.headersDistinct["host"]?.length ?? 0) > 1) return undefined;
  if (raw.headers.host !== undefined && !isPlainHost(raw.headers.host)) return undefined;
  const target = splitTarget(request.originalUrl);
  const path = target && canonicalPath(target.path, rules);
  if (!target || path === undefined) return undefined;
  let body: Promise<Uint8Array<ArrayBuffer> | undefined> | undefined;
  const contentLength = lengthOf(raw.headers);
  const hasBody = contentLength !== undefined || "transfer-encoding" in raw.headers;
  return {
    method: request.method,
    host: raw.headers.host,
    path,
    target: path + target.query,
    headers: raw.headers,
    addresses: request.ips ? request.ips.toReversed() : [request.ip],
    requestId: request.id,
    contentLength,
    gone,
    readBody: (bytesMax) => (body ??= readAll(raw, contentLength, bytesMax)),
    openBody(bytesMax) {
      if (!hasBody || contentLength === 0) return undefined;
      if (contentLength !== undefined && contentLength > bytesMax) return "too_large";
      const body = limit(bytesMax).on("error", () => undefined);
      // What nobody takes any more goes by unread, so that the answer can still be heard.
      body.once("close", () => raw.unpipe(body).resume());
      return raw.pipe(body);
    },
  };
}

function lengthOf(headers: IncomingHttpHeaders): number | undefined {
  const text = headers["content-length"];
  return text === undefined ? undefined : Number(text);
}

async function readAll(
  raw: IncomingMessage,
  contentLength: number | undefined,
  bytesMax: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (contentLength !== undefined && contentLength > bytesMax) return undefined;
  const chunks: Uint8Array[] = [];
  let size = 0;
  return new Promise((resolve) => {
    const take = (chunk: Uint8Array): void => {
      size += chunk.byteLength;
      if (size <= bytesMax) return void chunks.push(chunk);
      // The rest goes by unread, so that the answer can still be heard.
      raw.off("data", take).resume();
      resolve(undefined);
    };
    raw.on("data", take);
    raw.once("end", () => resolve(new Uint8Array(Buffer.concat(chunks, size))));
    // The client left in the middle: what is said now, nobody hears.
    raw.once("error", () => resolve(undefined));
    raw.once("close", () => resolve(undefined));
  });
}

/** Counts what passes, and errs on more than it may be. */
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
