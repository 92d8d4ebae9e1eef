/**
 * A request to an address that a stranger named. To the public internet only: the name is resolved
 * once, every address it has must be public, and the connection goes to one of those that were
 * checked. No redirects, no credentials of ours, bounds on time and size.
 */
import { lookup } from "node:dns/promises";
import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { createSecureContext, getCACertificates, type SecureContext } from "node:tls";
import { isLoopbackAddress, isPublicAddress } from "./public-address.ts";
import { bareHost, findUrlProblem, type Reach } from "./url-rules.ts";

/** From the first step to the last byte of the answer. */
const totalMs = 10_000;

/** Bytes of an answer's headers: a challenge with a bazaar schema has a few thousand. */
const headerBytesMax = 32 * 1024;

/** Interim answers (1xx) before the answer: servers send one or two, and each costs us work. */
const interimMax = 8;

/** What is asked. */
export interface OutboundRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** Bytes of the answer that are taken from the wire. */
  readonly bytesMax: number;
  readonly signal?: AbortSignal;
}

/** What became of it. */
export type RequestOutcome =
  | {
      readonly kind: "answered";
      readonly status: number;
      /** By lower-case name; what came twice is joined by a comma. */
      readonly headers: Readonly<Record<string, string>>;
      /** Undefined when there was more than was to be taken, or when it is packed. */
      readonly body: string | undefined;
    }
  /** There was no answer; `problem` says why, with nothing of the network's inside. */
  | { readonly kind: "unanswered"; readonly problem: string; readonly isOurFault: boolean };

/** Sends a request. Never throws. */
export type GuardedRequest = (request: OutboundRequest) => Promise<RequestOutcome>;

/** What sending needs. */
export interface GuardedRequestDeps {
  readonly reach: Reach;
  /** All addresses of a name; the system's resolver when left out. */
  readonly resolve?: ((name: string) => Promise<readonly string[]>) | undefined;
  /** PEM of certificates that are believed beside the system's. */
  readonly extraCa?: string | undefined;
}

/** Creates the function. */
export function createGuardedRequest(deps: GuardedRequestDeps): GuardedRequest {
  const { reach, resolve = resolveAll, extraCa } = deps;
  // Made once: to read all authorities takes longer than a request.
  const secureContext =
    extraCa === undefined
      ? undefined
      : createSecureContext({ ca: [...getCACertificates("default"), extraCa] });
  const mayReach = (address: string) =>
    isPublicAddress(address) || (reach.isLocal && isLoopbackAddress(address));

  /** The checked address to connect to, or why there is none. */
  async function pin(host: string): Promise<string | Unanswered> {
    if (isIP(host) !== 0) return mayReach(host) ? host : theirs(notPublic);
    let addresses: readonly string[];
    try {
      addresses = await resolve(host);
    } catch (error) {
      // "Try again" is said by our own resolver when it cannot ask; anything else is about the name.
      return unanswered("The name has no address.", codeOf(error) === "EAI_AGAIN");
    }
    const [address] = addresses;
    if (address === undefined) return theirs("The name has no address.");
    // One inside address among public ones is how the check would be got around.
    return addresses.every(mayReach) ? address : theirs(notPublic);
  }

  return async (request) => {
    const problem = findUrlProblem(request.url, reach);
    if (problem !== undefined) return theirs(problem);
    const timeout = AbortSignal.timeout(totalMs);
    const signal = request.signal ? AbortSignal.any([request.signal, timeout]) : timeout;
    const url = new URL(request.url);
    const pinned = await Promise.race([pin(bareHost(url)), aborted(signal)]);
    const isStopped = () => request.signal?.aborted === true;
    if (pinned === undefined) return unanswered(tooSlow, isStopped());
    if (typeof pinned !== "string") return pinned;
    try {
      return await exchange(url, { ...request, signal }, { address: pinned, secureContext });
    } catch (error) {
      if (isStopped()) return unanswered("It was ended from here.", true);
      if (timeout.aborted) return theirs(tooSlow);
      return unanswered(sayProblem(error), ourCodes.has(codeOf(error)));
    }
  };
}

type Unanswered = Extract<RequestOutcome, { readonly kind: "unanswered" }>;

function unanswered(problem: string, isOurFault: boolean): Unanswered {
  return { kind: "unanswered", problem, isOurFault };
}

function theirs(problem: string): Unanswered {
  return unanswered(problem, false);
}

const notPublic = "Its address is not public.";
const tooSlow = `There was no answer within ${totalMs / 1000} seconds.`;

/** What the system says when this machine is without a network, or without sockets. */
const ourCodes = new Set(["ENETUNREACH", "ENETDOWN", "EADDRNOTAVAIL", "EMFILE", "ENFILE"]);

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((done) => {
    if (signal.aborted) return done(undefined);
    signal.addEventListener("abort", () => done(undefined), { once: true });
  });
}

async function resolveAll(name: string): Promise<readonly string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address);
}

function exchange(
  url: URL,
  { method, headers, body, bytesMax, signal }: OutboundRequest,
  way: { readonly address: string; readonly secureContext: SecureContext | undefined },
): Promise<RequestOutcome> {
  const { address, secureContext } = way;
  const lookupPinned: LookupFunction = (_name, options, done) => {
    const family = isIP(address);
    if (options.all) done(null, [{ address, family }]);
    else done(null, address, family);
  };
  const { promise, resolve, reject } = Promise.withResolvers<RequestOutcome>();
  const client = url.protocol === "https:" ? https : http;
  const request = client.request(url, {
    method,
    headers: {
      ...headers,
      ...(body === undefined ? {} : { "content-length": Buffer.byteLength(body) }),
    },
    lookup: lookupPinned,
    // A connection of its own: one that is kept could outlive the check of its address.
    agent: false,
    maxHeaderSize: headerBytesMax,
    // Whatever NODE_TLS_REJECT_UNAUTHORIZED says: it is about the operator's own servers.
    rejectUnauthorized: true,
    ...(signal && { signal }),
    ...(secureContext && { secureContext }),
  });
  let hasResponded = false;
  request.on("error", reject);
  // A switch to another protocol (101) is neither an answer nor an error: it only closes.
  request.on("close", () => {
    if (!hasResponded) reject(new Error("closed without an answer"));
  });
  let interim = 0;
  request.on("information", () => {
    if (++interim > interimMax) request.destroy(new Error("too many interim answers"));
  });
  request.on("response", (response) => {
    hasResponded = true;
    readResponse(response, bytesMax).then(resolve, reject);
  });
  request.end(body);
  return promise;
}

/** Reads an answer, or cuts it off: its status and headers are known by then. */
async function readResponse(response: IncomingMessage, bytesMax: number): Promise<RequestOutcome> {
  const body = await readBody(response, bytesMax);
  const { statusCode: status = 0 } = response;
  return { kind: "answered", status, headers: headersOf(response), body };
}

function headersOf({ headersDistinct }: IncomingMessage): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headersDistinct).map(([name, values = []]) => [name, values.join(", ")]),
  );
}

async function readBody(response: IncomingMessage, bytesMax: number): Promise<string | undefined> {
  const isPacked = (response.headers["content-encoding"] ?? "identity") !== "identity";
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    if (!Buffer.isBuffer(chunk)) continue;
    bytes += chunk.length;
    if (bytes > bytesMax) break;
    chunks.push(chunk);
  }
  response.destroy();
  return isPacked || bytes > bytesMax ? undefined : Buffer.concat(chunks).toString("utf8");
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

/** The kind of failure, for whoever runs the endpoint; never an address or a body. */
function sayProblem(error: unknown): string {
  const code = codeOf(error);
  if (code === "ECONNREFUSED") return "The connection was refused.";
  if (code === "ECONNRESET" || code === "EPIPE") return "The connection broke off.";
  if (/^(ERR_TLS|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|ERR_SSL|EPROTO)/.test(code)) {
    return "The certificate or TLS itself is not in order.";
  }
  return "The connection failed.";
}
