/** How a node is asked whether a contract wallet accepts a signature: ERC-1271 and ERC-6492. */
import { universalSignatureValidatorBytecode } from "ox/erc6492/SignatureErc6492";
import { addressWord, type Address } from "../networks/address.ts";
import { encodeBytes, numberWord, type Hex } from "../encoding/hex.ts";

/** These 32 bytes end a signature that is wrapped with the deployment of its wallet (ERC-6492). */
const wrappingMagic = "6492".repeat(16);

/** Whether a signature has the form of wallets that are not deployed. */
export function hasErc6492Form(signature: Hex): boolean {
  return signature.toLowerCase().endsWith(wrappingMagic);
}

/** The part of an `eth_call` that differs. */
export interface SignatureCall {
  /** Absent for creation code, which is run and never deployed. */
  readonly to?: Address;
  readonly data: Hex;
  /** How the result begins when the wallet accepts the signature. */
  readonly accepted: Hex;
}

/** `isValidSignature(bytes32,bytes)`; a wallet that accepts returns the same four bytes. */
const isValidSignature = "0x1626ba7e";

/**
 * Returns the call that asks a wallet about its signature of a hash. For a wrapped signature it is the
 * validator of ERC-6492, which deploys the wallet within the call where it is not deployed.
 */
export function signatureCallOf(wallet: Address, hash: Hex, signature: Hex): SignatureCall {
  const hashed = hash.slice(2);
  const signed = encodeBytes(signature.slice(2));
  if (hasErc6492Form(signature)) {
    const args = `${addressWord(wallet)}${hashed}${numberWord(96n)}${signed}`;
    return { data: `${universalSignatureValidatorBytecode}${args}`, accepted: "0x01" };
  }
  const data: Hex = `${isValidSignature}${hashed}${numberWord(64n)}${signed}`;
  return { to: wallet, data, accepted: isValidSignature };
}
