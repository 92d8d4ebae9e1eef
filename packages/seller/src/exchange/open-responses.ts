/** Responses to a payment that opened nothing (yet). A challenge makes the buyer pay again. */
import {
  defined,
  headerNames,
  isLoopback,
  refusal,
  x402ReasonOf,
  type SettleResponse,
  type VerifyResponse,
} from "@farthing/protocol";
import { challenge, errorResponse, type ChallengeTerms } from "../responses.ts";
import type { AccountProblem, Fault } from "../facilitator.ts";
import type { Lease } from "../payment-records/rules/payment-records.ts";
import type { ExchangeResult, MatchedPayment } from "./paid-request.ts";
import type { Settled } from "./settle.ts";

/** One block, for a settlement under way. */
export const pendingRetrySeconds = 2;
/** For a facilitator that is down, and wherever nothing else is known. */
const faultRetrySeconds = 5;
/** For a seller who has to top up or renew a key: people are slower. */
const accountRetrySeconds = 60;

const unknown = "What became of the payment is not known yet.";
/** The result of a `/verify` without an evaluation. */
const unchecked = "The payment could not be checked yet. It was not taken.";
/** Nothing was sent to be settled. */
export const untouched = "The seller cannot take payments at the moment. Yours was not taken.";

/** Emits no event: nothing was decided. */
export function undecided(response: Response): ExchangeResult {
  return { response, outcome: { type: "undecided" } };
}

/** Asks for a payment, or for another one: the presented one moves no money. */
export function ask(
  terms: ChallengeTerms,
  why?: { readonly error: string; readonly message?: string },
): ExchangeResult {
  const outcome = { type: "challenged" as const, ...defined({ reason: why?.error }) };
  return { response: challenge(terms, why), outcome };
}

/** Leaves the outcome open: the buyer should repeat, and not sign again. */
export function later(
  error: "busy" | "settlement_pending" | "facilitator_unavailable" | "seller_account_problem",
  what: string,
  more: { readonly receipt?: SettleResponse; readonly retryAfterSeconds?: number } = {},
): Response {
  const message = `${what} Repeat the request with the same payment; do not sign a new one.`;
  const body = { error, message, retryable: true };
  return errorResponse(503, body, { retryAfterSeconds: faultRetrySeconds, ...more });
}

/** The same for a payment that was not sent to be settled, which buyers read in a header. */
export function laterUntaken(...args: Parameters<typeof later>): Response {
  const response = later(...args);
  response.headers.set(headerNames.paymentCharged, "no");
  return response;
}

/** What was bought opens nothing before its payment is final. */
export function notFinal(bought: "pass" | "balance"): Response {
  const message = `The payment of this ${bought} is not final yet. Repeat the request with the ${bought}.`;
  const body = { error: "settlement_pending", message, retryable: true } as const;
  return errorResponse(503, body, { retryAfterSeconds: pendingRetrySeconds });
}

/** The store failed: the outcome is open, and must not look like a failed payment. */
export function storeFailed(error: unknown): ExchangeResult {
  const response = later("busy", "The seller could not look up or record your payment.");
  return { response, outcome: { type: "broken", error } };
}

export function unpaidResult(matched: MatchedPayment, settled: Settled, pending?: SettleResponse) {
  const known = defined({ receipt: pending });
  if (settled.kind === "fault") return faultResult(settled, known);
  if (settled.kind === "account") return accountProblemResult(settled, known);
  const { receipt } = settled;
  if (settled.kind === "failed") return failedResult(matched, receipt);
  if (settled.kind === "confirmed") return alreadySettled(receipt);
  const more = { receipt, retryAfterSeconds: pendingRetrySeconds };
  const response = later("settlement_pending", "The transfer is under way.", more);
  return { response, outcome: { type: "pending" as const, receipt }, receipt };
}

function failedResult({ terms }: MatchedPayment, receipt: SettleResponse): ExchangeResult {
  const { errorReason, errorMessage } = receipt;
  if (errorReason === identifierConflict) return identifierTaken();
  // Most likely used by a transfer: a challenge could make the buyer pay twice.
  if (isNonceUsed(errorReason)) return alreadySettled(receipt);
  const why = { error: errorReason ?? "settlement_failed", ...defined({ message: errorMessage }) };
  return {
    response: challenge(terms, why, receipt),
    outcome: { type: "failed", receipt },
    receipt,
  };
}

export function faultResult(
  fault: Fault,
  known: { readonly receipt?: SettleResponse } = {},
): ExchangeResult {
  const { retryAfterSeconds } = fault;
  const more = { ...known, ...defined({ retryAfterSeconds }) };
  const response = later("facilitator_unavailable", `${failureOf(fault)} ${unknown}`, more);
  return { response, outcome: { type: "facilitator_fault", fault }, ...known };
}

/** The facilitator gave no verdict on the payment, so it was not settled either. */
export function uncheckedResult(fault: Fault): ExchangeResult {
  const { retryAfterSeconds } = fault;
  const what = `${failureOf(fault)} ${unchecked}`;
  const response = laterUntaken("facilitator_unavailable", what, defined({ retryAfterSeconds }));
  return { response, outcome: { type: "facilitator_fault", fault } };
}

/** Whose fault it is: the buyer can neither mend it nor find it in their payment. */
function failureOf({ reason, facilitator }: Fault): string {
  const who = `The seller's facilitator${facilitator === undefined ? "" : hostOf(facilitator)}`;
  const isSilent = reason === "unreachable" || reason === "timed_out";
  return isSilent ? `${who} does not answer.` : `${who} takes no payments at the moment.`;
}

/** Strangers learn no name of the seller's own network. */
function hostOf(name: string): string {
  if (!URL.canParse(name)) return "";
  const { protocol, hostname, host } = new URL(name);
  return protocol === "https:" || isLoopback(hostname) ? ` (${host})` : "";
}

/** The facilitator that has the payment is not configured any more: only it knows the outcome. */
export function facilitatorMissing({
  facilitator = "",
  receipt,
}: Pick<Lease, "facilitator" | "receipt">): ExchangeResult {
  const known = defined({ receipt });
  const response = later("facilitator_unavailable", unknown, {
    ...known,
    retryAfterSeconds: accountRetrySeconds,
  });
  return { response, outcome: { type: "facilitator_missing", facilitator }, ...known };
}

/** Tells the buyer nothing of the seller's credits or plan. */
export function accountProblemResult(problem: AccountProblem, known: { receipt?: SettleResponse }) {
  const more = { ...known, retryAfterSeconds: accountRetrySeconds };
  const response = known.receipt
    ? later("seller_account_problem", "The transfer is under way.", more)
    : laterUntaken("seller_account_problem", untouched, more);
  return { response, outcome: { type: "account_problem" as const, problem }, ...known };
}

/** Only the chain can verify these signatures, and too many of them came. */
export function tooManyWallets(): Response {
  return laterUntaken(
    "busy",
    "Too many payments of contract wallets came at once. Yours was not taken.",
  );
}

/** The response is not kept, or the repeat has no proof. */
export function alreadyDelivered(receipt: SettleResponse | undefined): Response {
  const message =
    "This payment has opened its one response, which is not kept any more, or belongs to the " +
    "request that was made first. A repeat shows that it is the same buyer by the token or salt " +
    "of the payment's extension request-binding, or by the same Authorization or Cookie.";
  const body = { error: "already_delivered", message, retryable: false } as const;
  return errorResponse(409, body, defined({ receipt }));
}

/** The seller has refunded the payment, or is about to. */
export function refunded(receipt: SettleResponse): Response {
  const message =
    "The seller refunds this payment, so it opens nothing any more. Sign a new one to buy again.";
  return errorResponse(409, { error: "payment_refunded", message, retryable: false }, { receipt });
}

/** The payment moved money for a request that is not known here. */
export function alreadySettled(receipt: SettleResponse): ExchangeResult {
  const message =
    "This payment was used before, and this server does not know for which request. " +
    "If you did not get your content, show the seller the receipt in this answer's headers.";
  return unserved(receipt, { error: "already_settled", message });
}

export const identifierConflict = "payment_identifier_conflict";

/** Another payment has the buyer's identifier. No challenge: it would make them pay a second time. */
export function identifierTaken(): ExchangeResult {
  const { message } = refusal(identifierConflict);
  const body = { error: identifierConflict, message, retryable: false } as const;
  return { response: errorResponse(409, body), outcome: { type: "conflict" } };
}

/** An earlier call without a response may still contradict a refusal. */
export function stillOpen(): ExchangeResult {
  return undecided(later("settlement_pending", unknown));
}

/** The outcome of a sent settlement can no longer be known. */
export function outcomeUnknown(receipt: SettleResponse): ExchangeResult {
  const message =
    "The facilitator does not take this payment any more, and does not tell whether it moved " +
    "money before. Look at your wallet before you sign another one.";
  return unserved(receipt, { error: "outcome_unknown", message });
}

/** Money moved, or may have, and nothing is served. The buyer gets the receipt. */
function unserved(
  receipt: SettleResponse,
  why: { readonly error: "already_settled" | "outcome_unknown"; readonly message: string },
): ExchangeResult {
  const response = errorResponse(409, { ...why, retryable: false }, { receipt });
  return { response, outcome: { type: "unserved", receipt }, receipt };
}

const nonceUsedReasons = new Set([
  "nonce_already_used",
  x402ReasonOf("nonce_already_used"),
  // Settled for another exchange.
  "already_settled",
]);
const expiredReasons = new Set([
  "authorization_expired",
  "authorization_expires_too_soon",
  x402ReasonOf("authorization_expired"),
]);

export function isNonceUsed(reason: string | undefined): boolean {
  return reason !== undefined && nonceUsedReasons.has(reason);
}

/** Whether the payer has canceled the authorization: nothing moved. */
export function isCanceled({ errorReason }: SettleResponse): boolean {
  return errorReason === "authorization_canceled";
}

/** Whether the authorization has ended: it may have been used before. */
export function isExpired(reason: string | undefined): boolean {
  return reason !== undefined && expiredReasons.has(reason);
}

export function whyInvalid({ invalidReason, invalidMessage }: VerifyResponse) {
  return { error: invalidReason ?? "payment_invalid", ...defined({ message: invalidMessage }) };
}
