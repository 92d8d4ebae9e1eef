/** What `pay` says of a payment on standard error. With --json, standard output has it all. */
import {
  readGiven,
  readUse,
  type ChannelPayment,
  type NoPayment,
  type PaymentEvent,
  type PaymentSummary,
  type SentPayment,
} from "@farthing/buyer";
import { printableLine, shortUsdc } from "@farthing/protocol";
import type { Waiting } from "./waiting.ts";

/** The state of the payment when a run ends. */
export interface PaymentProgress {
  isSigned: boolean;
  /** What a person at the terminal sees meanwhile. */
  waiting?: Waiting;
  /** Present once there is a response. */
  payment?: PaymentSummary;
}

/** The response, as far as it matters for what is said of the payment. */
export type Status = Pick<Response, "status" | "statusText" | "headers">;

export function paymentText(payment: PaymentSummary, response: Status): string {
  const { status, statusText } = response;
  if (payment.state === "not_required") {
    if (payment.balance) return `paid from a balance${moneyOf(payment.balance)}\n`;
    if (payment.pass) return `opened by a pass${usesOf(payment.pass)}\n`;
    const failed = status >= 400 ? `${printableLine(`${status} ${statusText}`.trim())}, ` : "";
    return `${failed}no payment required\n`;
  }
  if ("channelId" in payment) return channelText(payment);
  const { amount, payTo, network, explorerUrl, transaction, problem } = payment;
  const state = problem?.error === "not_charged" ? "not taken, says the seller" : payment.state;
  const price = `${shortUsdc(BigInt(amount))} USDC`;
  const more = [explorerUrl ?? (transaction && `transaction ${transaction}`), problem?.message];
  const lines = more.filter((one) => one !== undefined).map((one) => `  ${one}\n`);
  const steps = problem === undefined ? "" : nextSteps(payment);
  return `payment ${state}: ${price} to ${payTo} on ${network}\n${lines.join("")}${givenText(response)}${steps}`;
}

/** What the payment has bought for later requests; the ledger keeps it. */
function givenText(response: Status): string {
  const { pass, balance } = readGiven(response);
  const use = readUse(response);
  if (pass) {
    const until = new Date(pass.expiresAtMs).toISOString();
    return `  it bought a pass${usesOf(use.pass)}, until ${until}: the next calls need no payment\n`;
  }
  if (!balance || !use.balance) return "";
  const { cost, remaining } = use.balance;
  const spent = cost === undefined ? "" : `this call cost ${shortUsdc(BigInt(cost))} USDC, `;
  const left = shortUsdc(BigInt(remaining));
  return `  it topped up a balance: ${spent}${left} USDC left for the next calls\n`;
}

function usesOf({ remaining }: NonNullable<NoPayment["pass"]> = {}): string {
  return remaining === undefined ? "" : `, ${remaining} ${remaining === 1 ? "use" : "uses"} left`;
}

function channelText(payment: ChannelPayment): string {
  const { amount, payTo, network, deposit, problem, channelId, chargedTotal, balance } = payment;
  const left = BigInt(balance) - BigInt(chargedTotal);
  const facts = [
    deposit && `deposited ${shortUsdc(BigInt(deposit))} USDC`,
    `channel ${channelId}, ${shortUsdc(left > 0n ? left : 0n)} USDC left`,
    payment.explorerUrl ?? (payment.transaction && `transaction ${payment.transaction}`),
    problem?.message,
  ];
  const lines = facts.filter((one) => one !== undefined).map((one) => `  ${one}\n`);
  const price = `${shortUsdc(BigInt(amount))} USDC`;
  return `call ${payment.state}: ${price} to ${payTo} on ${network}\n${lines.join("")}`;
}

/** Which payment it is, and how its owner gets its response or its outcome without a second one. */
export function nextSteps({
  requestId,
  state,
  authorizationExpiresAt,
}: Pick<SentPayment, "requestId" | "state" | "authorizationExpiresAt">): string {
  const secondsLeft = Math.ceil((Date.parse(authorizationExpiresAt) - Date.now()) / 1000);
  const resume = `farthing ledger resume ${requestId}`;
  const step =
    state === "settled"
      ? `for the response again, while the seller keeps it: ${resume}`
      : secondsLeft > 0
        ? `to send the same payment again, within ${secondsLeft} s: ${resume}`
        : `to learn the outcome: farthing ledger reconcile ${requestId}`;
  return `  request id: ${requestId}\n  ${step}\n`;
}

function moneyOf({ cost, remaining }: NonNullable<NoPayment["balance"]>): string {
  const spent = cost === undefined ? "" : `, ${shortUsdc(BigInt(cost))} USDC`;
  return `${spent}, ${shortUsdc(BigInt(remaining))} USDC left`;
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
