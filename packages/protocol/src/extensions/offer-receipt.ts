/**
 * The extension `offer-receipt` (version 1): what a seller signs, as a JWS (RFC 7515) or as typed data
 * (EIP-712): the offers of a challenge, and a receipt of each delivery.
 */
import { isObject, member, type JsonObject } from "../encoding/json.ts";

export const offerReceiptKey = "offer-receipt";

export type SellerStatementKind = "offer" | "receipt";

type Member = readonly [name: string, type: "uint256" | "string"];

/** The members of the statements in the order of their EIP-712 types. */
const statementMembers: Readonly<Record<SellerStatementKind, readonly Member[]>> = {
  offer: [
    ["version", "uint256"],
    ["resourceUrl", "string"],
    ["scheme", "string"],
    ["network", "string"],
    ["asset", "string"],
    ["payTo", "string"],
    ["amount", "string"],
    ["validUntil", "uint256"],
  ],
  receipt: [
    ["version", "uint256"],
    ["network", "string"],
    ["resourceUrl", "string"],
    ["payer", "string"],
    ["issuedAt", "uint256"],
    ["transaction", "string"],
  ],
};

const primaryTypes = { offer: "Offer", receipt: "Receipt" } as const;

/** Of a signed statement, the version of its members. */
export const offerReceiptVersion = 1;

/** Returns the typed data of a statement. The domain is the extension's, whatever network is paid on. */
export function offerReceiptTypedData(kind: SellerStatementKind, statement: JsonObject) {
  const members = statementMembers[kind];
  const primaryType = primaryTypes[kind];
  return {
    domain: { name: `x402 ${kind}`, version: "1", chainId: 1 },
    types: { [primaryType]: members.map(([name, type]) => ({ name, type })) },
    primaryType,
    message: Object.fromEntries(
      members.map(([name, type]) => {
        const value = member(statement, name);
        return [name, type === "uint256" ? BigInt(Number(value)) : value];
      }),
    ),
  };
}

/** Bounds a text of a statement: an address of a resource, as long as servers accept one. */
const maxTextChars = 8192;

/** Reads a statement's own members; undefined for anything else, and for another version. */
export function parseSellerStatement(
  kind: SellerStatementKind,
  value: unknown,
): JsonObject | undefined {
  if (!isObject(value) || member(value, "version") !== offerReceiptVersion) return undefined;
  const entries = statementMembers[kind].map(([name, type]) => {
    // A JWS leaves out what a seller keeps private.
    const given = member(value, name) ?? (name === "transaction" ? "" : undefined);
    return [name, isOfType(given, type) ? given : undefined] as const;
  });
  const isWhole = entries.every(([, given]) => given !== undefined);
  return isWhole ? Object.fromEntries(entries) : undefined;
}

function isOfType(value: unknown, type: Member[1]): boolean {
  return type === "uint256"
    ? typeof value === "number" && Number.isSafeInteger(value) && value >= 0
    : typeof value === "string" && value.length <= maxTextChars;
}

/** Returns the signed offers in the `extensions` of a challenge, or of a payment that echoes them. */
export function findSignedOffers(extensions: unknown): readonly unknown[] {
  const offers = infoMember(extensions, "offers");
  return Array.isArray(offers) ? offers : [];
}

/** Returns the signed receipt in the `extensions` of a settle response; undefined without one. */
export function findSignedReceipt(extensions: unknown): unknown {
  return infoMember(extensions, "receipt");
}

function infoMember(extensions: unknown, name: string): unknown {
  let inner = extensions;
  for (const key of [offerReceiptKey, "info", name]) {
    inner = isObject(inner) ? member(inner, key) : undefined;
  }
  return inner;
}
