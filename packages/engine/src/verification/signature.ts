/**
 * Rule 1, the local part: recovers the signer in WebAssembly, without a node. The token refuses two
 * plain forms, v 0/1 and EIP-2098's 64 bytes; they are rewritten once, and the rewritten bytes are
 * simulated and sent. High s is refused, as by the token. Contract signatures pass unchanged,
 * except for the ERC-6492 wrapping.
 */
import {
  authorizationDigestBytes,
  depositDigest,
  hasErc6492Form,
  hasSigned,
  isLowS,
  splitSignature,
  type Authorization,
  type Hex,
  type Network,
  type Payment,
  type SignatureParts,
} from "@farthing/protocol";
import { depositOf, wrapDeposit, type ChannelDeposit } from "../model/channel-deposit.ts";
import { unwrapErc6492 } from "./erc6492.ts";

export type SignatureReading =
  /** The key of `from` signed; `bytes` is the form that the token accepts. */
  | { readonly kind: "payer"; readonly bytes: Hex }
  /** The key of `from` signed, in the malleable form that the token refuses. */
  | { readonly kind: "high_s" }
  /** Wrapped for a smart wallet (ERC-6492); `inner` is undefined when the wrapping is malformed. */
  | { readonly kind: "wrapped"; readonly inner: Hex | undefined }
  /** Not the key of `from`: only a contract wallet could still accept it. */
  | { readonly kind: "other" };

export function readSignature({
  network,
  authorization,
  signature,
}: Pick<Payment, "network" | "authorization" | "signature">): SignatureReading {
  const deposit = depositOf(authorization.to, signature);
  if (deposit) return readDeposit(network, authorization, deposit);
  if (hasErc6492Form(signature)) return { kind: "wrapped", inner: unwrapErc6492(signature) };
  const parts = splitSignature(signature);
  if (!parts) return { kind: "other" };
  return readParts(authorization, authorizationDigestBytes(network, authorization), parts);
}

function readParts(
  { from }: Authorization,
  digest: Uint8Array,
  parts: SignatureParts,
): SignatureReading {
  if (!hasSigned(from, digest, parts)) return { kind: "other" };
  if (!isLowS(parts)) return { kind: "high_s" };
  const v = (parts.yParity + 27).toString(16);
  return { kind: "payer", bytes: `0x${parts.r.slice(2)}${parts.s.slice(2)}${v}` };
}

/** A deposit's bytes keep their channel. */
function readDeposit(
  network: Network,
  authorization: Authorization,
  deposit: ChannelDeposit,
): SignatureReading {
  const parts = splitSignature(deposit.signature);
  if (!parts) return { kind: "other" };
  const reading = readParts(authorization, depositDigest(network, authorization), parts);
  if (reading.kind !== "payer") return reading;
  return { kind: "payer", bytes: wrapDeposit({ ...deposit, signature: reading.bytes }) };
}

/** Returns the bytes to simulate, store and send, in the form that the token accepts. */
export function tokenBytes(reading: SignatureReading, received: Hex): Hex {
  if (reading.kind === "payer") return reading.bytes;
  return reading.kind === "wrapped" ? (reading.inner ?? received) : received;
}
