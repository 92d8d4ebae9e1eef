/** What `pay` says of a payment on standard error. With --json, standard output has it all. */
import type { NoPayment, PaymentEvent, PaymentSummary } from "@farthing/buyer";
import { formatUsdc } from "@farthing/protocol";
import type { Waiting } from "./waiting.ts";

/** The state of the payment when a run ends. */
export interface PaymentProgress {
  isSigned: boolean;
  /** What a person at the terminal sees meanwhile. */
  waiting?: Waiting;
  /** Present once there is a response. */
  payment?: PaymentSummary;
}

export function paymentText(payment: PaymentSummary): string {
  if (payment.state === "not_required") {
    if (payment.balance) return `paid from a balance${moneyOf(payment.balance)}\n`;
    const { remaining } = payment.pass ?? {};
    const left = remaining === undefined ? "" : `, ${remaining} uses left`;
    return payment.pass ? `opened by a pass${left}\n` : "no payment required\n";
  }
  const { amountUsdc, payTo, network, explorerUrl, transaction, problem, state, requestId } =
    payment;
  const more = [
    explorerUrl ?? (transaction && `transaction ${transaction}`),
    problem && `${problem.message}\n  request id: ${requestId}`,
  ];
  const lines = more.filter((one) => one !== undefined).map((one) => `\n  ${one}`);
  return `payment ${state}: ${amountUsdc} USDC to ${payTo} on ${network}${lines.join("")}\n`;
}

function moneyOf({ cost, remaining }: NonNullable<NoPayment["balance"]>): string {
  const spent = cost === undefined ? "" : `, ${formatUsdc(BigInt(cost))} USDC`;
  return `${spent}, ${formatUsdc(BigInt(remaining))} USDC left`;
}

/** What a person reads while the same payment is sent again. */
export function whyResent({
  state,
  status,
  reason,
}: Extract<PaymentEvent, { type: "resending" }>): string {
  if (state === "pending") return "Asking the seller again; the transfer is under way";
  if (status === undefined) return "Sending the payment again; the seller does not respond";
  const why = reason === undefined ? "" : `: ${reason}`;
  return `Sending the payment again after ${status}${why}`;
}

/** The warning about a payment that is not bound to its request. */
export function unboundWarning({
  url,
  resourceUrl,
}: Extract<PaymentEvent, { type: "unbound" }>): string {
  return `farthing: warning: the seller names ${resourceUrl ?? "no address"} for ${url}, so the payment is not bound to the request; the seller should set its public address\n`;
}
