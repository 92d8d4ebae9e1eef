/**
 * Rule 1 for a payment that has a settlement. The authorization is public once it is on the chain,
 * so only a caller who has its signature is told what became of it.
 */
import { accept, type Outcome, type Payment } from "@farthing/protocol";
import type { Chain } from "../chain/endpoints/chain.ts";
import { hasCode } from "../chain/reads/reads.ts";
import type { Settlement } from "../model/settlement.ts";
import { hashOfSignature } from "../model/signature-hash.ts";
import { badSignature } from "./chain-state.ts";
import { isAcceptedByWallet } from "./contract-signature.ts";
import { readSignature, tokenBytes, type SignatureReading } from "./signature.ts";

/** Accepts the signature that was verified for the claim; verifies another anew. Throws RPC faults. */
export async function checkRepeatedSignature(
  chain: Chain,
  payment: Payment,
  { signatureHash }: Pick<Settlement, "signatureHash">,
  reading: SignatureReading = readSignature(payment),
): Promise<Outcome<undefined>> {
  const { authorization, signature } = payment;
  if (reading.kind === "payer") return accept(undefined);
  const bytes = tokenBytes(reading, signature);
  const hashes = [signature, bytes].map(hashOfSignature);
  if (signatureHash !== null && hashes.includes(signatureHash)) return accept(undefined);
  const payerHasCode = await hasCode(chain, authorization.from);
  if (payerHasCode && (await isAcceptedByWallet(chain, authorization, bytes))) {
    return accept(undefined);
  }
  return badSignature(chain, payment, reading, { payerHasCode });
}
