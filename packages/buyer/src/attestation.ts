/**
 * Verifies a facilitator's attestation that money moved, without a request: with the keys that the
 * facilitator publishes at `/.well-known/jwks.json`. It shows no delivery, and opens nothing.
 */
import {
  member,
  parseSettlementAttestation,
  settlementAttestationType,
  type SettlementAttestation,
} from "@farthing/protocol";
import { parseJws, whyNotSigned } from "./jws.ts";

export type VerifiedAttestation =
  | { readonly ok: true; readonly attestation: SettlementAttestation }
  | { readonly ok: false; readonly reason: string };

/**
 * Checks the signature by the key of `keySet` (RFC 7517) that the attestation names. Trust in the
 * statement is trust in who published the keys, so take them from a facilitator that you know.
 */
export function verifyAttestation(jws: unknown, keySet: unknown): VerifiedAttestation {
  const read = parseJws(jws);
  if (!read || member(read.header, "typ") !== settlementAttestationType) {
    return refused(notAnAttestation);
  }
  if (member(read.header, "alg") !== "EdDSA") return refused("it is not signed with EdDSA");
  const problem = whyNotSigned(read, keySet);
  if (problem !== undefined) return refused(problem);
  const attestation = parseSettlementAttestation(read.payload);
  return attestation ? { ok: true, attestation } : refused(notAnAttestation);
}

const notAnAttestation = "it is not an attestation of a settlement";

function refused(reason: string): VerifiedAttestation {
  return { ok: false, reason };
}
