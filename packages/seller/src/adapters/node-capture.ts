/**
 * Catches what a handler of node:http, or of a framework on it, writes and makes a web-standard
 * Response of it, so that nothing leaves before the exchange has added the receipt and kept the
 * answer.
 *
 * `write`, `end`, `writeHead` and `flushHeaders` of the response are replaced until the answer is
 * sent, and early hints are dropped, since they would leave before it; everything built on them (`json`, `send`, `sendFile`, `pipe`) follows.
 */
import type { ServerResponse } from "node:http";
import { toError } from "../errors.ts";

/** The way to the buyer that a capture has taken the place of. */
export interface Outlet {
  write(chunk: Uint8Array, done: () => void): void;
  end(): void;
}

/** The catching of one response. */
export interface Capture {
  /** Resolves when the handler has begun to answer; the body follows as a stream. */
  readonly response: Promise<Response>;
  /**
   * Opens the way for the exchange's own answer. A handler that still writes, because its answer
   * is streamed, goes on writing into the stream.
   */
  open(): Outlet;
  /** Whether the handler has begun to answer. */
  isBegun(): boolean;
  /** Tells whoever waits for the answer that the handler has failed. */
  fail(error: unknown): void;
  /**
   * For a handler that had not begun when something else was answered: what it still does to the
   * response has no effect, instead of failing on headers that are gone.
   */
  silence(): void;
  /** Gives everything back, as if nothing had been caught. */
  close(): void;
}

/** Bytes that wait in the stream before the handler is asked to pause. */
const waitingBytesMax = 64 * 1024;

/**
 * How long a handler may still begin to answer after its buyer has hung up, in milliseconds. A
 * handler that gave up with him never would, and the buyer's repeat has to run another.
 */
const abandonedMsMax = 30_000;

const noBodyStatuses = new Set([204, 205, 304]);

/** Starts to catch what is written to a response. */
export function capture(res: ServerResponse): Capture {
  // As methods of the response, whoever put them there: compression, for one, has its own.
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
    // Its old name, under which Node still has it.
    writeHeader: takeHead,
    flushHeaders: caught.begin,
    // Answers of 1xx leave at once: they would tell what is sold before it is paid for.
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
      if (typeof chunk !== "function") caught.put(chunk ?? "", encoding);
      caught.finish();
      return res;
    },
  });

  const openHead = () => {
    Object.assign(res, { writeHead, writeHeader: writeHead, flushHeaders });
    Reflect.deleteProperty(res, "headersSent");
  };
  return {
    response: caught.response,
    open() {
      openHead();
      return { write: (chunk, done) => void write(chunk, done), end: () => void end() };
    },
    isBegun: caught.isBegun,
    fail: caught.fail,
    silence() {
      const nothing = () => res;
      Object.assign(res, {
        setHeader: nothing,
        appendHeader: nothing,
        setHeaders: nothing,
        removeHeader: nothing,
        writeHead: nothing,
        writeHeader: nothing,
        flushHeaders: nothing,
      });
    },
    close() {
      openHead();
      Object.assign(res, { write, end });
    },
  };
}

/** Sends nothing, and says that it was sent. */
function dropInformation(...args: unknown[]): void {
  const done = firstFunction(...args);
  if (done) queueMicrotask(() => done());
}

/** The answer as it is put together from the handler's calls. */
function captureResponse(res: ServerResponse) {
  let isBegun = false;
  let isOver = false;
  let body: ReadableStreamDefaultController<Uint8Array> | undefined;
  const stream = new ReadableStream<Uint8Array>(
    {
      start: (controller) => void (body = controller),
      pull: () => void res.emit("drain"),
      cancel: () => void (isOver = true),
    },
    { highWaterMark: waitingBytesMax, size: (chunk) => chunk.byteLength },
  );
  let settle: { answered(response: Response): void; gone(error: unknown): void } | undefined;
  const response = new Promise<Response>((answered, gone) => (settle = { answered, gone }));
  // Nobody may be waiting any more when a handler fails.
  response.catch(() => undefined);

  /** Fixes status and headers, as Node does at the first byte. */
  function begin(): void {
    if (isBegun) return;
    isBegun = true;
    const { statusCode: status } = res;
    const hasBody = !noBodyStatuses.has(status);
    settle?.answered(new Response(hasBody ? stream : null, { status, headers: toHeaders(res) }));
    Object.defineProperty(res, "headersSent", { configurable: true, value: true });
  }

  const hangUp = (): void => {
    const gone = new Error("The connection closed before the answer was complete.");
    if (!isBegun) setTimeout(() => settle?.gone(gone), abandonedMsMax).unref();
    else if (!isOver) body?.error(gone);
    isOver ||= isBegun;
  };
  // He may have gone while his payment was under way.
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
    put(chunk: unknown, encoding: unknown): boolean {
      begin();
      if (isOver) return true;
      const bytes = toBytes(chunk, encoding);
      if (bytes.byteLength > 0) body?.enqueue(bytes);
      return (body?.desiredSize ?? 1) > 0;
    },
    finish(): void {
      begin();
      if (!isOver) body?.close();
      isOver = true;
    },
  };
}

/** Does what `writeHead(status, message?, headers?)` says, on the headers that can still change. */
function applyHead(res: ServerResponse, [status, ...rest]: unknown[]): void {
  res.statusCode = Number(status);
  const headers = rest.find((value) => typeof value === "object" && value !== null);
  // Node takes a list of headers flat, or as a list of pairs.
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

function toBytes(chunk: unknown, encoding: unknown): Uint8Array {
  if (typeof chunk === "string") {
    const isNamed = typeof encoding === "string" && Buffer.isEncoding(encoding);
    return Buffer.from(chunk, isNamed ? encoding : "utf8");
  }
  // A copy: writers may use their buffer again.
  if (chunk instanceof Uint8Array) return new Uint8Array(chunk);
  throw new TypeError("A response takes text or bytes.");
}

function firstFunction(...values: unknown[]): (() => void) | undefined {
  return values.find((value): value is () => void => typeof value === "function");
}
