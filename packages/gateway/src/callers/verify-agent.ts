/**
 * Verifies who has signed a request: HTTP message signatures (RFC 9421) with Ed25519, as agents use
 * them by draft-ietf-webbotauth-httpsig-protocol. The library builds and parses what is signed.
 */
import { verify } from "node:crypto";
import { httpbis } from "http-message-signatures";
import { agentSignatureTag } from "@farthing/protocol";
import {
  isInnerList,
  parseDictionary,
  parseItem,
  serializeDictionary,
  Token,
  type Dictionary,
  type InnerList,
} from "structured-headers";
import { unsigned, type AgentFinding } from "./caller-rule.ts";
import type { KeyDirectories } from "./key-directories.ts";
import type { SeenSignatures } from "./seen-signatures.ts";

/** Clocks of agents and gateways differ so much. */
const skewSeconds = 30;

/** The draft recommends no more. */
const lifetimeMaxSeconds = 24 * 60 * 60;

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A signature that a request carries, and the host that it says to be of. Nothing is proved yet. */
export interface AgentClaim {
  readonly host: string;
  readonly keyId: string;
  /** Unix seconds. */
  readonly created: number;
  readonly expires: number;
  readonly signature: string;
  /** The headers of this signature alone. */
  readonly headers: { readonly signature: string; readonly "signature-input": string };
}

export type ClaimReading =
  | { readonly kind: "claim"; readonly claim: AgentClaim }
  /** A request without a signature of an agent has no `why` that somebody could mend. */
  | { readonly kind: "unverified"; readonly why: string };

function unverified(why: string): { readonly kind: "unverified"; readonly why: string } {
  return { kind: "unverified", why };
}

export function readClaim(headers: Headers): ClaimReading {
  const { "signature-input": inputs, signature: signatures, "signature-agent": agents } = headers;
  if (typeof inputs !== "string" || typeof signatures !== "string") return unsigned;
  if (typeof agents !== "string") return unverified("it has no Signature-Agent");
  try {
    return claimOf(parseDictionary(inputs), parseDictionary(signatures), agents);
  } catch {
    return unverified("its signature headers cannot be read");
  }
}

function claimOf(inputs: Dictionary, signatures: Dictionary, agents: string): ClaimReading {
  const own = [...inputs].filter(([, [, params]]) => params.get("tag") === agentSignatureTag);
  const [[label, input] = []] = own;
  if (label === undefined || input === undefined || !isInnerList(input)) return unsigned;
  if (own.length > 1) return unverified("it has more than one signature of an agent");
  const [components, params] = input;
  const isBound = components.some(
    ([name, flags]) => (name === "@authority" || name === "@target-uri") && flags.size === 0,
  );
  if (!isBound) return unverified("its signature covers neither @authority nor @target-uri");
  const host = hostOf(agents, components);
  if (host === undefined) {
    return unverified(
      "its signature covers no Signature-Agent with the https origin of a directory",
    );
  }
  const [keyId, created, expires] = ["keyid", "created", "expires"].map((name) => params.get(name));
  const isWhole = typeof created === "number" && typeof expires === "number";
  if (typeof keyId !== "string" || !isWhole) {
    return unverified("its signature needs keyid, created and expires");
  }
  const algorithm = params.get("alg") ?? "ed25519";
  if (algorithm !== "ed25519") return unverified("its algorithm is not ed25519");
  const signature = signatures.get(label);
  const [bytes] = signature ?? [];
  if (!signature || !(bytes instanceof ArrayBuffer)) {
    return unverified("it has no signature of that label");
  }
  return {
    kind: "claim",
    claim: {
      host,
      keyId,
      created,
      expires,
      signature: Buffer.from(bytes).toString("base64"),
      headers: {
        signature: serializeDictionary(new Map([[label, signature]])),
        "signature-input": serializeDictionary(new Map([[label, input]])),
      },
    },
  };
}

/** The host of the directory that the signature covers; earlier drafts sent a bare text. */
function hostOf(agents: string, components: InnerList[0]): string | undefined {
  const covered = components.find(([name]) => name === "signature-agent");
  if (!covered) return undefined;
  const key = covered[1].get("key");
  if (key === undefined) return agents.startsWith('"') ? originHost(parseItem(agents)) : undefined;
  const member = typeof key === "string" ? parseDictionary(agents).get(key) : undefined;
  return member && !isInnerList(member) ? originHost(member) : undefined;
}

function originHost([value, params]: ReturnType<typeof parseItem>): string | undefined {
  const type = params.get("type");
  if (type !== undefined && !(type instanceof Token && type.toString() === "directory")) {
    return undefined;
  }
  const url = typeof value === "string" ? URL.parse(value) : null;
  if (!url || url.protocol !== "https:" || url.port !== "") return undefined;
  const isOrigin = url.href === `https://${url.host}/`;
  return isOrigin ? url.host : undefined;
}

export interface VerifierDeps {
  readonly directories: KeyDirectories;
  readonly seen: SeenSignatures;
  /** Unix milliseconds. */
  readonly now: () => number;
}

export interface ClaimedRequest {
  readonly method: string;
  /** The public address, whose host is the seller's and not the Host header's. */
  readonly url: string;
  readonly headers: Headers;
  /** What the signature would open; undefined where nothing is served for it yet. */
  readonly credential: string | undefined;
  /** Whether the seller names the host. */
  readonly isKnown: boolean;
}

export async function verifyAgent(
  claim: AgentClaim,
  request: ClaimedRequest,
  { directories, seen, now }: VerifierDeps,
): Promise<AgentFinding> {
  const { host, keyId, created, expires } = claim;
  const seconds = now() / 1000;
  if (created > seconds + skewSeconds) return unverified("its signature is of the future");
  if (expires < seconds - skewSeconds) return unverified("its signature has expired");
  if (expires - created > lifetimeMaxSeconds) {
    return unverified("its signature is valid for more than a day");
  }
  const found = await directories.find(host, keyId, request.isKnown);
  if (found.kind === "none") return unverified(`${host}: ${found.why}`);
  const isSigned = await hasSigned(claim, request, (data, signature) =>
    verify(undefined, data, found.key, signature),
  );
  if (!isSigned) return unverified("its signature is not that of the key");
  const { credential } = request;
  const use = { signature: claim.signature, credential, until: expires + skewSeconds };
  if (!seen.take(host, use)) {
    return unverified("its signature was used before; sign each request anew");
  }
  return { kind: "verified", host };
}

async function hasSigned(
  { headers: own }: AgentClaim,
  { method, url, headers }: ClaimedRequest,
  check: (data: Buffer, signature: Buffer) => boolean,
): Promise<boolean> {
  const given: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) given[name] = typeof value === "string" ? value : [...value];
  }
  const message = { method, url, headers: { ...given, ...own } };
  const verifyWith = async (data: Buffer, signature: Buffer) => check(data, signature);
  try {
    const verified = await httpbis.verifyMessage(
      {
        // The times were checked above, by the clock of the gateway.
        keyLookup: async () => ({ algs: ["ed25519"], verify: verifyWith }),
        tolerance: Number.MAX_SAFE_INTEGER,
      },
      message,
    );
    return verified === true;
  } catch {
    // It covers something that the request does not have.
    return false;
  }
}
