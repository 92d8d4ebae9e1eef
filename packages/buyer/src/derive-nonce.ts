/** Nonces that follow from a secret and a request, so that a repeat after a crash has them again. */
import type { Address, Hex, Requirements } from "@farthing/protocol";
import * as Hash from "ox/Hash";
import type { NoncePurpose } from "./sign-payment.ts";

/** What the bytes follow from. */
export interface DerivedFrom {
  readonly requestId: string;
  /** How often the request was released before: each attempt has bytes of its own. */
  readonly attempt: number;
  /** Of method, URL and body. */
  readonly fingerprint: string;
  readonly wallet: Address;
  readonly requirements: Requirements;
}

/** HMAC-SHA256 of the secret over the request and the attempt. */
export function deriveNonce(
  secret: Uint8Array,
  { requestId, attempt, fingerprint, wallet, requirements }: DerivedFrom,
): (purpose: NoncePurpose) => Hex {
  const { network, payTo, amount } = requirements;
  const base = [requestId, attempt, fingerprint, wallet, network.id];
  // The request is in a salt too: one id used at two sellers tells neither the other's salt. The
  // price is not: were it to change between a crash and the repeat, both would be one payment.
  const parts = { nonce: [...base, payTo, `${amount}`], salt: ["request-binding", ...base] };
  return (purpose) => {
    const text = new TextEncoder().encode(JSON.stringify(parts[purpose]));
    return Hash.hmac256(secret, text, { as: "Hex" });
  };
}
