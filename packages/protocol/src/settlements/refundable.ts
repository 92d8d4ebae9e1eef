/** What a payee signs to refund a payment, from the settlement as the facilitator shows it. */
import { isSameAddress, parseWireAddress, type Address } from "../networks/address.ts";
import { parseUint256, type Authorization } from "../signatures/authorization.ts";
import { isBytes32, toLowerHex } from "../encoding/hex.ts";
import { isObject, member } from "../encoding/json.ts";
import { saleKinds, type SaleKind } from "./books.ts";
import { findNetwork, type Network } from "../networks/networks.ts";
import { maxRefunds, nextRefundOrdinal, refundNonce, type RefundedPayment } from "./refund.ts";
import { refusal, type Refusal } from "../errors/refusals.ts";

export interface RefundablePayment extends RefundedPayment {
  readonly network: Network;
  readonly payTo: Address;
  /** USDC base units that no open or confirmed refund returns. */
  readonly rest: bigint;
  /** USDC base units that a refund has at least, unless it returns all that is left. */
  readonly minAmount: bigint;
  /** Of the next refund. */
  readonly ordinal: number;
  /** Those that are open or confirmed. */
  readonly refunds: readonly KnownRefund[];
  /** What the payment has opened, where its seller has stated it. */
  readonly opens: SaleKind | undefined;
  /** Only a final payment is refunded. */
  readonly isFinal: boolean;
}

/** A refund that is open or confirmed. */
export interface KnownRefund {
  readonly ordinal: number;
  /** Of its own settlement. */
  readonly id: string;
  readonly state: string;
  /** USDC base units as decimal digits. */
  readonly amount: string;
  /** "" while none is known. */
  readonly transaction: string;
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
  const refunds = refundsIn(member(body, "refunds"));
  if (!network || !payer || !payTo || !isBytes32(nonce)) return undefined;
  if (amount === undefined || refunded === undefined || refunded > amount) return undefined;
  if (refunds === undefined) return undefined;
  return {
    network,
    chainId: network.chainId,
    asset: network.usdc,
    payer,
    nonce: toLowerHex(nonce),
    payTo,
    rest: amount - refunded,
    // Facilitators of earlier versions do not tell.
    minAmount: parseUint256(member(body, "minRefundAmount")) ?? 0n,
    ordinal: nextRefundOrdinal(refunds),
    refunds: refunds.filter(({ state }) => state !== "failed"),
    opens: saleKinds.find((kind) => kind === member(body, "opens")),
    isFinal: typeof member(body, "finalizedAt") === "string",
  };
}

function refundsIn(refunds: unknown): KnownRefund[] | undefined {
  if (!Array.isArray(refunds)) return undefined;
  const known = refunds.map((refund: unknown) => {
    const text = (name: string) => (isObject(refund) ? textOf(member(refund, name)) : "");
    const ordinal = isObject(refund) ? Number(member(refund, "ordinal")) : NaN;
    const facts = { id: text("id"), state: text("state"), amount: text("amount") };
    return { ordinal, ...facts, transaction: text("transaction") };
  });
  return known.every(({ ordinal }) => Number.isSafeInteger(ordinal)) ? known : undefined;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/**
 * Why the facilitator would refuse a refund by this signer, so that it is not signed; undefined when
 * nothing is known against it.
 */
export function refundProblem(
  { payTo, rest, minAmount, ordinal, isFinal }: RefundablePayment,
  amount: bigint,
  signer: Address,
): Refusal | undefined {
  if (!isSameAddress(signer, payTo)) {
    const message = `The payment went to ${payTo}, and the wallet is ${signer}; sign with the payee's wallet.`;
    return refusal("refund_mismatch", message);
  }
  if (!isFinal) return refusal("settlement_not_refundable");
  if (amount <= 0n || amount > rest) {
    const message = `${rest} base units of this payment are left; refund at most that.`;
    return refusal("refund_exceeds_payment", message);
  }
  if (ordinal >= maxRefunds) return refusal("refund_limit_reached");
  if (amount >= minAmount || amount === rest) return undefined;
  const message = `A refund has at least ${minAmount} base units, or all ${rest} that are left; refund that.`;
  return refusal("amount_below_minimum", message);
}

/** Why tools without the seller's store sign no refund of a payment; undefined where they may. */
export function saleProblem({ opens }: RefundablePayment): Refusal | undefined {
  if (opens === undefined) return undefined;
  const message = `This payment has opened a ${opens}, which a refund from here would leave open. Refund it with seller.refund in the shop's own code.`;
  return refusal("settlement_not_refundable", message);
}

/**
 * How long a refund can be used: longer than a queue lasts, and short enough that after a failure
 * another amount can soon be signed.
 */
const validSeconds = 600n;

/** When a refund that is signed now ends, in Unix seconds. */
export function refundEnd(nowMs: number): bigint {
  return BigInt(Math.floor(nowMs / 1000)) + validSeconds;
}

/** The authorization of the next refund; `validBefore` in Unix seconds, see {@link refundEnd}. */
export function refundAuthorization(
  payment: RefundablePayment,
  amount: bigint,
  validBefore: bigint,
): Authorization {
  return {
    from: payment.payTo,
    to: payment.payer,
    value: amount,
    validAfter: 0n,
    validBefore,
    nonce: refundNonce(payment, payment.ordinal),
  };
}
