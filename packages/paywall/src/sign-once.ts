/** The one signature: reserved before it is asked for, kept before it leaves. */
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

/** What is signed, by whom, for which request. */
export interface Order {
  readonly request: ReplayableRequest;
  readonly kept: KeptPayment;
  readonly payer: Connected;
  readonly payable: Payable;
  readonly signal: AbortSignal;
}

/** Has the wallet sign; rejects when it does not, and then nothing is kept. */
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
    const how = { offer, requirements, request, requestId, url };
    const signed = await signPayment(signerOf(payer, signal), systemRuntime, how);
    return await kept.move(requestId, { state: "signed", signed });
  } catch (error) {
    // A signature that comes after all is dropped: it has not left, and cannot be used.
    await kept.move(requestId, { state: "released" });
    throw error;
  }
}

/** The wallet as one who signs. */
export function signerOf({ wallet, address }: Connected, signal: AbortSignal) {
  return {
    address,
    async signTypedData(typedData: ReturnType<typeof authorizationTypedData>) {
      const params = [address, toWalletJson(typedData)];
      const signature = await ask(wallet.provider, "eth_signTypedData_v4", params, signal);
      // Contract wallets give more than 65 bytes, and the token takes them as they are.
      if (isHexBytes(signature, signatureBytesMax)) return signature;
      throw new Error("Your wallet returned an invalid signature. Try again.");
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
