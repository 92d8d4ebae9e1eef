/**
 * Large bodies that are the same for everyone, compressed once. Responses to a session are never
 * compressed: their size would say something about the secrets in them.
 */
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { negotiate } from "@fastify/accept-negotiator";
import type { FastifyReply, FastifyRequest } from "fastify";

/** Nearly as small as the highest quality (11), for a thirtieth of its time. */
const brotliQuality = 9;

/** The encodings offered, the smallest first. */
const encodings = ["br", "gzip"] as const;

type Encoding = (typeof encodings)[number];

export function toBrotli(body: Uint8Array): Promise<Buffer> {
  return promisify(brotliCompress)(body, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: brotliQuality,
      // The largest window: these bodies have up to 5 MB.
      [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: body.byteLength,
    },
  });
}

export interface CompressedBody {
  /** Called for clients that take neither encoding, and once for each encoding. */
  read(): Promise<Uint8Array>;
  /** The same in Brotli, where that is at hand. */
  readBrotli?(): Promise<Buffer>;
}

/** Returns a function that sends a body in the best encoding that the client takes. */
export function sendCompressed({ read, readBrotli }: CompressedBody) {
  const known = new Map<Encoding, Buffer>();
  const compress: Readonly<Record<Encoding, () => Promise<Buffer>>> = {
    br: readBrotli ?? (async () => toBrotli(await read())),
    gzip: async () => promisify(gzip)(await read()),
  };
  return async (request: FastifyRequest, reply: FastifyReply) => {
    reply.header("Vary", "Accept-Encoding");
    const encoding = findEncoding(request.headers["accept-encoding"]);
    if (encoding === undefined) return reply.send(await read());
    const body = known.get(encoding) ?? (await compress[encoding]());
    known.set(encoding, body);
    return reply.header("Content-Encoding", encoding).send(body);
  };
}

function findEncoding(header: string | string[] | undefined): Encoding | undefined {
  const accepted = [header ?? "identity"].flat().join(",");
  const wanted = negotiate(accepted.toLowerCase(), ["identity", ...encodings]);
  return encodings.find((encoding) => encoding === wanted);
}
