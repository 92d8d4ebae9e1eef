/** Signed refunds of payments on a test chain. */
import type { Devnet, DevnetWallet } from "@farthing/devnet";
import {
  networkOfChain,
  refundNonce,
  toWireAuthorization,
  type Address,
  type Authorization,
  type JsonObject,
} from "@farthing/protocol";
import { payerAndNonceOf, secondsFromNow, signOn } from "./facilitator.testing.ts";

/** A payment that was settled. */
export interface Paid {
  readonly id: string;
  readonly payer: Address;
  readonly payTo: Address;
  readonly amount: bigint;
  readonly body: JsonObject;
}

/** The refunds are signed by the payee, which is the chain's seller unless told otherwise. */
export function createRefunds(devnet: () => Devnet) {
  function authorizationOf(paid: Paid, ordinal: number, changes: Partial<Authorization> = {}) {
    const { chainId, usdc: asset } = networkOfChain(devnet().chainId);
    const { payer, nonce } = payerAndNonceOf(paid.body);
    return {
      from: paid.payTo,
      to: payer,
      value: paid.amount,
      validAfter: 0n,
      validBefore: secondsFromNow(3_600),
      nonce: refundNonce({ chainId, asset, payer, nonce }, ordinal),
      ...changes,
    };
  }

  function refundBody(
    paid: Paid,
    ordinal: number,
    changes: Partial<Authorization> = {},
    signer: DevnetWallet = devnet().seller,
  ): JsonObject {
    const authorization = authorizationOf(paid, ordinal, changes);
    return {
      settlementId: paid.id,
      authorization: toWireAuthorization(authorization),
      signature: signOn(devnet(), authorization, signer.privateKey),
    };
  }

  return { authorizationOf, refundBody };
}
