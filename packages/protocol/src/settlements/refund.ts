/**
 * Refunds of payments: ordinary EIP-3009 authorizations from the payee back to the payer. The nonce
 * derives from the payment, so that no two facilitators relay the same refund twice.
 */
import * as Hash from "ox/Hash";
import { addressWord, type Address } from "../networks/address.ts";
import { parseAuthorization, type Authorization } from "../signatures/authorization.ts";
import { encodeString, isHexBytes, numberWord, toLowerHex, type Hex } from "../encoding/hex.ts";
import { isObject, member } from "../encoding/json.ts";
import { signatureBytesMax } from "../messages/payment.ts";
import { accept, refuse, type Outcome } from "../errors/refusals.ts";

const refundTag = "x402-refund/1";

/** The identity of the payment that is refunded. */
export interface RefundedPayment {
  readonly chainId: number;
  readonly asset: Address;
  readonly payer: Address;
  readonly nonce: Hex;
}

/** Refunds of one payment that may be open or confirmed; each raises the facilitator's costs. */
export const maxRefunds = 3;

/**
 * The nonce of a refund: `keccak256(abi.encode("x402-refund/1", chainId, asset, payer, nonce,
 * ordinal))` with the types `string, uint256, address, address, bytes32, uint256`.
 */
export function refundNonce(
  { chainId, asset, payer, nonce }: RefundedPayment,
  ordinal: number,
): Hex {
  // Six words of head, which holds the string's offset in bytes; the string follows.
  const words = [
    numberWord(6 * 32),
    numberWord(chainId),
    addressWord(asset),
    addressWord(payer),
    nonce.slice(2),
    numberWord(ordinal),
  ];
  return Hash.keccak256(`0x${words.join("")}${encodeString(refundTag)}`);
}

/**
 * Returns the ordinal of the next refund: the lowest that no open or confirmed refund has. A failed
 * refund is signed again with its own nonce, so the token executes at most one of its authorizations.
 */
export function nextRefundOrdinal(
  refunds: readonly { readonly ordinal: number; readonly state: string }[],
): number {
  const taken = new Set(
    refunds.filter(({ state }) => state !== "failed").map(({ ordinal }) => ordinal),
  );
  let ordinal = 0;
  while (taken.has(ordinal)) ordinal++;
  return ordinal;
}

/** The body of `POST /v1/refunds`, well-formed and not verified. */
export interface SignedRefund {
  /** Of the payment. */
  readonly settlementId: string;
  readonly authorization: Authorization;
  readonly signature: Hex;
}

export function parseRefund(body: unknown): Outcome<SignedRefund> {
  if (!isObject(body)) return malformed("the body must be a JSON object");
  const settlementId = member(body, "settlementId");
  if (typeof settlementId !== "string" || !/^stl_[0-9a-f]{32}$/.test(settlementId)) {
    return malformed("settlementId must be the id of a settlement, stl_ and 32 digits");
  }
  const signature = member(body, "signature");
  if (!isHexBytes(signature, signatureBytesMax)) {
    return malformed(`signature must be 0x and at most ${signatureBytesMax} bytes`);
  }
  const authorization = parseAuthorization(member(body, "authorization"));
  if (!authorization.ok) return authorization;
  return accept({
    settlementId,
    authorization: authorization.value,
    signature: toLowerHex(signature),
  });
}

function malformed(message: string) {
  return refuse("invalid_payload", `${message}.`);
}
