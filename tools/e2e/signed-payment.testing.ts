/** A payment header signed by hand, for tests that send it when, where and as often as they like. */
import type { DevnetWallet } from "@farthing/devnet";
import {
  authorizationTypedData,
  decodeHeader,
  encodeHeader,
  headerNames,
  parseChallenge,
  toWireAuthorization,
  type Authorization,
} from "@farthing/protocol";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";

/** Asks for the challenge of an address and signs it, in the official version 2 shape. */
export async function signFor(
  { privateKey }: DevnetWallet,
  url: string,
  { init = {}, ...changes }: Partial<Authorization> & { readonly init?: RequestInit } = {},
): Promise<Record<string, string>> {
  const response = await fetch(url, init);
  await response.body?.cancel();
  const header = decodeHeader(response.headers.get(headerNames.paymentRequired) ?? "")?.value;
  const parsed = parseChallenge(header);
  const [entry] = parsed.ok ? parsed.value.entries : [];
  if (!parsed.ok || !entry) throw new Error(`No challenge, but ${response.status}.`);
  const { requirements, raw: accepted } = entry;
  const account = privateKeyToAccount(privateKey);
  const authorization: Authorization = {
    from: account.address,
    to: requirements.payTo,
    value: requirements.amount,
    validAfter: 0n,
    validBefore: BigInt(Math.floor(Date.now() / 1000) + requirements.maxTimeoutSeconds),
    // Random, and of the right length.
    nonce: generatePrivateKey(),
    ...changes,
  };
  const data = authorizationTypedData(requirements.network, authorization);
  const signature = await account.signTypedData(data);
  const payload = { signature, authorization: toWireAuthorization(authorization) };
  const payment = { x402Version: 2, payload, resource: parsed.value.resource, accepted };
  return { [headerNames.paymentSignature]: encodeHeader(payment) };
}
