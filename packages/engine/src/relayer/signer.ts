/** A signer of relayer transactions: a private key here, or a key service that keeps the key to itself. */
import { zeroAddress, type Address, type ChainId, type Hex } from "@farthing/protocol";
import * as TxEnvelopeLegacy from "ox/TxEnvelopeLegacy";

/** The fields of a legacy transaction. */
export interface UnsignedTransaction {
  readonly chainId: ChainId;
  readonly nonce: number;
  /** Wei. */
  readonly gasPrice: bigint;
  readonly gasLimit: bigint;
  /** The zero address for a transaction that creates a contract: it has no recipient. */
  readonly to: Address;
  readonly data: Hex;
  /** Wei of the native coin; none by default. */
  readonly value?: bigint;
}

export interface SignedTransaction {
  readonly raw: Hex;
  readonly hash: Hex;
}

export interface Signer {
  readonly address: Address;
  /** The key service that signs; absent where the key is in this process. */
  readonly service?: string;
  /** Throws the fault `signer_unavailable` when no valid signature was made; nothing was sent. */
  sign(transaction: UnsignedTransaction): Promise<SignedTransaction>;
}

/** Signs digests that the contract of channels checks. */
export interface DigestSigner {
  readonly address: Address;
  /** The key service that signs; absent where the key is in this process. */
  readonly service?: string;
  /** 65 bytes. Throws the fault `signer_unavailable` when no valid signature was made. */
  sign(digest: Uint8Array): Promise<Hex>;
}

export type Envelope = TxEnvelopeLegacy.TxEnvelopeLegacy;

export function envelopeOf(transaction: UnsignedTransaction): Envelope {
  const { chainId, nonce, gasPrice, gasLimit, to, data, value = 0n } = transaction;
  const recipient = to === zeroAddress ? {} : { to };
  const fields = { chainId, nonce: BigInt(nonce), gasPrice, gas: gasLimit, data, value };
  return TxEnvelopeLegacy.from({ ...fields, ...recipient });
}

export interface RecoverableSignature {
  readonly r: Hex;
  readonly s: Hex;
  readonly yParity: number;
}

export function attachSignature(
  envelope: Envelope,
  signature: RecoverableSignature,
): SignedTransaction {
  const signed = TxEnvelopeLegacy.from(envelope, { signature });
  return { raw: TxEnvelopeLegacy.serialize(signed), hash: TxEnvelopeLegacy.hash(signed) };
}
