/**
 * Captures what a handler of node:http, or of a framework on it, writes as a web-standard Response,
 * so that nothing leaves before the exchange has kept it and added the receipt. Replaces the four
 * methods of the response on which `json`, `send`, `sendFile` and `pipe` are built.
 */
import type { ServerResponse } from "node:http";
import { isBodiless, isEventStream } from "@farthing/protocol";
import { responseOfBytes } from "../body.ts";
import { toError } from "../errors.ts";

/** Bytes that wait in the stream before the handler is asked to pause. */
const maxWaitingBytes = 64 * 1024;

/**
 * How long a handler may still begin to respond after its buyer has disconnected. A handler that
 * gave up with the buyer never would, and the repeat has to run another.
 */
const maxAbandonedMs = 30_000;

const headMethods = [
  "setHeader",
  "appendHeader",
  "setHeaders",
  "removeHeader",
  "writeHead",
  "writeHeader",
  "flushHeaders",
];

export type Capture = ReturnType<typeof capture>;

export function capture(res: ServerResponse) {
  // Bound to the response, because middleware such as compression replaces them.
  const write = res.write.bind(res);
  const end = res.end.bind(res);
  const writeHead = res.writeHead.bind(res);
  const flushHeaders = res.flushHeaders.bind(res);
  const caught = captureResponse(res);

  const takeHead = (...args: unknown[]) => {
    applyHead(res, args);
    caught.begin();
    return res;
  };
  Object.assign(res, {
    writeHead: takeHead,
    // Its deprecated name in Node.
    writeHeader: takeHead,
    flushHeaders: caught.begin,
    // Responses of 1xx leave at once, and would reveal content before it is paid for.
    writeEarlyHints: dropInformation,
    writeInformation: dropInformation,
    write(chunk: unknown, encoding?: unknown, callback?: unknown) {
      const hasRoom = caught.put(chunk, encoding);
      const done = firstFunction(encoding, callback);
      if (done) queueMicrotask(() => done());
      return hasRoom;
    },
    end(chunk?: unknown, encoding?: unknown, callback?: unknown) {
      const done = firstFunction(chunk, encoding, callback);
      if (done) res.once("finish", () => done());
      caught.finish(typeof chunk === "function" ? "" : (chunk ?? ""), encoding);
      return res;
    },
  });

  const openHead = () => {
    Object.assign(res, { writeHead, writeHeader: writeHead, flushHeaders });
    Reflect.deleteProperty(res, "headersSent");
  };
  return {
    /** Resolves when the handler has begun to respond; the body follows as a stream. */
    response: caught.response,
    /** Returns the original methods for the exchange's own response; a streaming handler continues. */
    open() {
      openHead();
      return {
        write: (chunk: Uint8Array, done: () => void) => void write(chunk, done),
        /** `last` is the rest of the body. */
        end: (last?: Uint8Array) => void (last ? end(last) : end()),
      };
    },
    isBegun: caught.isBegun,
    /** Reports that the handler has failed. */
    fail: caught.fail,
    /** Ignores further calls of a handler that had not begun when something else was sent. */
    silence: () => {
      for (const method of headMethods) Object.assign(res, { [method]: () => res });
    },
    /** Restores the response, as if nothing had been captured. */
    close() {
      openHead();
      Object.assign(res, { write, end });
    },
  };
}

function dropInformation(...args: unknown[]): void {
  const done = firstFunction(...args);
  if (done) queueMicrotask(() => done());
}

/** Assembles the response from the handler's calls. */
function captureResponse(res: ServerResponse) {
  let isBegun = false;
  let isOver = false;
  let body: ReadableStreamDefaultController<Uint8Array> | undefined;
  const openStream = () =>
    new ReadableStream<Uint8Array>(
      {
        start: (controller) => void (body = controller),
        pull: () => void res.emit("drain"),
        cancel: () => void (isOver = true),
      },
      { highWaterMark: maxWaitingBytes, size: (chunk) => chunk.byteLength },
    );
  let settle: { answered(response: Response): void; gone(error: unknown): void } | undefined;
  const response = new Promise<Response>((answered, gone) => (settle = { answered, gone }));
  // No one may be waiting when a handler fails.
  response.catch(() => undefined);

  /** Fixes status and headers, as Node does at the first byte. `whole` is all of the body. */
  function begin(whole?: Uint8Array<ArrayBuffer>): void {
    if (isBegun) return;
    isBegun = true;
    const { statusCode: status } = res;
    const head = { status, headers: toHeaders(res) };
    const isBare = isBodiless(status);
    if (whole && !isBare) settle?.answered(responseOfBytes(whole, head));
    else settle?.answered(new Response(isBare ? null : openStream(), head));
    Object.defineProperty(res, "headersSent", { configurable: true, value: true });
  }

  function put(chunk: unknown, encoding: unknown): boolean {
    begin();
    if (isOver) return true;
    const bytes = toBytes(chunk, encoding);
    if (bytes.byteLength > 0) body?.enqueue(bytes);
    return (body?.desiredSize ?? 1) > 0;
  }

  const hangUp = (): void => {
    // Every response closes; most are whole by then.
    if (isOver) return;
    const gone = new Error("The connection closed before the answer was complete.");
    if (!isBegun) setTimeout(() => settle?.gone(gone), maxAbandonedMs).unref();
    else body?.error(gone);
    isOver ||= isBegun;
  };
  // The client may have disconnected during the payment.
  if (res.destroyed) hangUp();
  else res.once("close", hangUp);

  return {
    response,
    begin,
    isBegun: () => isBegun,
    fail(thrown: unknown): void {
      const error = toError(thrown);
      if (!isBegun) settle?.gone(error);
      else if (!isOver) body?.error(error);
      isOver = true;
    },
    put,
    finish(chunk: unknown, encoding: unknown): void {
      // Most handlers write their response at once, which needs no stream. An event stream stays one.
      const isEvents = isEventStream({ get: (name) => String(res.getHeader(name) ?? "") });
      if (isBegun || isEvents) put(chunk, encoding);
      else begin(toBytes(chunk, encoding));
      if (!isOver) body?.close();
      isOver = true;
    },
  };
}

/** Applies `writeHead(status, message?, headers?)` to headers that can still change. */
function applyHead(res: ServerResponse, [status, ...rest]: unknown[]): void {
  res.statusCode = Number(status);
  const headers = rest.find((value) => typeof value === "object" && value !== null);
  // Node accepts a flat list of headers, or a list of pairs.
  const list = Array.isArray(headers) ? headers.flat() : Object.entries(headers ?? {}).flat(1);
  for (let at = 0; at + 1 < list.length; at += 2) {
    const value: unknown = list[at + 1];
    res.setHeader(String(list[at]), Array.isArray(value) ? value.map(String) : String(value));
  }
}

function toHeaders(res: ServerResponse): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(res.getHeaders())) {
    const values = Array.isArray(value) ? value : [value];
    for (const one of values) if (one !== undefined) headers.append(name, String(one));
  }
  return headers;
}

function toBytes(chunk: unknown, encoding: unknown): Uint8Array<ArrayBuffer> {
  if (typeof chunk === "string") {
    const isNamed = typeof encoding === "string" && Buffer.isEncoding(encoding);
    // A copy, because short buffers share the memory of many, which one that is kept would keep.
    return new Uint8Array(Buffer.from(chunk, isNamed ? encoding : "utf8"));
  }
  // A copy, because writers may reuse their buffer.
  if (chunk instanceof Uint8Array) return new Uint8Array(chunk);
  throw new TypeError("A response takes text or bytes.");
}

function firstFunction(...values: unknown[]): (() => void) | undefined {
  return values.find((value): value is () => void => typeof value === "function");
}
