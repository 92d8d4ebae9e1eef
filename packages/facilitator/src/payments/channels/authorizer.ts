/** Keys of accounts that sign claims and refunds for their channels, derived from one secret. */
import { createHmac } from "node:crypto";
import {
  channelRefundDigest,
  claimBatchDigest,
  isSameAddress,
  parseWireAddress,
  secp256k1Order,
  type Address,
  type ChannelConfig,
  type Hex,
} from "@farthing/protocol";
import { assert, type Secret } from "@farthing/engine/base";
import * as OxAddress from "ox/Address";
import * as Secp256k1 from "ox/Secp256k1";
import * as Signature from "ox/Signature";
import { noAuthorizer, type ChannelAuthorizer } from "./context.ts";

/** Names the use of the secret; part of the function that must never change. */
const purpose = "farthing: authorizer of channels";

export function createAuthorizer(secret: Secret | undefined): ChannelAuthorizer {
  if (!secret) return noAuthorizer;

  /** The same for ever: channels of the account name its address. */
  function keyOf(account: Address): Hex {
    // One try in 2^128 is out of the curve's order; the next counter is not.
    for (let counter = 0; ; counter++) {
      const text = `${purpose}:${account.toLowerCase()}:${counter}`;
      const key: Hex = `0x${createHmac("sha256", secret?.expose() ?? "")
        .update(text)
        .digest("hex")}`;
      if (BigInt(key) > 0n && BigInt(key) < secp256k1Order) return key;
    }
  }

  function addressOf(account: Address): Address {
    const publicKey = Secp256k1.getPublicKey({ privateKey: keyOf(account) });
    const address = parseWireAddress(OxAddress.fromPublicKey(publicKey));
    assert(address, "a public key has an address");
    return address;
  }

  const signFor = ({ receiver, receiverAuthorizer }: ChannelConfig, digest: () => Uint8Array) => {
    if (!isSameAddress(addressOf(receiver), receiverAuthorizer)) return undefined;
    const signed = Secp256k1.sign({ payload: digest(), privateKey: keyOf(receiver) });
    return Signature.toHex(signed);
  };

  return {
    addressOf: (account) => (account === null ? undefined : addressOf(account)),
    signClaims: async (chainId, config, claims) =>
      signFor(config, () => claimBatchDigest(chainId, claims)),
    signRefund: async (chainId, config, refund) =>
      signFor(config, () => channelRefundDigest(chainId, refund)),
  };
}
