/** Nonces derived from a secret and a request, so that a repeat after a crash has the same ones. */
import type { Address, Hex, Requirements } from "@farthing/protocol";
import * as Hash from "ox/Hash";
import type { NoncePurpose } from "./sign-payment.ts";

export interface DerivedFrom {
  readonly requestId: string;
  /** Each attempt has bytes of its own. */
  readonly attempt: number;
  /** Of method, URL and body. */
  readonly fingerprint: string;
  readonly wallet: Address;
  readonly requirements: Requirements;
}

export function deriveNonce(
  secret: Uint8Array,
  { requestId, attempt, fingerprint, wallet, requirements }: DerivedFrom,
): (purpose: NoncePurpose) => Hex {
  const { network, payTo, amount } = requirements;
  const base = [requestId, attempt, fingerprint, wallet, network.id];
  // A salt includes the request, so that two sellers with the same id do not learn each other's
  // salt. It excludes the price: if that changes between a crash and the repeat, both stay one
  // payment.
  const parts = { nonce: [...base, payTo, `${amount}`], salt: ["request-binding", ...base] };
  return (purpose) => {
    const text = new TextEncoder().encode(JSON.stringify(parts[purpose]));
    return Hash.hmac256(secret, text, { as: "Hex" });
  };
}
