/**
 * The attestation of a settlement: a facilitator states, signed (JWS, RFC 7515), that money moved. It
 * says nothing about what the seller delivered.
 */
import { parseWireAddress, type Address } from "../networks/address.ts";
import { parseUint256 } from "../signatures/authorization.ts";
import { isBytes32, type Hex } from "../encoding/hex.ts";
import { isObject, member, type JsonObject } from "../encoding/json.ts";
import { findNetworkOf, type Network } from "../networks/networks.ts";

/** The member of a settle response's `extensions`, with the JWS at `info.attestation.signature`. */
export const settlementAttestationKey = "settlement-attestation";

/** The protected header's `typ`, so that no other token of the same key passes as an attestation. */
export const settlementAttestationType = "settlement-attestation+jwt";

/** The signed statement, in the form of its JSON. */
export interface SettlementAttestation {
  /** The origin of the facilitator, where it is configured. */
  readonly iss?: string;
  /** Unix seconds: the settlement stood like this at that time. */
  readonly iat: number;
  readonly settlementId: string;
  /** Only of a refund: the settlement of the payment that it returns. */
  readonly refundOf?: string;
  /** CAIP-2. */
  readonly network: Network["id"];
  readonly asset: Address;
  readonly payer: Address;
  readonly payTo: Address;
  /** Base units. */
  readonly amount: string;
  /** Of the authorization; with the payer it identifies the payment on chain. */
  readonly nonce: Hex;
  readonly transaction: Hex;
  /** The index of the AuthorizationUsed log in its block. */
  readonly logIndex: number;
  readonly blockNumber: number;
  readonly blockHash: Hex;
  /** The block can no longer be reorganised out. */
  readonly finalized: boolean;
}

/** Bounds what a caller passes on; the longest statement of a facilitator has a third of it. */
const maxIssuerChars = 200;
const maxIdChars = 128;

/** The year 9999: later times have no text in RFC 3339. */
const maxUnixSeconds = 253_402_300_799;

/** Reads the payload of an attestation; undefined for anything else. */
export function parseSettlementAttestation(value: unknown): SettlementAttestation | undefined {
  if (!isObject(value)) return undefined;
  const of = (key: string) => member(value, key);
  const issuer = of("iss");
  const settlementId = of("settlementId");
  const refundOf = of("refundOf");
  const network = findNetworkOf(2, of("network"));
  const asset = parseWireAddress(of("asset"));
  const payer = parseWireAddress(of("payer"));
  const payTo = parseWireAddress(of("payTo"));
  const units = parseUint256(of("amount"));
  const { nonce, transaction, blockHash } = bytesOf(value) ?? {};
  const [iat, logIndex, blockNumber] = ["iat", "logIndex", "blockNumber"].map((key) =>
    wholeNumber(of(key)),
  );
  const finalized = of("finalized");
  if (issuer !== undefined && !isShortText(issuer, maxIssuerChars)) return undefined;
  if (refundOf !== undefined && !isShortText(refundOf, maxIdChars)) return undefined;
  if (!isShortText(settlementId, maxIdChars) || !network || !asset || !payer || !payTo) {
    return undefined;
  }
  if (units === undefined || !nonce || !transaction || !blockHash) return undefined;
  if (
    iat === undefined ||
    iat > maxUnixSeconds ||
    logIndex === undefined ||
    blockNumber === undefined
  )
    return undefined;
  if (typeof finalized !== "boolean") return undefined;
  return {
    ...(issuer === undefined ? {} : { iss: issuer }),
    iat,
    settlementId,
    ...(refundOf === undefined ? {} : { refundOf }),
    network: network.id,
    asset,
    payer,
    payTo,
    amount: units.toString(),
    nonce,
    transaction,
    logIndex,
    blockNumber,
    blockHash,
    finalized,
  };
}

/** Returns the JWS in the `extensions` of a settle response or a receipt; undefined without one. */
export function findSettlementAttestation(extensions: unknown): string | undefined {
  let inner = extensions;
  for (const key of [settlementAttestationKey, "info", "attestation"]) {
    inner = isObject(inner) ? member(inner, key) : undefined;
  }
  const signature = isObject(inner) ? member(inner, "signature") : undefined;
  return typeof signature === "string" ? signature : undefined;
}

function bytesOf(value: JsonObject) {
  const [nonce, transaction, blockHash] = ["nonce", "transaction", "blockHash"].map((key) =>
    member(value, key),
  );
  const isWhole = isBytes32(nonce) && isBytes32(transaction) && isBytes32(blockHash);
  return isWhole ? { nonce, transaction, blockHash } : undefined;
}

function wholeNumber(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

function isShortText(value: unknown, charsMax: number): value is string {
  return typeof value === "string" && value !== "" && value.length <= charsMax;
}
