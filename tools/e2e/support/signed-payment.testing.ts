/** A payment header signed by hand, for tests that send it when, where and as often as they like. */
import type { DevnetWallet } from "@farthing/devnet";
import type { Authorization } from "@farthing/protocol";
import { payFor, type PaymentHeader } from "@farthing/seller/testing/buyer";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";

/** Asks for the challenge of an address and signs it, in the official version 2 shape. */
export function signFor(
  { privateKey }: DevnetWallet,
  url: string,
  { init = {}, ...changes }: Partial<Authorization> & { readonly init?: RequestInit } = {},
): Promise<PaymentHeader> {
  return payFor(url, init, {
    account: privateKeyToAccount(privateKey),
    // Random, and of the right length.
    authorization: { nonce: generatePrivateKey(), ...changes },
  });
}
