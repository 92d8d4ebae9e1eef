/**
 * Requests that say which agent makes them: HTTP message signatures (RFC 9421) with Ed25519, as Web Bot
 * Auth has them (draft-ietf-webbotauth-httpsig-protocol). Sellers can have another price for agents
 * that they know. Node.js only.
 * @packageDocumentation
 */
import { createPrivateKey, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import {
  agentKeyId,
  agentSignatureTag,
  isObject,
  member,
  type JsonObject,
} from "@farthing/protocol";
import type { FetchFunction } from "../replayable-request.ts";
import { systemRuntime, type Runtime } from "../runtime.ts";

/** An agent's key. `d` is secret. */
export interface AgentKey {
  /** The https origin whose directory publishes the key. */
  readonly directory: string;
  readonly jwk: {
    readonly kty: "OKP";
    readonly crv: "Ed25519";
    /** Base64url, 32 bytes each. */
    readonly x: string;
    readonly d: string;
  };
}

/** Creates a key for the agent of an https origin, such as `https://agent.example`. Throws a TypeError. */
export function createAgentKey(directory: string): AgentKey {
  const { privateKey } = generateKeyPairSync("ed25519");
  return parseAgentKey({ directory, jwk: { ...privateKey.export({ format: "jwk" }) } });
}

/** Reads a key as `farthing agent-key create` writes it. Throws a TypeError that says what is wrong. */
export function parseAgentKey(value: unknown): AgentKey {
  const jwk = isObject(value) ? member(value, "jwk") : undefined;
  const directory = isObject(value) ? member(value, "directory") : undefined;
  const [x, d] = ["x", "d"].map((name) => (isObject(jwk) ? member(jwk, name) : undefined));
  if (typeof x !== "string" || typeof d !== "string" || ![x, d].every(isThirtyTwoBytes)) {
    throw new TypeError("jwk must be an Ed25519 key with x and d.");
  }
  const url = typeof directory === "string" && URL.canParse(directory) ? new URL(directory) : null;
  if (!url || url.protocol !== "https:" || url.href !== `${url.origin}/` || url.port !== "") {
    throw new TypeError("directory must be an https origin, such as https://agent.example.");
  }
  return { directory: url.origin, jwk: { kty: "OKP", crv: "Ed25519", x, d } };
}

function isThirtyTwoBytes(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}

/** The document that the origin has to serve for its keys: those in use, and the next one. */
export function agentDirectory(keys: readonly AgentKey[]): JsonObject {
  return {
    keys: keys.map(({ jwk: { kty, crv, x } }) => ({ kty, crv, kid: agentKeyId(x), x, use: "sig" })),
  };
}

/** Seconds for which a signature is valid; a request is on its way for less. */
const validSeconds = 60;

const nonceBytes = 32;

/**
 * Returns a `fetch` that signs each request anew, the paid one as well as the first. The signature
 * names the host, method and path; it is no secret, and worth nothing elsewhere. Give `wrapFetch` the plain
 * `fetch` for nodes, as its third argument, so that they do not learn who asks.
 */
export function signRequests(
  fetch: FetchFunction,
  { directory, jwk }: AgentKey,
  { now }: Pick<Runtime, "now"> = systemRuntime,
): FetchFunction {
  const key = createPrivateKey({ format: "jwk", key: { ...jwk } });
  return async (input, init = {}) => {
    const { host, pathname } = new URL(input);
    const created = Math.floor(now() / 1000);
    const nonce = randomBytes(nonceBytes).toString("base64");
    const agent = `"${directory}"`;
    const params = `("@authority" "@method" "@path" "signature-agent";key="sig1");created=${created};expires=${created + validSeconds};keyid="${agentKeyId(jwk.x)}";alg="ed25519";nonce="${nonce}";tag="${agentSignatureTag}"`;
    // The signature base of RFC 9421, section 2.5.
    const base = [
      `"@authority": ${host}`,
      `"@method": ${(init.method ?? "GET").toUpperCase()}`,
      `"@path": ${pathname}`,
      `"signature-agent";key="sig1": ${agent}`,
      `"@signature-params": ${params}`,
    ].join("\n");
    const headers = new Headers(init.headers);
    headers.set("Signature-Agent", `sig1=${agent}`);
    headers.set("Signature-Input", `sig1=${params}`);
    headers.set(
      "Signature",
      `sig1=:${sign(undefined, Buffer.from(base), key).toString("base64")}:`,
    );
    return fetch(input, { ...init, headers });
  };
}
