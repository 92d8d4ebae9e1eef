/**
 * The extension `request-binding`: ties a payment to the one request that it was signed for.
 *
 * An EIP-3009 nonce is 32 free bytes. A buyer that binds makes it a commitment to the request, with
 * a random salt that travels in the payment only and is never on chain. A buyer that does not know
 * the extension still echoes the random token of the challenge it paid. Either one tells the buyer
 * from a third party that has rebuilt the payment from the chain.
 */
import * as Hash from "ox/Hash";
import type { Address } from "./address.ts";
import { isBytes32, toLowerHex, type Hex } from "./hex.ts";
import { isObject, member, objectMember, type JsonObject } from "./json.ts";

/** The extension's key in challenges and payments. */
export const requestBindingKey = "request-binding";

/** The one version of the commitment; the first argument of its encoding names it as well. */
const bindingVersion = 1;
const bindingTag = "x402-request-binding/1";

/** Longest token that is read back, in characters: ours have 32, others may write longer ones. */
const tokenCharactersMax = 128;

/** What a bound nonce commits to. */
export interface BoundRequest {
  /** 32 random bytes, known to the buyer and to each receiver of the payment. */
  readonly salt: Hex;
  /** HTTP method in upper case; for a tool call of MCP the word `MCP`. */
  readonly method: string;
  /** The challenge's `resource.url`, exactly as it was written there. */
  readonly url: string;
  /** SHA-256 of the request's body; of no bytes when it has none. */
  readonly bodyHash: Hex;
  readonly payTo: Address;
}

/** What a payment shows of the extension; both parts are optional. */
export interface ShownBinding {
  readonly salt?: Hex;
  readonly token?: string;
}

/** Declares the extension in a challenge, with a token that is fresh for each 402. */
export function declareRequestBinding(token: string): JsonObject {
  return {
    info: { version: bindingVersion, token },
    schema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: {
        version: { const: bindingVersion },
        token: { type: "string" },
        salt: { type: "string", pattern: "^0x[0-9a-f]{64}$" },
      },
      required: ["version"],
    },
  };
}

/**
 * Reads what a payment's `extensions` show. Anything that is not of the extension's form counts as
 * not shown: it proves nothing, and it spoils no payment.
 */
export function readRequestBinding(extensions: JsonObject | undefined): ShownBinding {
  const info = extensions && bindingInfo(extensions);
  if (!info || member(info, "version") !== bindingVersion) return {};
  const salt = member(info, "salt");
  const token = member(info, "token");
  const hasToken =
    typeof token === "string" && token.length > 0 && token.length <= tokenCharactersMax;
  return {
    ...(isBytes32(salt) ? { salt: toLowerHex(salt) } : {}),
    ...(hasToken ? { token } : {}),
  };
}

/** Adds a salt to the extension that a challenge declared, or adds the extension where it did not. */
export function withBindingSalt(extensions: JsonObject | undefined, salt: Hex): JsonObject {
  const declared = extensions && objectMember(extensions, requestBindingKey)[requestBindingKey];
  const info = { ...(extensions && bindingInfo(extensions)), version: bindingVersion, salt };
  return { ...extensions, [requestBindingKey]: { ...declared, info } };
}

/** The extensions without the binding: its token and salt are for the seller alone. */
export function withoutRequestBinding(extensions: JsonObject | undefined): JsonObject | undefined {
  if (extensions === undefined) return undefined;
  const others = Object.entries(extensions).filter(([key]) => key !== requestBindingKey);
  return others.length === 0 ? undefined : Object.fromEntries(others);
}

function bindingInfo(extensions: JsonObject): JsonObject | undefined {
  const extension = member(extensions, requestBindingKey);
  const info = isObject(extension) ? member(extension, "info") : undefined;
  return isObject(info) ? info : undefined;
}

/**
 * The nonce of a bound payment: `keccak256(abi.encode("x402-request-binding/1", salt, method, url,
 * bodyHash, payTo))` with the types `string, bytes32, string, string, bytes32, address`.
 */
export function bindingNonce({ salt, method, url, bodyHash, payTo }: BoundRequest): Hex {
  const tag = encodeString(bindingTag);
  const verb = encodeString(method);
  const address = encodeString(url);
  // Six words of head; the strings follow it, and the head holds their offsets in bytes.
  const tagAt = 6 * 32;
  const verbAt = tagAt + tag.length / 2;
  const addressAt = verbAt + verb.length / 2;
  return Hash.keccak256(
    `0x${number(tagAt)}${salt.slice(2)}${number(verbAt)}${number(addressAt)}${bodyHash.slice(2)}${payTo.slice(2).toLowerCase().padStart(64, "0")}${tag}${verb}${address}`,
  );
}

/** SHA-256 of a request's body, for {@link BoundRequest.bodyHash}. */
export function bodyHashOf(body: Uint8Array): Hex {
  return Hash.sha256(body, { as: "Hex" });
}

/** A string as the ABI writes it: its length in bytes, then its bytes, filled to whole words. */
function encodeString(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return number(bytes.length) + digits.padEnd(Math.ceil(digits.length / 64) * 64, "0");
}

function number(value: number): string {
  return value.toString(16).padStart(64, "0");
}
