/** Reads untrusted bodies within a bound. */

/** Longest decompressed body that is written out: a kilobyte of gzip can become a megabyte. */
export const unpackedBytesMax = 64 * 1024 * 1024;

/** The chunks of a body; rejects beyond `bytesMax` with the advice. */
async function* bodyWithin(
  { body }: Pick<Response, "body">,
  bytesMax: number,
  advice: string,
): AsyncGenerator<Uint8Array> {
  if (!body) return;
  let length = 0;
  for await (const chunk of body) {
    length += chunk.byteLength;
    if (length > bytesMax) throw new Error(`The body is longer than ${bytesMax} bytes; ${advice}`);
    yield chunk;
  }
}

/** The chunks of a body that is passed on: bounded only when it is compressed. */
export function bodyToWrite(response: Response): AsyncGenerator<Uint8Array> {
  const isCompressed = response.headers.has("Content-Encoding");
  const bytesMax = isCompressed ? unpackedBytesMax : Number.POSITIVE_INFINITY;
  const advice = 'request it uncompressed: -H "Accept-Encoding: identity".';
  return bodyWithin(response, bytesMax, advice);
}

export async function readBodyWithin(
  response: Response,
  bytesMax: number,
  advice: string,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bodyWithin(response, bytesMax, advice)) chunks.push(chunk);
  return new Uint8Array(Buffer.concat(chunks));
}
