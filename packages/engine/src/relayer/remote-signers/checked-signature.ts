/** Signatures of key services are used only when they are those of the key that was asked. */
import { secp256k1Order as order, type Address } from "@farthing/protocol";
import * as Hex from "ox/Hex";
import * as Secp256k1 from "ox/Secp256k1";
import type { RecoverableSignature } from "../signer.ts";
import { SignerRefusal } from "./ask-signer.ts";

/**
 * Key services return any s and no recovery id, or one of their own convention: s becomes the lower one,
 * as nodes require, and the recovery id is the one that leads to the address. Throws when neither does.
 */
export function checkedSignature(
  payload: Hex.Hex,
  given: { readonly r: bigint; readonly s: bigint },
  address: Address,
): RecoverableSignature {
  const s = given.s > order / 2n ? order - given.s : given.s;
  if (isScalar(given.r) && isScalar(s)) {
    for (const yParity of [0, 1]) {
      const signature = { r: wordOf(given.r), s: wordOf(s), yParity };
      if (recover({ payload, signature }) === address.toLowerCase()) return signature;
    }
  }
  throw new SignerRefusal(`the signature is not that of ${address}`);
}

function isScalar(value: bigint): boolean {
  return value > 0n && value < order;
}

function wordOf(value: bigint): Hex.Hex {
  return Hex.fromNumber(value, { size: 32 });
}

function recover(signed: Parameters<typeof Secp256k1.recoverAddress>[0]): string | undefined {
  try {
    return Secp256k1.recoverAddress(signed).toLowerCase();
  } catch {
    // No point of the curve has this r.
    return undefined;
  }
}
