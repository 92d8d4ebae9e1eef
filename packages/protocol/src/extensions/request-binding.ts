/**
 * The extension `request-binding` ties a payment to its request. A binding buyer's nonce commits to
 * the request with a random salt that is never on chain; other buyers echo the random token of the
 * challenge. Either one distinguishes them from someone who rebuilt the payment from the chain.
 */
import * as Hash from "ox/Hash";
import { addressWord, type Address } from "../networks/address.ts";
import { encodeString, isBytes32, numberWord, toLowerHex, type Hex } from "../encoding/hex.ts";
import { defined, isObject, member, objectMembers, type JsonObject } from "../encoding/json.ts";

export const requestBindingKey = "request-binding";

const bindingVersion = 1;
const bindingTag = "x402-request-binding/1";

/** In characters: our tokens have 32, others may write longer ones. */
const tokenCharactersMax = 128;

/** The request that a nonce commits to. */
export interface BoundRequest {
  /** 32 random bytes, known to the buyer and to each receiver of the payment. */
  readonly salt: Hex;
  /** In upper case; `MCP` for a tool call of MCP. */
  readonly method: string;
  /** The challenge's `resource.url`, exactly as written. */
  readonly url: string;
  /** SHA-256 of the request's body; of no bytes when it has none. */
  readonly bodyHash: Hex;
  readonly payTo: Address;
}

export interface ShownBinding {
  readonly salt?: Hex;
  readonly token?: string;
}

/** Declares the extension, with a token that is fresh for each 402. */
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

/** Reads a payment's `extensions`. Malformed parts prove nothing and do not spoil the payment. */
export function readRequestBinding(extensions: JsonObject | undefined): ShownBinding {
  const info = extensions && bindingInfo(extensions);
  if (!info || member(info, "version") !== bindingVersion) return {};
  const salt = member(info, "salt");
  const token = member(info, "token");
  const hasToken =
    typeof token === "string" && token.length > 0 && token.length <= tokenCharactersMax;
  return defined({
    salt: isBytes32(salt) ? toLowerHex(salt) : undefined,
    token: hasToken ? token : undefined,
  });
}

/** Adds a salt, and the extension itself where the challenge did not declare it. */
export function withBindingSalt(extensions: JsonObject | undefined, salt: Hex): JsonObject {
  const declared = extensions && objectMembers(extensions, requestBindingKey)[requestBindingKey];
  const info = { ...(extensions && bindingInfo(extensions)), version: bindingVersion, salt };
  return { ...extensions, [requestBindingKey]: { ...declared, info } };
}

/** The binding's token and salt are for the seller alone. */
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
  // Six words of head, which holds the strings' offsets in bytes; the strings follow.
  const tagAt = 6 * 32;
  const verbAt = tagAt + tag.length / 2;
  const addressAt = verbAt + verb.length / 2;
  return Hash.keccak256(
    `0x${numberWord(tagAt)}${salt.slice(2)}${numberWord(verbAt)}${numberWord(addressAt)}${bodyHash.slice(2)}${addressWord(payTo)}${tag}${verb}${address}`,
  );
}

export function bodyHashOf(body: Uint8Array): Hex {
  return Hash.sha256(body, { as: "Hex" });
}
