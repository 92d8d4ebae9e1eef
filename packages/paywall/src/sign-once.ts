/** The one signature: reserved before it is requested, kept before it is sent. */
import {
  randomHex,
  systemRuntime,
  signPayment,
  type LedgerRecord,
  type ReplayableRequest,
} from "@farthing/buyer/steps";
import { ask } from "@farthing/buyer/wallet";
import { isHexBytes, signatureBytesMax, type authorizationTypedData } from "@farthing/protocol";
import type { Connected } from "./connected.ts";
import type { KeptPayment } from "./kept-payment.ts";
import type { Payable } from "./offers.ts";
import { texts } from "./texts.ts";

export interface Order {
  readonly request: ReplayableRequest;
  readonly kept: KeptPayment;
  readonly payer: Connected;
  readonly payable: Payable;
  readonly signal: AbortSignal;
}

/** Rejects when the wallet does not sign, and then nothing is kept. */
export async function signOnce(order: Order): Promise<LedgerRecord> {
  const { request, kept, payer, payable, signal } = order;
  const { offer, requirements } = payable;
  const { network, asset, amount, payTo } = requirements;
  const requestId = `pay_${randomHex(systemRuntime, 16)}`;
  kept.reserve({
    requestId,
    fingerprint: request.fingerprint,
    wallet: payer.address,
    network: network.id,
    asset,
    amountUnits: amount,
    payTo,
    host: location.host,
    reservedAt: systemRuntime.now(),
  });
  try {
    const { url } = request;
    const how = { offer, requirements, request, requestId, attempt: 0, url };
    const signed = await signPayment(signerOf(payer, signal), systemRuntime, how);
    return await kept.transition(requestId, { state: "signed", signed });
  } catch (error) {
    // A late signature is dropped: it was not sent.
    await kept.transition(requestId, { state: "released" });
    throw error;
  }
}

export function signerOf({ wallet, address }: Connected, signal: AbortSignal) {
  return {
    address,
    async signTypedData(typedData: ReturnType<typeof authorizationTypedData>) {
      const params = [address, toWalletJson(typedData)];
      const signature = await ask(wallet.provider, "eth_signTypedData_v4", params, signal);
      // Contract wallets return more than 65 bytes, which the token accepts.
      if (isHexBytes(signature, signatureBytesMax)) return signature;
      throw new Error(texts.wallet.badSignature);
    },
  };
}

/** Wallets want JSON: numbers as decimal strings, and the domain's own type among the types. */
function toWalletJson(typedData: ReturnType<typeof authorizationTypedData>): string {
  const EIP712Domain = [
    { name: "name", type: "string" },
    { name: "version", type: "string" },
    { name: "chainId", type: "uint256" },
    { name: "verifyingContract", type: "address" },
  ];
  const complete = { ...typedData, types: { EIP712Domain, ...typedData.types } };
  return JSON.stringify(complete, (_key, value: unknown) =>
    typeof value === "bigint" ? value.toString() : value,
  );
}
