/** Verifies what a seller signed with the extension `offer-receipt`: an offer, or a receipt. */
import {
  isHexBytes,
  isObject,
  isSameAddress,
  member,
  offerReceiptTypedData,
  parseAddress,
  parseSellerStatement,
  type Address,
  type JsonObject,
  type SellerStatementKind,
} from "@farthing/protocol";
import * as Secp256k1 from "ox/Secp256k1";
import * as TypedData from "ox/TypedData";
import { parseJws, whyNotSigned } from "./jws.ts";

/** The seller that the verifier trusts: the address that signs typed data, or the keys (RFC 7517). */
export type TrustedSeller = { readonly address: Address } | { readonly keySet: unknown };

export type SellerStatement =
  | {
      readonly ok: true;
      readonly statement: JsonObject;
      /** The address that signed, or the name of the key that is said to have signed. */
      readonly by: string;
      /** Whether it is the trusted seller's. An address is recovered also without one. */
      readonly isVerified: boolean;
    }
  | { readonly ok: false; readonly reason: string };

/** Reads a signed offer or receipt, and verifies its signature where a seller is trusted. */
export function verifySellerStatement(
  kind: SellerStatementKind,
  signed: unknown,
  seller?: TrustedSeller,
): SellerStatement {
  if (!isObject(signed)) return refused(`it is no signed ${kind}`);
  const { format, signature, payload } = signed;
  if (format === "jws") return verifyText(kind, signature, seller);
  const statement = format === "eip712" ? parseSellerStatement(kind, payload) : undefined;
  if (!statement) return refused(`it is no signed ${kind}`);
  const by = recoverSigner(kind, statement, signature);
  if (by === undefined) return refused("its signature is wrong");
  if (!seller) return { ok: true, statement, by, isVerified: false };
  if (!("address" in seller)) return refused(`it is signed by the address ${by}, by no key`);
  if (!isSameAddress(seller.address, by)) return refused(`it is signed by ${by}`);
  return { ok: true, statement, by, isVerified: true };
}

function verifyText(
  kind: SellerStatementKind,
  signature: unknown,
  seller: TrustedSeller | undefined,
): SellerStatement {
  const jws = parseJws(signature);
  const statement = jws && parseSellerStatement(kind, jws.payload);
  const by = jws && member(jws.header, "kid");
  if (!statement || typeof by !== "string") return refused(`it is no signed ${kind}`);
  if (!seller) return { ok: true, statement, by, isVerified: false };
  if (!("keySet" in seller)) return refused(`it is signed by the key ${by}, by no address`);
  const problem = whyNotSigned(jws, seller.keySet);
  return problem === undefined ? { ok: true, statement, by, isVerified: true } : refused(problem);
}

function refused(reason: string): SellerStatement {
  return { ok: false, reason };
}

const signatureBytes = 65;

function recoverSigner(
  kind: SellerStatementKind,
  statement: JsonObject,
  signature: unknown,
): Address | undefined {
  if (!isHexBytes(signature, signatureBytes)) return undefined;
  try {
    const payload = TypedData.getSignPayload(offerReceiptTypedData(kind, statement));
    return parseAddress(Secp256k1.recoverAddress({ payload, signature }));
  } catch {
    // Not a point on the curve: no key signed this.
    return undefined;
  }
}
