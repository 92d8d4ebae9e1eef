/** The buyer's part of the example: an authorization of one US cent, as an x402 request. */
import { randomBytes } from "node:crypto";
import type { Devnet } from "@farthing/devnet";
import { authorizationTypedData, networkOfChain, toWireAuthorization } from "@farthing/protocol";
import * as Secp256k1 from "ox/Secp256k1";
import * as Signature from "ox/Signature";
import * as TypedData from "ox/TypedData";

/** Signs with the devnet's first buyer. */
export function signPayment({ chainId, buyers: [buyer], seller }: Devnet) {
  if (!buyer) throw new Error("The devnet has no buyer");
  const network = networkOfChain(chainId);
  const authorization = {
    from: buyer.address,
    to: seller.address,
    value: 10_000n,
    validAfter: 0n,
    validBefore: BigInt(Math.floor(Date.now() / 1000) + 600),
    nonce: `0x${randomBytes(32).toString("hex")}` as const,
  };
  const typedData = authorizationTypedData(network, authorization);
  const payload = TypedData.getSignPayload(typedData);
  const signature = Signature.toHex(Secp256k1.sign({ payload, privateKey: buyer.privateKey }));
  const terms = {
    scheme: "exact",
    network: network.id,
    amount: authorization.value.toString(),
    asset: network.usdc,
    payTo: authorization.to,
    maxTimeoutSeconds: 60,
    extra: { assetTransferMethod: "eip3009", ...network.domain },
  };
  const signed = { signature, authorization: toWireAuthorization(authorization) };
  return {
    x402Version: 2,
    paymentPayload: { x402Version: 2, accepted: terms, payload: signed },
    paymentRequirements: terms,
  };
}
