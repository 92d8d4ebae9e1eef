/** What stays of a verified signature when the signature itself is removed. */
import { createHash } from "node:crypto";
import type { Hex } from "@farthing/protocol";
import type { Claim } from "./settlement.ts";

/**
 * Null for a plain payer, whose signature is verified again without a node; a contract wallet may
 * have changed its mind since. Null also where no signature is known.
 */
export function signatureHashOf({
  signature,
  payerHasCode,
}: Pick<Claim, "signature" | "payerHasCode">): string | null {
  return payerHasCode && signature !== "0x" ? hashOfSignature(signature) : null;
}

export function hashOfSignature(signature: Hex): string {
  return createHash("sha256").update(signature.toLowerCase()).digest("hex");
}
