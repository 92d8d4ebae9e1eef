/**
 * Rules 6 and 7 and the rest that only the chain knows: what the token would say to the transfer,
 * turned into a refusal with a sentence that says what to change. The token's first failing check
 * names the reason, so verdict and chain agree.
 */
import { accept, isSameAddress, refuse, type Outcome, type Payment } from "@farthing/protocol";
import type { Chain } from "../chain/chain.ts";
import type { PaymentReading } from "../chain/payment-reading.ts";
import { isBlacklisted } from "../chain/reads.ts";
import { revertText, tokenRefusalOf } from "../chain/usdc.ts";
import { isAcceptedByWallet } from "./contract-signature.ts";
import type { SignatureReading } from "./signature.ts";

/** Judges a payment by what the chain said about it; its signature is the bytes that were simulated. */
export async function judgeReading(
  chain: Chain,
  payment: Payment,
  signature: SignatureReading,
  reading: PaymentReading,
): Promise<Outcome<undefined>> {
  if (reading.isTransferable) return accept(undefined);
  const text = revertText(reading.revertData);
  const refusal = tokenRefusalOf(text);
  switch (refusal) {
    case "authorization_not_yet_valid":
      // Our clock has passed validAfter, the latest block has not yet: the transfer goes into a
      // later block, so judge what the token did not get to.
      return judgeUnreached(chain, payment, signature, reading);
    case "authorization_expired":
      if (await isUsedAsSigned(chain, payment, signature, reading))
        return refuse("nonce_already_used");
      return refuse(refusal, "The authorization expires before the next block; sign a new one.");
    case "nonce_already_used":
      return refuse(refusal);
    case "insufficient_funds":
      return tooLittle(payment, reading);
    case "invalid_signature":
      return badSignature(signature, reading);
    case "blocked":
      return whoIsBlocked(chain, payment);
    case "simulation_failed":
      return unknownRefusal(payment, reading, text);
    default:
      return refuse(refusal);
  }
}

/**
 * Whether an authorization is used that this payment really holds: the token says that it expired
 * before it says that it is used, and what has moved money is to be told in any case.
 */
export async function isUsedAsSigned(
  chain: Chain,
  payment: Payment,
  signature: SignatureReading,
  reading: PaymentReading,
): Promise<boolean> {
  return reading.isUsed && (await isSigned(chain, payment, signature, reading));
}

async function isSigned(
  chain: Chain,
  payment: Payment,
  signature: SignatureReading,
  reading: PaymentReading,
): Promise<boolean> {
  return reading.payerHasCode
    ? isAcceptedByWallet(chain, payment.authorization, payment.signature)
    : signature.kind === "payer";
}

async function judgeUnreached(
  chain: Chain,
  payment: Payment,
  signature: SignatureReading,
  reading: PaymentReading,
): Promise<Outcome<undefined>> {
  if (reading.isUsed) return refuse("nonce_already_used");
  const isRight = await isSigned(chain, payment, signature, reading);
  if (!isRight) return badSignature(signature, reading);
  return reading.balance < payment.authorization.value
    ? tooLittle(payment, reading)
    : accept(undefined);
}

function tooLittle(payment: Payment, reading: PaymentReading) {
  return refuse(
    "insufficient_funds",
    `${payment.authorization.from} holds ${reading.balance} base units of USDC, ${payment.authorization.value} are required; add funds or pay from another address.`,
  );
}

function badSignature(signature: SignatureReading, reading: PaymentReading) {
  if (reading.payerHasCode) {
    if (signature.kind === "wrapped" && signature.inner === undefined) {
      return refuse(
        "invalid_signature",
        "The signature ends as a wrapped one (ERC-6492) does, and the wrapping is malformed; the wallet is deployed, so send its signature without it.",
      );
    }
    return refuse(
      "invalid_signature",
      "The payer is a contract wallet and does not accept this signature (ERC-1271); sign with its owner.",
    );
  }
  return signature.kind === "high_s"
    ? refuse(
        "invalid_signature",
        "The signature has a high s value; sign again with low s (EIP-2).",
      )
    : refuse("invalid_signature", wrongKey);
}

const wrongKey =
  "The signature does not recover to authorization.from; sign the EIP-712 domain name USDC, version 2, with this chain id and token.";

async function whoIsBlocked(chain: Chain, payment: Payment): Promise<Outcome<undefined>> {
  const { from, to } = payment.authorization;
  if (isSameAddress(to, chain.network.usdc)) return refuse("payee_blocked");
  const isPayer = await isBlacklisted(chain, from);
  return refuse(isPayer ? "payer_blocked" : "payee_blocked");
}

function unknownRefusal(payment: Payment, reading: PaymentReading, text: string) {
  if (reading.isUsed) return refuse("nonce_already_used");
  // A node that gives reverts without their text still says what the payer holds.
  if (reading.balance < payment.authorization.value) return tooLittle(payment, reading);
  if (reading.payerHasCode && reading.revertData === "0x") {
    return refuse(
      "simulation_failed",
      `The contract wallet ${payment.authorization.from} needs more gas than a payment may use; simplify its signature check.`,
    );
  }
  return refuse(
    "simulation_failed",
    text === "" ? undefined : `The transfer would fail on chain: ${text.slice(0, 120)}.`,
  );
}
