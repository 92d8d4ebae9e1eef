/** Lines about a payment on standard error: text on a terminal, one JSON object per line elsewhere. */
import type { NoPayment, PaymentEvent, PaymentSummary } from "@farthing/buyer";
import { formatUsdc } from "@farthing/protocol";
import type { Waiting } from "./waiting.ts";

/** `not_sent` guarantees that nothing was signed. */
export type PaymentStatus = "not_required" | "not_sent" | "pending" | "settled" | "ambiguous";

/** The state of the payment when a run ends. */
export interface PaymentProgress {
  isSigned: boolean;
  /** What a person at the terminal sees meanwhile. */
  waiting?: Waiting;
  /** Present once there is a response. */
  payment?: PaymentSummary;
}

export function paymentLine(payment: PaymentSummary, isTerminal: boolean): string {
  if (!isTerminal) return `${JSON.stringify({ event: "payment", ...paymentFields(payment) })}\n`;
  if (payment.state === "not_required") {
    if (payment.balance) return `paid from a balance${moneyOf(payment.balance)}\n`;
    const { remaining } = payment.pass ?? {};
    const left = remaining === undefined ? "" : `, ${remaining} uses left`;
    return payment.pass ? `opened by a pass${left}\n` : "no payment required\n";
  }
  const { amountUsdc, payTo, network, explorerUrl, problem, state } = payment;
  const link = explorerUrl === undefined ? "" : `\n  ${explorerUrl}`;
  const why = problem === undefined ? "" : `\n  ${problem.message}`;
  return `payment ${state}: ${amountUsdc} USDC to ${payTo} on ${network}${link}${why}\n`;
}

function moneyOf({ cost, remaining }: NonNullable<NoPayment["balance"]>): string {
  const spent = cost === undefined ? "" : `, ${formatUsdc(BigInt(cost))} USDC`;
  return `${spent}, ${formatUsdc(BigInt(remaining))} USDC left`;
}

function paymentFields(payment: PaymentSummary): Record<string, unknown> {
  const { state: paymentStatus, requestId } = payment;
  if (payment.state === "not_required") {
    const { pass, balance } = payment;
    return { paymentStatus, requestId, pass, balance };
  }
  const { amount, amountUsdc, asset, network, payTo, transaction, explorerUrl, problem } = payment;
  const terms = { amount, amountUsdc, asset, network, payTo };
  return { paymentStatus, requestId, ...terms, transaction, explorerUrl, problem };
}

/** The warning about a payment that is not bound to its request. */
export function unboundWarning(
  { url, resourceUrl }: Extract<PaymentEvent, { type: "unbound" }>,
  isTerminal: boolean,
): string {
  const message = `the seller names ${resourceUrl ?? "no address"} for ${url}, so the payment is not bound to the request; the seller should set its public address`;
  if (isTerminal) return `farthing: warning: ${message}\n`;
  return `${JSON.stringify({ event: "warning", code: "unbound", message })}\n`;
}
