/**
 * POST to an address that a stranger named. HTTPS only, to the public internet only: the name is
 * resolved once, every address it has must be public, and the connection goes to one of those that
 * were checked. No redirects, no credentials of ours, bounds on time and size; of the answer only
 * the status is looked at.
 */
import { lookup } from "node:dns/promises";
import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { isLoopbackAddress, isPublicAddress } from "./public-address.ts";

/** From the first step to the last byte of the answer. */
const totalMs = 10_000;

/** Bytes of an answer that are taken from the wire; nobody looks at them. */
const answerBytesMax = 64 * 1024;

/** Ports of HTTPS; anything else is more likely another service than a web server. */
const ports = new Set(["", "443", "8443"]);

/** What became of it. */
export type PostOutcome =
  | { readonly kind: "answered"; readonly status: number }
  /** There was no answer; `problem` says why, with nothing of the network's inside. */
  | { readonly kind: "unanswered"; readonly problem: string };

/** A message to somebody. */
export interface OutboundMessage {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal?: AbortSignal;
}

/** Sends a message. Never throws. */
export type GuardedPost = (message: OutboundMessage) => Promise<PostOutcome>;

/** What sending needs. */
export interface GuardedPostDeps {
  /** Plain http, this machine and any port are allowed too: for devnets. */
  readonly isInsecure: boolean;
  /** All addresses of a name; the system's resolver when left out. */
  readonly resolve?: (name: string) => Promise<readonly string[]>;
}

/** Why an address is not sent to at all; undefined when it may be tried. */
export function findUrlProblem(text: string, isInsecure: boolean): string | undefined {
  const url = URL.parse(text);
  if (!url) return "It is no URL.";
  if (url.username !== "" || url.password !== "") return "It holds credentials; leave them out.";
  if (url.hash !== "") return "It has a fragment; leave it out.";
  if (isInsecure && /^https?:$/.test(url.protocol)) return undefined;
  if (url.protocol !== "https:") return "It must begin with https://.";
  if (!ports.has(url.port)) return "Its port must be 443 or 8443.";
  // Certificates are made for names; numbers, in whichever writing, have none.
  if (isIP(bare(url.hostname)) !== 0) return "It must have a name, not a number.";
  return url.hostname.includes(".") ? undefined : "Its name must be one of the internet.";
}

/** Creates the function. */
export function createGuardedPost(deps: GuardedPostDeps): GuardedPost {
  const { isInsecure, resolve = resolveAll } = deps;
  const mayReach = (address: string) =>
    isPublicAddress(address) || (isInsecure && isLoopbackAddress(address));

  /** The checked address to connect to, or why there is none. */
  async function pin(name: string): Promise<{ address: string } | { problem: string }> {
    const host = bare(name);
    const addresses = isIP(host) === 0 ? await resolve(host).catch(() => []) : [host];
    const [address] = addresses;
    if (address === undefined) return { problem: "The name has no address." };
    // One inside address among public ones is how the check would be got around.
    return addresses.every(mayReach) ? { address } : { problem: "Its address is not public." };
  }

  return async (message) => {
    const problem = findUrlProblem(message.url, isInsecure);
    if (problem !== undefined) return { kind: "unanswered", problem };
    const timeout = AbortSignal.timeout(totalMs);
    const signal = message.signal ? AbortSignal.any([message.signal, timeout]) : timeout;
    const url = new URL(message.url);
    const pinned = await Promise.race([pin(url.hostname), aborted(signal)]);
    if (pinned === undefined) return { kind: "unanswered", problem: tooSlow };
    if ("problem" in pinned) return { kind: "unanswered", problem: pinned.problem };
    try {
      return { kind: "answered", status: await post(url, pinned.address, message, signal) };
    } catch (error) {
      const why = timeout.aborted ? tooSlow : sayProblem(error);
      return { kind: "unanswered", problem: why };
    }
  };
}

const tooSlow = `There was no answer within ${totalMs / 1000} seconds.`;

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((done) => {
    if (signal.aborted) return done(undefined);
    signal.addEventListener("abort", () => done(undefined), { once: true });
  });
}

async function resolveAll(name: string): Promise<readonly string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address);
}

/** An IPv6 host without its brackets. */
function bare(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, "$1");
}

function post(
  url: URL,
  address: string,
  { headers, body }: OutboundMessage,
  signal: AbortSignal,
): Promise<number> {
  const lookupPinned: LookupFunction = (_name, options, done) => {
    const family = isIP(address);
    if (options.all) done(null, [{ address, family }]);
    else done(null, address, family);
  };
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const client = url.protocol === "https:" ? https : http;
  const request = client.request(url, {
    method: "POST",
    headers: { ...headers, "content-length": Buffer.byteLength(body) },
    lookup: lookupPinned,
    signal,
    // A connection of its own: one that is kept could outlive the check of its address.
    agent: false,
    maxHeaderSize: 16 * 1024,
  });
  request.on("error", reject);
  request.on("response", (response) => {
    drain(response).then(() => resolve(response.statusCode ?? 0), reject);
  });
  request.end(body);
  return promise;
}

/** Lets an answer end, or cuts it off: its status is known by then. */
async function drain(response: IncomingMessage): Promise<void> {
  let bytes = 0;
  for await (const chunk of response) {
    bytes += Buffer.isBuffer(chunk) ? chunk.length : 0;
    if (bytes > answerBytesMax) break;
  }
  response.destroy();
}

/** The kind of failure, for whoever runs the endpoint; never an address or a body. */
function sayProblem(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === "ECONNREFUSED") return "The connection was refused.";
  if (code === "ECONNRESET" || code === "EPIPE") return "The connection broke off.";
  if (/^(ERR_TLS|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|ERR_SSL|EPROTO)/.test(code)) {
    return "The certificate or TLS itself is not in order.";
  }
  return "The connection failed.";
}
