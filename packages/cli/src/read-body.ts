/** Bodies of strangers, read within a bound on what they unpack to. */

/**
 * Most that a packed body may unpack to, in bytes, where it is written to a file or a pipe: a
 * kilobyte of gzip can be a megabyte. Nobody asks for packed bodies of this size unawares.
 */
export const unpackedBytesMax = 64 * 1024 * 1024;

/** The pieces of a body; rejects beyond `bytesMax`, with what to do instead. */
export async function* bodyWithin(
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

/** The body to be written on: bounded when it is packed, without end when it is not. */
export function bodyToWrite(response: Response): AsyncGenerator<Uint8Array> {
  const isPacked = response.headers.has("Content-Encoding");
  const bytesMax = isPacked ? unpackedBytesMax : Number.POSITIVE_INFINITY;
  const advice = 'ask for it unpacked: -H "Accept-Encoding: identity".';
  return bodyWithin(response, bytesMax, advice);
}

/** Reads a body whole. */
export async function readBodyWithin(
  response: Response,
  bytesMax: number,
  advice: string,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bodyWithin(response, bytesMax, advice)) chunks.push(chunk);
  return new Uint8Array(Buffer.concat(chunks));
}
