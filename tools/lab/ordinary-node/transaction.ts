/** Signed legacy transactions as a node's pool sees them. */
import type { Address, Hex } from "@farthing/protocol";
import * as OxAddress from "ox/Address";
import * as Hash from "ox/Hash";
import * as Secp256k1 from "ox/Secp256k1";
import * as Signature from "ox/Signature";
import * as TxEnvelopeLegacy from "ox/TxEnvelopeLegacy";

/** A transaction. */
export interface PoolTransaction {
  readonly raw: Hex;
  readonly hash: Hex;
  readonly from: Address;
  readonly to: Address;
  readonly nonce: number;
  readonly gasPrice: bigint;
  readonly gasLimit: bigint;
  readonly value: bigint;
  readonly data: Hex;
}

/** Reads signed bytes; undefined when they are no signed legacy transaction. */
export function readTransaction(raw: Hex): PoolTransaction | undefined {
  try {
    const read = TxEnvelopeLegacy.deserialize(raw);
    const signature = Signature.extract(read);
    if (!signature || !read.to) return undefined;
    const { chainId = 0, nonce = 0n, gasPrice = 0n, gas = 0n, value = 0n, data = "0x" } = read;
    const unsigned = { chainId, nonce, gasPrice, gas, value, data, to: read.to };
    const payload = TxEnvelopeLegacy.getSignPayload(TxEnvelopeLegacy.from(unsigned));
    return {
      raw,
      hash: Hash.keccak256(raw),
      from: OxAddress.checksum(Secp256k1.recoverAddress({ payload, signature })),
      to: read.to,
      nonce: Number(nonce),
      gasPrice,
      gasLimit: gas,
      value,
      data,
    };
  } catch {
    return undefined;
  }
}
