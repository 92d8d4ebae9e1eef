/**
 * One call by undici's `dispatch`. Its `request` would wrap each response in objects that the gateway
 * does not use, and watch two signals for it.
 */
import { Readable } from "node:stream";
import type { Dispatcher } from "undici";

/** The head of a response. */
export interface ResponseHead {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
}

/** What was sent, and what comes back: rejected when it fails before that. */
export interface Sent<B> {
  readonly response: Promise<ResponseHead & { readonly body: B }>;
  /** Ends the call, also in the middle of a body. */
  abort(reason: Error): void;
}

type Controller = Dispatcher.DispatchController;

/** Bytes of a body that wait for the client: as of files. */
const waitingBytesMax = 64 * 1024;

/**
 * Sends a call whose response is read while it arrives. A short body often comes with its head; then it
 * is given whole, since a stream takes longer than the rest of such a call.
 */
export function sendForStream(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
): Sent<Readable | Uint8Array<ArrayBuffer>> {
  const { promise, resolve, reject } = Promise.withResolvers<
    ResponseHead & { body: Readable | Uint8Array<ArrayBuffer> }
  >();
  const calls = new Controls();
  /** What came with the head, until a stream has it. */
  let chunks: Buffer[] = [];
  let size = 0;
  let body: Readable | undefined;
  let isComplete = false;

  function stream(controller: Controller, head: ResponseHead): void {
    if (body || isComplete) return;
    body = new Readable({
      highWaterMark: waitingBytesMax,
      read: () => controller.resume(),
      destroy(error, done) {
        if (!isComplete)
          controller.abort(error ?? new Error("The response is not read to its end."));
        done(error);
      },
    });
    // The reader of the body reports errors; without a listener one would end the process.
    body.on("error", () => undefined);
    for (const chunk of chunks) if (!body.push(chunk)) controller.pause();
    chunks = [];
    resolve({ ...head, body });
  }

  let head: ResponseHead = { status: 0, headers: {} };
  dispatcher.dispatch(options, {
    onRequestStart: (controller) => calls.start(controller),
    onResponseStart(controller, status, headers) {
      if (status < 200) return;
      head = { status, headers };
      // Runs when all that came with the head is read.
      queueMicrotask(() => stream(controller, head));
    },
    onResponseData(controller, chunk) {
      if (body) {
        if (!body.push(chunk)) controller.pause();
        return;
      }
      chunks.push(chunk);
      size += chunk.byteLength;
      if (size > waitingBytesMax) stream(controller, head);
    },
    onResponseEnd() {
      isComplete = true;
      if (body) body.push(null);
      else resolve({ ...head, body: joined(chunks, size) });
    },
    onResponseError(_controller, error) {
      isComplete = true;
      drop(options.body);
      if (body) body.destroy(error);
      else reject(error);
    },
  });
  return {
    response: promise,
    abort: (reason) => (body ? void body.destroy(reason) : calls.abort(reason)),
  };
}

/** Sends a call and reads the whole body; `undefined` for one that is longer than allowed. */
export function sendForBytes(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  bytesMax: number,
): Sent<Uint8Array<ArrayBuffer> | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<
    ResponseHead & { body: Uint8Array<ArrayBuffer> | undefined }
  >();
  const calls = new Controls();
  let head: ResponseHead = { status: 0, headers: {} };
  const chunks: Buffer[] = [];
  let size = 0;
  dispatcher.dispatch(options, {
    onRequestStart: (controller) => calls.start(controller),
    onResponseStart(_controller, status, headers) {
      head = { status, headers };
    },
    onResponseData(controller, chunk) {
      size += chunk.byteLength;
      if (size <= bytesMax) {
        chunks.push(chunk);
        return;
      }
      resolve({ ...head, body: undefined });
      // The rest is not sent then.
      controller.abort(new Error("The response is longer than allowed."));
    },
    onResponseEnd: () => resolve({ ...head, body: joined(chunks, size) }),
    onResponseError(_controller, error) {
      drop(options.body);
      reject(error);
    },
  });
  return { response: promise, abort: (reason) => calls.abort(reason) };
}

/** Aborts a call that has begun, or that begins later. */
class Controls {
  #controller: Controller | undefined;
  #reason: Error | undefined;

  start(controller: Controller): void {
    this.#controller = controller;
    if (this.#reason) controller.abort(this.#reason);
  }

  abort(reason: Error): void {
    this.#reason = reason;
    this.#controller?.abort(reason);
  }
}

function joined(chunks: readonly Buffer[], size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}

/** Ends the body of a request whose call has failed, since the rest of it is not sent. */
function drop(body: unknown): void {
  if (body instanceof Readable) body.destroy();
}
