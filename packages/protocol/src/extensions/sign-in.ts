/**
 * Sign-in by a wallet (extension `sign-in-with-x`, EIP-4361): the payer of a pass shows who they are,
 * for a text that the seller states in a challenge.
 */
import { parseWireAddress, type Address } from "../networks/address.ts";
import { decodeHeader, encodeHeader } from "../encoding/headers.ts";
import { isHexBytes, type Hex } from "../encoding/hex.ts";
import { isObject, member, textMembers, type JsonObject } from "../encoding/json.ts";

export const signInKey = "sign-in-with-x";
export const signInHeader = "SIGN-IN-WITH-X";

/** What a challenge states, and the wallet signs. */
export interface SignInInfo {
  /** Host and port of the seller. */
  readonly domain: string;
  readonly uri: string;
  readonly statement?: string;
  readonly nonce: string;
  /** RFC 3339. */
  readonly issuedAt: string;
  readonly expirationTime?: string;
}

/** A text with its signature, as a request shows it. */
export interface SignIn extends SignInInfo {
  readonly address: Address;
  /** CAIP-2, `eip155:50`. */
  readonly chainId: string;
  readonly signature: Hex;
}

export interface SignInDeclaration {
  readonly info: SignInInfo;
  /** CAIP-2 names of the chains whose wallets may sign. */
  readonly chainIds: readonly string[];
}

const infoMembers = [
  "domain",
  "uri",
  "statement",
  "nonce",
  "issuedAt",
  "expirationTime",
] as const satisfies readonly (keyof SignInInfo)[];

const text = { type: "string" };

/** Returns the member of a challenge's `extensions`. */
export function declareSignIn({ info, chainIds }: SignInDeclaration): JsonObject {
  const shown = [...infoMembers, "version", "address", "chainId", "type", "signature"];
  return {
    info: { ...info, version: "1", resources: [info.uri] },
    supportedChains: chainIds.map((chainId) => ({ chainId, type: "eip191" })),
    schema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: Object.fromEntries(shown.map((name) => [name, text])),
      required: shown,
    },
  };
}

/** Reads what a challenge declares; undefined where a wallet of ours could sign nothing of it. */
export function readSignInDeclaration(
  extensions: JsonObject | undefined,
): SignInDeclaration | undefined {
  const declared = extensions && member(extensions, signInKey);
  if (!isObject(declared)) return undefined;
  const stated = member(declared, "info");
  const info = isObject(stated) ? infoIn(stated) : undefined;
  const chains = member(declared, "supportedChains");
  if (!info || !isObject(stated) || !Array.isArray(chains)) return undefined;
  const resources = member(stated, "resources");
  const isOurs = Array.isArray(resources) && resources.length === 1 && resources[0] === info.uri;
  // Other texts exist; this buyer signs the one that it knows word for word.
  if (!isOurs || member(stated, "version") !== "1" || hasOther(stated)) return undefined;
  const chainIds = chains.filter(isObject).flatMap((chain) => {
    const chainId = member(chain, "chainId");
    return member(chain, "type") === "eip191" && typeof chainId === "string" ? [chainId] : [];
  });
  return { info, chainIds };
}

function hasOther(stated: JsonObject): boolean {
  return ["notBefore", "requestId"].some((name) => member(stated, name) !== undefined);
}

/** Longest text of a member: an address with its query. */
const memberCharsMax = 2_048;

/** Absent, or one line that looks like what it is. */
const isPlainText = (one: unknown) =>
  one === undefined ||
  (typeof one === "string" && one.length <= memberCharsMax && /^[\x20-\x7e]*$/.test(one));

function infoIn(value: JsonObject): SignInInfo | undefined {
  const isPlain = infoMembers.every((name) => isPlainText(member(value, name)));
  const { domain, uri, nonce, issuedAt, ...more } = textMembers(value, ...infoMembers);
  const isNonce = nonce !== undefined && /^[0-9a-zA-Z]{8,128}$/.test(nonce);
  if (!isPlain || !isNonce || !domain || !uri || !issuedAt) return undefined;
  return { ...more, domain, uri, nonce, issuedAt };
}

/** The text that a wallet signs, in the form of EIP-4361. */
export function signInText(info: SignInInfo, address: Address, chainId: string): string {
  return [
    `${info.domain} wants you to sign in with your Ethereum account:`,
    address,
    ...(info.statement === undefined ? ["", ""] : ["", info.statement, ""]),
    `URI: ${info.uri}`,
    "Version: 1",
    `Chain ID: ${chainId.replace(/^eip155:/, "")}`,
    `Nonce: ${info.nonce}`,
    `Issued At: ${info.issuedAt}`,
    ...(info.expirationTime === undefined ? [] : [`Expiration Time: ${info.expirationTime}`]),
    "Resources:",
    `- ${info.uri}`,
  ].join("\n");
}

/** The value of the header {@link signInHeader}. */
export function encodeSignIn({ address, chainId, signature, ...info }: SignIn): string {
  const signed = { address, chainId, type: "eip191", signature };
  return encodeHeader({ ...info, version: "1", resources: [info.uri], ...signed });
}

/** A contract wallet's signature may carry several owners', and the wallet's deployment. */
const signatureBytesMax = 4_096;

/** Parses the header; undefined for anything but a sign-in by the text of {@link signInText}. */
export function parseSignIn(header: unknown): SignIn | undefined {
  const value = decodeHeader(header)?.value;
  if (!isObject(value)) return undefined;
  const info = infoIn(value);
  const address = parseWireAddress(member(value, "address"));
  const chainId = member(value, "chainId");
  const signature = member(value, "signature");
  const isText = member(value, "type") === "eip191" && member(value, "version") === "1";
  if (!info || !address || !isText || !isHexBytes(signature, signatureBytesMax)) return undefined;
  return typeof chainId === "string" ? { ...info, address, chainId, signature } : undefined;
}
