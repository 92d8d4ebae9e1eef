/** Checks who signed a text: a plain key without a node, otherwise a contract (ERC-1271). */
import {
  hasErc6492Form,
  hashOfSignedText,
  hasSigned,
  isLowS,
  splitSignature,
  type Address,
  type Hex,
} from "@farthing/protocol";
import type { Chain } from "../chain/endpoints/chain.ts";
import { hasCode } from "../chain/reads/reads.ts";
import { isHashAccepted } from "./contract-signature.ts";
import { unwrapErc6492 } from "./erc6492.ts";

/** Gas for `isValidSignature`: a Safe with five owners takes about 60,000. */
const signatureGasMax = 500_000n;

/** A `plain` key is the same on every chain; a `contract` (ERC-1271) belongs to one chain. */
export type WalletKind = "plain" | "contract";

export type WalletReading =
  | WalletKind
  /** A contract wallet that is not deployed on this chain (ERC-6492). */
  | "undeployed"
  | "foreign";

/** Longest signature that is checked: a Safe's with a hundred owners has 6,500 bytes. */
export const signatureBytesMax = 8_192;

/** Checks an EIP-191 signature. Throws RPC faults, which say nothing about the signature. */
export async function readWalletSignature(
  chain: Chain,
  signed: { readonly address: Address; readonly message: string; readonly signature: Hex },
): Promise<WalletReading> {
  const { address, message, signature } = signed;
  const hash = hashOfSignedText(message);
  if (isSignedByKey(address, hash, signature)) return "plain";
  const hasWrapping = hasErc6492Form(signature);
  if (!(await hasCode(chain, address))) return hasWrapping ? "undeployed" : "foreign";
  const inner = hasWrapping ? unwrapErc6492(signature) : signature;
  const question = { wallet: address, hash, gas: signatureGasMax };
  const isAccepted =
    inner !== undefined && (await isHashAccepted(chain, { ...question, signature: inner }));
  return isAccepted ? "contract" : "foreign";
}

function isSignedByKey(address: Address, hash: Hex, signature: Hex): boolean {
  const parts = splitSignature(signature);
  return parts !== undefined && isLowS(parts) && hasSigned(address, hash, parts);
}
