/** Returns a request for the seller's functions; the binding and their handler read the body. */
export function withoutBody({ url, method, headers }: Request): Request {
  return new Request(url, { method, headers });
}

/** Reads a body to its end; undefined, and canceled, as soon as it is longer than `bytesMax`. */
export async function readBytes(body: ReadableStream<Uint8Array> | null, bytesMax: number) {
  if (body === null) return new Uint8Array();
  const head = await readHead(body, bytesMax);
  if (head.rest === undefined) return head.bytes;
  // Not awaited: the other branch of a tee settles this only when it is canceled too.
  void head.rest.cancel().catch(() => undefined);
  return undefined;
}

/** Reads the first bytes of a body; `rest` reads on where it is longer than `bytesMax`. */
export async function readHead(body: ReadableStream<Uint8Array>, bytesMax: number) {
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  while (size <= bytesMax) {
    const { done, value } = await reader.read();
    if (done) return { bytes: concatenate(chunks, size) };
    chunks.push(value);
    size += value.byteLength;
  }
  return { bytes: concatenate(chunks, size), rest: reader };
}

/** Returns the whole body of a head as a stream again. */
export function resume(head: Awaited<ReturnType<typeof readHead>>) {
  return new ReadableStream<Uint8Array>({
    start(controller) {
      if (head.bytes.byteLength > 0) controller.enqueue(head.bytes);
      if (head.rest === undefined) controller.close();
    },
    async pull(controller) {
      const next = await head.rest?.read();
      if (next === undefined || next.done) controller.close();
      else controller.enqueue(next.value);
    },
    cancel: (reason) => head.rest?.cancel(reason),
  });
}

function concatenate(chunks: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}

/**
 * The bytes of responses that were made of bytes. To read them from a stream again costs more than
 * the rest of a short response.
 */
const knownBytes = new WeakMap<Response, Uint8Array<ArrayBuffer>>();

/** Makes a response whose bytes {@link bytesOf} still knows. */
export function responseOfBytes(bytes: Uint8Array<ArrayBuffer>, init: ResponseInit): Response {
  const response = new Response(bytes, init);
  knownBytes.set(response, bytes);
  return response;
}

/** Returns the whole body of a response that nobody has begun to read; undefined where it is not known. */
export function bytesOf(response: Response): Uint8Array<ArrayBuffer> | undefined {
  return response.bodyUsed ? undefined : knownBytes.get(response);
}
