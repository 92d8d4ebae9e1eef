/**
 * Requests to URLs from third parties, which may reach the public internet only: the name is
 * resolved once, all its addresses must be public, and the connection goes to a checked one. No
 * redirects, no credentials, bounded time and size.
 */
import { lookup } from "node:dns/promises";
import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { createSecureContext, getCACertificates, type SecureContext } from "node:tls";
import { isLoopbackAddress, isPublicAddress } from "@farthing/protocol";
import { bareHost, findUrlProblem, type Reach } from "./url-rules.ts";

/** Limit of the whole request, including the response's last byte. */
const totalMs = 10_000;

/** A challenge with a bazaar schema has a few thousand bytes of headers. */
const maxHeaderBytes = 32 * 1024;

/** Interim responses (1xx) cost work; servers send one or two. */
const maxInterim = 8;

export interface OutboundRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** Bytes of the response that are read from the wire. */
  readonly bytesMax: number;
  readonly signal?: AbortSignal;
}

export interface OutboundResponse {
  readonly kind: "answered";
  readonly status: number;
  /** By lower-case name; repeated headers are joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined when it is compressed or exceeds the limit. */
  readonly body: string | undefined;
}

export type RequestOutcome =
  | OutboundResponse
  /** `problem` says why, without details of the internal network. */
  | { readonly kind: "unanswered"; readonly problem: string; readonly isOurFault: boolean };

/** Never throws. */
export type GuardedRequest = (request: OutboundRequest) => Promise<RequestOutcome>;

export interface GuardedRequestDeps {
  readonly reach: Reach;
  /** Resolves all addresses of a name; the system's resolver by default. */
  readonly resolve?: ((name: string) => Promise<readonly string[]>) | undefined;
  /** PEM of trusted certificates in addition to the system's. */
  readonly extraCa?: string | undefined;
}

export function createGuardedRequest(deps: GuardedRequestDeps): GuardedRequest {
  const { reach, resolve = resolveAll, extraCa } = deps;
  // Created once, because reading all authorities takes longer than a request.
  const secureContext =
    extraCa === undefined
      ? undefined
      : createSecureContext({ ca: [...getCACertificates("default"), extraCa] });
  const mayReach = (address: string) =>
    isPublicAddress(address) || (reach.isLocal && isLoopbackAddress(address));

  /** Returns the checked address to connect to, or the failure. */
  async function pin(host: string): Promise<string | Unanswered> {
    if (isIP(host) !== 0) return mayReach(host) ? host : theirs(notPublic);
    let addresses: readonly string[];
    try {
      addresses = await resolve(host);
    } catch (error) {
      // EAI_AGAIN is a failure of our own resolver; all other errors are about the name.
      return unanswered("The name has no address.", codeOf(error) === "EAI_AGAIN");
    }
    const [address] = addresses;
    if (address === undefined) return theirs("The name has no address.");
    // A private address among public ones is an attempt to bypass the check.
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
      return unanswered(describeError(error), ourCodes.has(codeOf(error)));
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

/** Errors of a machine without a network or without free sockets. */
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
  { address, secureContext }: { address: string; secureContext: SecureContext | undefined },
): Promise<RequestOutcome> {
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
    // A kept connection could outlive the check of its address.
    agent: false,
    maxHeaderSize: maxHeaderBytes,
    // NODE_TLS_REJECT_UNAUTHORIZED is for the operator's own servers and must not apply here.
    rejectUnauthorized: true,
    ...(signal && { signal }),
    ...(secureContext && { secureContext }),
  });
  let hasResponded = false;
  request.on("error", reject);
  // A switch to another protocol (101) emits neither a response nor an error.
  request.on("close", () => {
    if (!hasResponded) reject(new Error("closed without an answer"));
  });
  let interim = 0;
  request.on("information", () => {
    if (++interim > maxInterim) request.destroy(new Error("too many interim answers"));
  });
  request.on("response", (response) => {
    hasResponded = true;
    readResponse(response, bytesMax).then(resolve, reject);
  });
  request.end(body);
  return promise;
}

/** Reads the response up to the limit. */
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

/** Describes the failure to the endpoint's operator, without an address or a body. */
function describeError(error: unknown): string {
  const code = codeOf(error);
  if (code === "ECONNREFUSED") return "The connection was refused.";
  if (code === "ECONNRESET" || code === "EPIPE") return "The connection broke off.";
  if (/^(ERR_TLS|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|ERR_SSL|EPROTO)/.test(code)) {
    return "The certificate or TLS itself is not in order.";
  }
  return "The connection failed.";
}
