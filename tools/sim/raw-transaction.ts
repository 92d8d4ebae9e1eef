/** Signed legacy transactions: read those that a relayer sends, sign those of everybody else. */
import type { Address, Hex } from "@farthing/protocol";
import * as OxAddress from "ox/Address";
import * as Secp256k1 from "ox/Secp256k1";
import * as TxEnvelopeLegacy from "ox/TxEnvelopeLegacy";

/** A transaction as a node's pool sees it. */
export interface PoolTransaction {
  readonly raw: Hex;
  readonly hash: Hex;
  readonly from: Address;
  readonly to: Address | undefined;
  readonly nonce: number;
  readonly gasPrice: bigint;
  readonly gasLimit: bigint;
  readonly value: bigint;
  readonly data: Hex;
}

/** Reads signed bytes; undefined when they are no signed legacy transaction. */
export function readTransaction(raw: Hex): PoolTransaction | undefined {
  try {
    const envelope = TxEnvelopeLegacy.deserialize(raw as TxEnvelopeLegacy.Serialized);
    const { r, s, yParity, v, ...unsigned } = envelope;
    if (r === undefined || s === undefined || yParity === undefined) return undefined;
    const payload = TxEnvelopeLegacy.getSignPayload(TxEnvelopeLegacy.from(unsigned));
    const from = Secp256k1.recoverAddress({ payload, signature: { r, s, yParity } });
    void v;
    return {
      raw,
      hash: TxEnvelopeLegacy.hash(envelope),
      from: OxAddress.checksum(from),
      to: envelope.to ?? undefined,
      nonce: Number(envelope.nonce ?? 0n),
      gasPrice: envelope.gasPrice ?? 0n,
      gasLimit: envelope.gas ?? 0n,
      value: envelope.value ?? 0n,
      data: envelope.data ?? "0x",
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
