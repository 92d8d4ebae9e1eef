/**
 * Fetches the keys that a host publishes for its agents. The host is a stranger's choice, so only public
 * addresses are connected to, and time and size are bounded. No redirects: the host itself must
 * respond (draft-ietf-webbotauth-httpsig-protocol, section "Key Distribution and Discovery").
 */
import { lookup } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import {
  agentDirectoryPath,
  agentDirectoryType,
  isObject,
  isPublicAddress,
  member,
  type JsonObject,
} from "@farthing/protocol";
import { Agent, request } from "undici";

/** The request of a buyer waits for it. */
const totalMsDefault = 3_000;

/** Thirty-two keys with everything that a JWK may say. */
const bytesMax = 64 * 1024;

export type DirectoryFetch =
  | { readonly kind: "fetched"; readonly document: JsonObject }
  /** `why` is a sentence for people. */
  | { readonly kind: "failed"; readonly why: string };

/** Never throws. */
export type FetchDirectory = (host: string) => Promise<DirectoryFetch>;

/** What a test changes: where names lead, and whom it trusts. */
export interface DirectoryReach {
  readonly resolve?: (host: string) => Promise<readonly string[]>;
  readonly mayReach?: (address: string) => boolean;
  readonly port?: number;
  readonly totalMs?: number;
  /** PEM of trusted certificates in place of the system's. */
  readonly ca?: string;
}

export function createDirectoryFetch(reach: DirectoryReach = {}): FetchDirectory {
  const {
    resolve = resolveAll,
    mayReach = isPublicAddress,
    port = 443,
    ca,
    totalMs = totalMsDefault,
  } = reach;

  /** Returns the checked address to connect to. */
  async function pin(host: string): Promise<string | undefined> {
    const addresses = isIP(bare(host)) === 0 ? await resolve(host) : [bare(host)];
    // A private address among public ones is an attempt to get past this check.
    return addresses.every(mayReach) ? addresses[0] : undefined;
  }

  async function fetchFrom(host: string, signal: AbortSignal): Promise<DirectoryFetch> {
    const address = await pin(host);
    if (address === undefined) return failed("its address is not public");
    const connect = {
      lookup: pinnedTo(address),
      timeout: totalMs,
      ...(ca === undefined ? {} : { ca }),
    };
    // Nothing is kept open: a connection could outlive the check of its address.
    const dispatcher = new Agent({ connect, connections: 1 });
    try {
      const headers = { accept: agentDirectoryType, "accept-encoding": "identity" };
      const url = `https://${host}:${port}${agentDirectoryPath}`;
      const response = await request(url, { dispatcher, headers, signal });
      const { statusCode, headers: received, body } = response;
      if (statusCode !== 200) return failed(`its directory has status ${statusCode}`);
      const [type = ""] = String(received["content-type"] ?? "").split(";");
      if (type.trim().toLowerCase() !== agentDirectoryType) {
        return failed(`its directory is not of the type ${agentDirectoryType}`);
      }
      return await readDocument(body);
    } finally {
      await dispatcher.destroy();
    }
  }

  return async (host) => {
    const signal = AbortSignal.timeout(totalMs);
    const isLate = new Promise<DirectoryFetch>((done) => {
      const late = () => done(failed("its directory does not respond in time"));
      signal.addEventListener("abort", late, { once: true });
    });
    const fetched = fetchFrom(host, signal).catch(() => failed("its directory cannot be reached"));
    return Promise.race([fetched, isLate]);
  };
}

function pinnedTo(address: string): LookupFunction {
  const family = isIP(address);
  return (_host, options, done) => {
    if (options.all) done(null, [{ address, family }]);
    else done(null, address, family);
  };
}

/** Returns a host without the brackets of IPv6. */
function bare(host: string): string {
  return host.replace(/^\[(.*)\]$/, "$1");
}

async function readDocument(body: AsyncIterable<unknown>): Promise<DirectoryFetch> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    if (!Buffer.isBuffer(chunk)) continue;
    bytes += chunk.length;
    if (bytes > bytesMax) return failed(`its directory is larger than ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  try {
    const document: unknown = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    if (isObject(document) && Array.isArray(member(document, "keys"))) {
      return { kind: "fetched", document };
    }
  } catch {
    // The same as JSON of another shape.
  }
  return failed("its directory is no set of keys");
}

function failed(why: string): DirectoryFetch {
  return { kind: "failed", why };
}

async function resolveAll(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}
