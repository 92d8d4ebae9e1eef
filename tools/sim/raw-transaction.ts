/** Signs legacy transactions of all senders but the relayer. */
import type { Address, Hex } from "@farthing/protocol";
import * as OxAddress from "ox/Address";
import * as Hash from "ox/Hash";
import * as Secp256k1 from "ox/Secp256k1";
import * as TxEnvelopeLegacy from "ox/TxEnvelopeLegacy";

/** A transaction of a third party. */
export interface Order {
  readonly to: Address;
  readonly data: Hex;
  /** Wei; a high one goes before the relayer's transactions in a block, a low one behind. */
  readonly gasPrice: bigint;
}

/** Gas of a third party's transaction: more than any call to the token, or a Safe's deployment, takes. */
const orderGas = 500_000n;

/** The hash of signed bytes. */
export function hashOf(raw: Hex): Hex {
  return Hash.keccak256(raw);
}

/** The address of a key. */
export function addressOfKey(privateKey: Hex): Address {
  return OxAddress.checksum(OxAddress.fromPublicKey(Secp256k1.getPublicKey({ privateKey })));
}

/** Signs a third party's transaction. */
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
