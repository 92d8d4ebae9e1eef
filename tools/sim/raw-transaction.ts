/** Signed legacy transactions: read those that a relayer sends, sign those of everybody else. */
import type { Address, Hex } from "@farthing/protocol";
import * as OxAddress from "ox/Address";
import * as Hash from "ox/Hash";
import * as Secp256k1 from "ox/Secp256k1";
import * as Signature from "ox/Signature";
import * as TxEnvelopeLegacy from "ox/TxEnvelopeLegacy";

/** A transaction as a node's pool sees it. */
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

/** What somebody else than the relayer sends. */
export interface Order {
  readonly to: Address;
  readonly data: Hex;
  /** Wei; a high one goes before the relayer's transactions in a block, a low one behind. */
  readonly gasPrice: bigint;
}

/** Gas of a stranger's transaction: more than any call to the token takes. */
const orderGas = 300_000n;

/** The hash of signed bytes. */
export function hashOf(raw: Hex): Hex {
  return Hash.keccak256(raw);
}

/** The address of a key. */
export function addressOfKey(privateKey: Hex): Address {
  return OxAddress.checksum(OxAddress.fromPublicKey(Secp256k1.getPublicKey({ privateKey })));
}

/** Signs a stranger's transaction. */
export function signOrder(
  order: Order,
  by: { readonly privateKey: Hex; readonly nonce: number; readonly chainId: number },
): Hex {
  const envelope = TxEnvelopeLegacy.from({
    ...order,
    chainId: by.chainId,
    nonce: BigInt(by.nonce),
    gas: orderGas,
    value: 0n,
  });
  const payload = TxEnvelopeLegacy.getSignPayload(envelope);
  const signature = Secp256k1.sign({ payload, privateKey: by.privateKey });
  return TxEnvelopeLegacy.serialize(TxEnvelopeLegacy.from(envelope, { signature }));
}
