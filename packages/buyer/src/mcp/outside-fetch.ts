/**
 * A `fetch` that reaches the public internet only, for URLs that a model or a stranger chose. A name is
 * resolved once, all its addresses must be public, and the connection goes to one of those that were
 * checked. Redirects are returned and not followed.
 */
import { lookup } from "node:dns/promises";
import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { pipeline, Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { isPublicAddress } from "@farthing/protocol";
import type { FetchFunction } from "../replayable-request.ts";
import { InvalidInputError } from "./tool-result.ts";

/** Returns all addresses of a name; the system's resolver by default. */
export type ResolveHost = (name: string) => Promise<readonly string[]>;

export interface OutsideFetchOptions {
  readonly resolve?: ResolveHost | undefined;
  /** Public addresses by default. */
  readonly mayReach?: (address: string) => boolean;
}

/** Bytes of the headers of a response: a challenge with a schema has a few thousand. */
const maxHeaderBytes = 32 * 1024;

/** Interim responses (1xx) cost work; servers send one or two. */
const maxInterim = 8;

/** Rejects with an {@link InvalidInputError} for a name that leads to another address. */
export function createOutsideFetch(options: OutsideFetchOptions = {}): FetchFunction {
  const { resolve = resolveAll, mayReach = isPublicAddress } = options;

  async function pin(host: string): Promise<string> {
    const addresses = isIP(host) === 0 ? await resolve(host) : [host];
    const [address] = addresses;
    // A private address among public ones is an attempt to get around the check.
    if (address !== undefined && addresses.every(mayReach)) return address;
    throw new InvalidInputError("url does not lead to an address of the internet.");
  }

  return async (input, init = {}) => {
    const request = new Request(input, init);
    const body = request.body === null ? undefined : Buffer.from(await request.arrayBuffer());
    const url = new URL(request.url);
    const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
    const address = await orAborted(pin(host), request.signal);
    const response = await exchange(url, { request, body, address });
    return responseOf(response, request);
  };
}

async function resolveAll(name: string): Promise<readonly string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address);
}

function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) return onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

interface PinnedRequest {
  readonly request: Request;
  readonly body: Buffer | undefined;
  readonly address: string;
}

function exchange(url: URL, { request, body, address }: PinnedRequest): Promise<IncomingMessage> {
  const pinned: LookupFunction = (_name, options, done) => {
    const family = isIP(address);
    if (options.all) done(null, [{ address, family }]);
    else done(null, address, family);
  };
  const headers = {
    accept: "*/*",
    ...Object.fromEntries(request.headers),
    // What a server packs all the same is unpacked below.
    "accept-encoding": "gzip, deflate, br",
    ...(body && { "content-length": String(body.byteLength) }),
  };
  return new Promise((resolve, reject) => {
    const client = url.protocol === "https:" ? https : http;
    const sent = client.request(url, {
      method: request.method,
      headers,
      lookup: pinned,
      // A kept connection could outlive the check of its address.
      agent: false,
      maxHeaderSize: maxHeaderBytes,
      signal: request.signal,
    });
    sent.on("error", reject);
    // A switch to another protocol (101) emits neither a response nor an error.
    sent.on("close", () => reject(new Error("The connection was closed without an answer.")));
    let interim = 0;
    sent.on("information", () => {
      if (++interim > maxInterim) sent.destroy(new Error("The server sends interim answers only."));
    });
    sent.on("response", resolve);
    sent.end(body);
  });
}

/** Statuses whose responses have no body, which `Response` does not take one for. */
const bodiless = new Set([204, 205, 304]);

function responseOf(message: IncomingMessage, { method, redirect }: Request): Response {
  const { statusCode: status = 0, statusMessage: statusText = "" } = message;
  if (redirect === "error" && status >= 300 && status < 400) {
    message.destroy();
    throw new TypeError("The server redirects the request.");
  }
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(message.headersDistinct)) {
    for (const value of values) headers.append(name, value);
  }
  if (method === "HEAD" || bodiless.has(status)) {
    message.resume();
    return new Response(null, { status, statusText, headers });
  }
  return new Response(toWeb(unpacked(message)), { status, statusText, headers });
}

function toWeb(body: Readable): ReadableStream<Uint8Array> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Node declares the same class twice
  return Readable.toWeb(body) as ReadableStream<Uint8Array>;
}

/** The body without its content coding, as `fetch` gives it. */
function unpacked(message: IncomingMessage): Readable {
  const unpack = unpackers[message.headers["content-encoding"]?.trim().toLowerCase() ?? ""];
  // A broken body breaks the stream that is read.
  return unpack ? pipeline(message, unpack(), () => undefined) : message;
}

const unpackers: Readonly<Record<string, () => ReturnType<typeof createGunzip>>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};
