/** Rules 6 and 7: turns the token's first failing check into a refusal with advice. */
import {
  accept,
  isSameAddress,
  refuse,
  type Address,
  type Outcome,
  type Payment,
} from "@farthing/protocol";
import type { Chain } from "../chain/endpoints/chain.ts";
import type { PaymentReading } from "../chain/payments/payment-reading.ts";
import { isBlacklisted, readDelegate } from "../chain/reads/reads.ts";
import { revertMessage, revertText, tokenRefusalOf } from "../chain/contracts/usdc.ts";
import { isAcceptedByWallet } from "./contract-signature.ts";
import type { SignatureReading } from "./signature.ts";

/** `payment.signature` holds the bytes that were simulated. */
export interface SimulatedPayment {
  readonly chain: Chain;
  readonly payment: Payment;
  readonly signature: SignatureReading;
  readonly reading: PaymentReading;
}

export async function evaluateReading(simulated: SimulatedPayment): Promise<Outcome<undefined>> {
  const { chain, payment, signature, reading } = simulated;
  if (reading.isTransferable) return accept(undefined);
  const text = revertText(reading.revertData);
  const refusal = tokenRefusalOf(text);
  if (beforeUse.has(refusal) && (await isUsedAsSigned(simulated))) {
    return refuse("nonce_already_used");
  }
  switch (refusal) {
    case "authorization_not_yet_valid":
      // Our clock has passed validAfter, the latest block has not. The transfer goes into a later
      // block, so evaluate the checks that the token did not reach.
      return evaluateUnreached(simulated);
    case "authorization_expired":
      return refuse(refusal, "The authorization expires before the next block; sign a new one.");
    case "nonce_already_used":
      return refuse(refusal);
    case "insufficient_funds":
      return insufficientFunds(payment, reading);
    case "invalid_signature":
      return badSignature(chain, payment, signature, reading);
    case "blocked":
      return refuseBlocked(chain, payment);
    case "simulation_failed":
      return unknownRefusal(chain, payment, reading, text);
    default:
      return refuse(refusal);
  }
}

/** What the token looks at before the use of an authorization. */
const beforeUse: ReadonlySet<ReturnType<typeof tokenRefusalOf>> = new Set([
  "token_paused",
  "blocked",
  "authorization_expired",
]);

/** Whether the payment may have moved money, which must be told before what stands in its way now. */
export async function isUsedAsSigned(simulated: SimulatedPayment): Promise<boolean> {
  return simulated.reading.isUsed && (await isSigned(simulated));
}

async function isSigned(simulated: SimulatedPayment): Promise<boolean> {
  const { chain, payment, signature, reading } = simulated;
  return reading.payerHasCode
    ? isAcceptedByWallet(chain, payment.authorization, payment.signature)
    : signature.kind === "payer";
}

async function evaluateUnreached(simulated: SimulatedPayment): Promise<Outcome<undefined>> {
  const { chain, payment, signature, reading } = simulated;
  if (reading.isUsed) return refuse("nonce_already_used");
  if (!(await isSigned(simulated))) return badSignature(chain, payment, signature, reading);
  return reading.balance < payment.authorization.value
    ? insufficientFunds(payment, reading)
    : accept(undefined);
}

function insufficientFunds(payment: Payment, reading: PaymentReading) {
  return refuse(
    "insufficient_funds",
    `${payment.authorization.from} holds ${reading.balance} base units of USDC, ${payment.authorization.value} are required; add funds or pay from another address.`,
  );
}

export async function badSignature(
  chain: Chain,
  { authorization: { from } }: Pick<Payment, "authorization">,
  signature: SignatureReading,
  reading: Pick<PaymentReading, "payerHasCode">,
): Promise<Outcome<never>> {
  if (reading.payerHasCode) {
    if (signature.kind === "wrapped" && signature.inner === undefined) {
      return refuse(
        "invalid_signature",
        "The signature ends as a wrapped one (ERC-6492) does, and the wrapping is malformed; the wallet is deployed, so send its signature without it.",
      );
    }
    const delegate = await delegateOf(chain, from);
    if (delegate !== undefined) {
      const asked =
        signature.kind === "payer"
          ? "The key of authorization.from has signed it, but the token asks the code first"
          : "The token asks the code first";
      return refuse(
        "invalid_signature",
        `The payer has code: a delegation to ${delegate} (EIP-7702), which does not accept this signature (ERC-1271). ${asked}; sign as that wallet expects, end the delegation, or pay from another address.`,
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

async function refuseBlocked(chain: Chain, payment: Payment): Promise<Outcome<undefined>> {
  const { from, to } = payment.authorization;
  if (isSameAddress(to, chain.network.usdc)) return refuse("payee_blocked");
  const isPayer = await isBlacklisted(chain, from);
  return refuse(isPayer ? "payer_blocked" : "payee_blocked");
}

async function unknownRefusal(
  chain: Chain,
  payment: Payment,
  reading: PaymentReading,
  text: string,
): Promise<Outcome<undefined>> {
  if (reading.isUsed) return refuse("nonce_already_used");
  // Some nodes return reverts without text; the balance still shows the reason.
  if (reading.balance < payment.authorization.value) return insufficientFunds(payment, reading);
  if (reading.payerHasCode && reading.revertData === "0x") {
    const { from } = payment.authorization;
    const delegate = await delegateOf(chain, from);
    if (delegate !== undefined) {
      return refuse(
        "simulation_failed",
        `The payer ${from} has code: a delegation to ${delegate} (EIP-7702), which needs more gas than a payment may use; end the delegation, or pay from another address.`,
      );
    }
    return refuse(
      "simulation_failed",
      `The contract wallet ${payment.authorization.from} needs more gas than a payment may use; simplify its signature check.`,
    );
  }
  return refuse("simulation_failed", revertMessage(text));
}

/**
 * The text names the delegation where it can be read; the refusal is the same without it. There is no way
 * round the delegate for a key: both of the token's functions ask the code of an account that has some.
 */
function delegateOf(chain: Chain, payer: Address): Promise<Address | undefined> {
  return readDelegate(chain, payer).catch(() => undefined);
}
