/** Returns money of settled payments: the seller signs as the payee, the facilitator relays it. */
import {
  authorizationTypedData,
  parseUsdc,
  refundAuthorization,
  refundProblem,
  statusOf,
  toWireAuthorization,
  type RefundablePayment,
} from "@farthing/protocol";
import type { Clock } from "./clock.ts";
import type { Price, RefundSigner } from "./configuration.ts";
import type { PaidRequest } from "./events.ts";
import type { AccountProblem, Facilitator, Fault, RefundCalls, WireRefund } from "./facilitator.ts";

export type RefundOutcome =
  /** `pending`: the facilitator has claimed it and repeats it by itself. */
  | {
      readonly kind: "refund";
      readonly status: "pending" | "confirmed";
      /** Of the refund's own settlement. */
      readonly id: string;
      /** "" while none is known. */
      readonly transaction: string;
      /** USDC base units. */
      readonly amount: string;
    }
  /** No money went back. The codes are those of the facilitator. */
  | { readonly kind: "refused"; readonly code: string; readonly message: string }
  | { readonly kind: "not_found" }
  | Fault
  | AccountProblem;

/**
 * Refunds a payment, or a part of it; all that is left when there is no amount. Each call is another
 * refund: repeat one only after reading the payment's `refunds`.
 */
export type Refund = (
  payment: string | Pick<PaidRequest, "settlementId">,
  amount?: Price,
) => Promise<RefundOutcome>;

/** Longest wait for the facilitator's responses, and for the outcome, which it holds. */
const callMs = 20_000;
const waitSeconds = 15;

/** Responses that are waited for; after that the refund is pending. */
const sendsMax = 4;

export function createRefund(deps: {
  readonly facilitator: Pick<Facilitator, "refunds">;
  readonly signer: RefundSigner | undefined;
  readonly clock: Clock;
}): Refund {
  const { facilitator, signer, clock } = deps;
  return async (paid, price) => {
    const settlementId = typeof paid === "string" ? paid : (paid.settlementId ?? "");
    const calls = facilitator.refunds;
    if (!calls) return refused("unsupported", "This facilitator client has no refunds.");
    if (!signer) return refused("no_signer", "Set refundSigner to the wallet of the payee.");
    const found = await calls.find(settlementId, { timeoutMs: callMs });
    if (found.kind !== "payment") return found;
    const { payment } = found;
    const amount = amountOf(price, payment);
    const problem = refundProblem(payment, amount, signer.address);
    if (problem) return refused(problem.code, problem.message);
    const authorization = refundAuthorization(payment, amount, clock.now());
    const signature = await signer.signTypedData(
      authorizationTypedData(payment.network, authorization),
    );
    const refund = { settlementId, authorization: toWireAuthorization(authorization), signature };
    return send(calls, refund);
  };
}

/** Repeats the same refund, which is one settlement, until it has an outcome. */
async function send(calls: RefundCalls, refund: WireRefund): Promise<RefundOutcome> {
  let outcome = await sendOnce(calls, refund);
  for (let sends = 1; sends < sendsMax && isOpen(outcome); sends++) {
    outcome = await sendOnce(calls, refund);
  }
  return outcome;
}

function isOpen(outcome: RefundOutcome): boolean {
  return outcome.kind === "refund" && outcome.status === "pending";
}

async function sendOnce(calls: RefundCalls, refund: WireRefund): Promise<RefundOutcome> {
  const reply = await calls.send(refund, { timeoutMs: callMs, waitSeconds });
  if (reply.kind !== "settlement") return reply;
  const { settlement } = reply;
  const { id = "", transaction, errorReason = "failed", errorMessage = "" } = settlement;
  const status = statusOf(settlement);
  if (status === "failed") return refused(errorReason, errorMessage);
  return { kind: "refund", status, id, transaction, amount: refund.authorization.value };
}

function amountOf(price: Price | undefined, { rest }: RefundablePayment): bigint {
  const amount = typeof price === "string" ? parseUsdc(price) : (price ?? rest);
  if (amount !== undefined && amount >= 0n) return amount;
  throw new TypeError("The amount is USDC as text, such as 0.01, or base units as a bigint.");
}

function refused(code: string, message: string): RefundOutcome {
  return { kind: "refused", code, message };
}
