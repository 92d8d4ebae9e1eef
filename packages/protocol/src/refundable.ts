/** What a payee signs to refund a payment, from the settlement as the facilitator shows it. */
import { isSameAddress, parseWireAddress, type Address } from "./address.ts";
import { parseUint256, type Authorization } from "./authorization.ts";
import { isBytes32, toLowerHex } from "./hex.ts";
import { isObject, member } from "./json.ts";
import { findNetwork, type Network } from "./networks.ts";
import { nextRefundOrdinal, refundNonce, type RefundedPayment } from "./refund.ts";
import { refusal, type Refusal } from "./refusals.ts";

export interface RefundablePayment extends RefundedPayment {
  readonly network: Network;
  readonly payTo: Address;
  /** USDC base units that no open or confirmed refund returns. */
  readonly rest: bigint;
  /** Of the next refund. */
  readonly ordinal: number;
  /** Only a final payment is refunded. */
  readonly isFinal: boolean;
}

/** Reads a settlement of the facilitator's API; undefined for any other value, and for a refund. */
export function parseRefundable(body: unknown): RefundablePayment | undefined {
  if (!isObject(body) || member(body, "refundOf") !== null) return undefined;
  const extra = member(body, "extra");
  // The account API has it at the top.
  const nonce = isObject(extra) ? member(extra, "nonce") : member(body, "nonce");
  const network = findNetwork(textOf(member(body, "network")));
  const payer = parseWireAddress(member(body, "payer"));
  const payTo = parseWireAddress(member(body, "payTo"));
  const amount = parseUint256(member(body, "amount"));
  const refunded = parseUint256(member(body, "refundedAmount"));
  const ordinal = ordinalAfter(member(body, "refunds"));
  if (!network || !payer || !payTo || !isBytes32(nonce)) return undefined;
  if (amount === undefined || refunded === undefined || refunded > amount) return undefined;
  if (ordinal === undefined) return undefined;
  return {
    network,
    chainId: network.chainId,
    asset: network.usdc,
    payer,
    nonce: toLowerHex(nonce),
    payTo,
    rest: amount - refunded,
    ordinal,
    isFinal: typeof member(body, "finalizedAt") === "string",
  };
}

function ordinalAfter(refunds: unknown): number | undefined {
  if (!Array.isArray(refunds)) return undefined;
  const known = refunds.map((refund: unknown) => {
    const ordinal = isObject(refund) ? member(refund, "ordinal") : undefined;
    const state = isObject(refund) ? member(refund, "state") : undefined;
    return { ordinal: Number(ordinal), state: textOf(state) };
  });
  return known.every((refund) => Number.isSafeInteger(refund.ordinal))
    ? nextRefundOrdinal(known)
    : undefined;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/**
 * Why the facilitator would refuse a refund by this signer, so that it is not signed; undefined when
 * nothing is known against it.
 */
export function refundProblem(
  { payTo, rest, isFinal }: RefundablePayment,
  amount: bigint,
  signer: Address,
): Refusal | undefined {
  if (!isSameAddress(signer, payTo)) {
    const message = `The payment went to ${payTo}, and the wallet is ${signer}; sign with the payee's wallet.`;
    return refusal("refund_mismatch", message);
  }
  if (!isFinal) return refusal("settlement_not_refundable");
  if (amount > 0n && amount <= rest) return undefined;
  const message = `${rest} base units of this payment are left; refund at most that.`;
  return refusal("refund_exceeds_payment", message);
}

/**
 * How long a refund can be used: longer than a queue lasts, and short enough that after a failure
 * another amount can soon be signed.
 */
const validSeconds = 600n;

/** The authorization of the next refund, signed at a time in milliseconds since 1970. */
export function refundAuthorization(
  payment: RefundablePayment,
  amount: bigint,
  nowMs: number,
): Authorization {
  return {
    from: payment.payTo,
    to: payment.payer,
    value: amount,
    validAfter: 0n,
    validBefore: BigInt(Math.floor(nowMs / 1000)) + validSeconds,
    nonce: refundNonce(payment, payment.ordinal),
  };
}
