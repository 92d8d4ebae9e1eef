/** Transactions that a wallet sends itself, with its own gas. Payments need none. */
import type { Address, ChainId, Hex } from "@farthing/protocol";
import { readPrivateKey } from "../signer.ts";
import * as Secp256k1 from "ox/Secp256k1";
import * as TxEnvelopeLegacy from "ox/TxEnvelopeLegacy";

/** A legacy transaction, which every node of XDC takes. */
export interface WalletTransaction {
  readonly chainId: ChainId;
  readonly nonce: bigint;
  /** Wei. */
  readonly gasPrice: bigint;
  readonly gas: bigint;
  readonly to: Address;
  readonly data: Hex;
}

export interface SignedTransaction {
  readonly raw: Hex;
  readonly hash: Hex;
}

/** Throws a TypeError for an invalid key. */
export function signTransaction(key: string, transaction: WalletTransaction): SignedTransaction {
  const privateKey = readPrivateKey(key);
  const envelope = TxEnvelopeLegacy.from({ ...transaction, value: 0n });
  const payload = TxEnvelopeLegacy.getSignPayload(envelope);
  const signature = Secp256k1.sign({ payload, privateKey });
  const signed = TxEnvelopeLegacy.from(envelope, { signature });
  return { raw: TxEnvelopeLegacy.serialize(signed), hash: TxEnvelopeLegacy.hash(signed) };
}
