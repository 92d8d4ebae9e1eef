/**
 * What `farthing pay` writes. Standard output carries the response body and nothing else, or with
 * --json exactly one object; all that is said about the payment goes to standard error, as text on
 * a terminal and as one JSON object per line elsewhere.
 */
import {
  PaymentError,
  UnansweredPaymentError,
  type PaymentEvent,
  type PaymentSummary,
} from "@farthing/buyer";
import type { ExitCode } from "./exit-codes.ts";

/** Where the money stands. `not_sent` promises that nothing was signed. */
export type PaymentStatus = "not_required" | "not_sent" | "pending" | "settled" | "ambiguous";

/** A failure, in words for people and programs. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  readonly paymentStatus: PaymentStatus;
  readonly requestId?: string;
  readonly payment?: PaymentSummary;
  readonly exitCode: ExitCode;
}

/** What a run has seen of its payment when it ends. */
export interface Seen {
  isSigned: boolean;
  /** Present once there is an answer. */
  payment?: PaymentSummary;
}

/** Describes an error that ended the call. */
export function failureOf(
  error: unknown,
  exitCode: ExitCode,
  fallbackCode: string,
  seen: Seen,
): Failure {
  if (!(error instanceof PaymentError)) {
    const message = error instanceof Error ? deepMessage(error) : String(error);
    const { payment, isSigned } = seen;
    const paymentStatus: PaymentStatus = payment?.state ?? (isSigned ? "ambiguous" : "not_sent");
    const base = { code: fallbackCode, message, retryable: false, paymentStatus, exitCode };
    return payment === undefined ? base : { ...base, payment, requestId: payment.requestId };
  }
  const { code, message, retryable } = { ...error.problem, code: error.code };
  const base = { code, message, retryable, requestId: error.requestId, exitCode };
  if (error instanceof UnansweredPaymentError) {
    return { ...base, paymentStatus: error.payment.state, payment: error.payment };
  }
  const isUnused = error.problem.payment_state === "unused";
  return { ...base, paymentStatus: isUnused ? "not_sent" : "ambiguous" };
}

/** fetch says "fetch failed" and hides the reason in its cause. */
function deepMessage(error: Error): string {
  const { cause } = error;
  return cause instanceof Error && cause.message !== "" ? cause.message : error.message;
}

/** The line about a payment. */
export function paymentLine(payment: PaymentSummary, isTerminal: boolean): string {
  if (!isTerminal) return `${JSON.stringify({ event: "payment", ...paymentFields(payment) })}\n`;
  if (payment.state === "not_required") return "no payment was needed\n";
  const { amountUsdc, payTo, network, explorerUrl, problem, state } = payment;
  const link = explorerUrl === undefined ? "" : `\n  ${explorerUrl}`;
  const why = problem === undefined ? "" : `\n  ${problem.message}`;
  return `payment ${state}: ${amountUsdc} USDC to ${payTo} on ${network}${link}${why}\n`;
}

/** The line about something that stops nothing. */
export function warningLine(code: string, message: string, isTerminal: boolean): string {
  if (isTerminal) return `farthing: warning: ${message}\n`;
  return `${JSON.stringify({ event: "warning", code, message })}\n`;
}

/** Why a payment is not bound to its request, and what comes of it. */
export function unboundText({ url, resourceUrl }: Extract<PaymentEvent, { type: "unbound" }>) {
  const named = resourceUrl ?? "no address";
  return `the seller names ${named} for ${url}, so the payment is not bound to the request; the seller should set its public address`;
}

/** The line about a failure. */
export function failureLine(failure: Failure, isTerminal: boolean): string {
  if (isTerminal) {
    return `farthing: ${failure.message} (${failure.code}, payment ${failure.paymentStatus})\n`;
  }
  const { code, message, paymentStatus, retryable, requestId } = failure;
  return `${JSON.stringify({ event: "error", code, message, paymentStatus, retryable, requestId })}\n`;
}

function paymentFields(payment: PaymentSummary): Record<string, unknown> {
  if (payment.state === "not_required") {
    return { paymentStatus: payment.state, requestId: payment.requestId };
  }
  const { state, requestId, amount, amountUsdc, asset, network, payTo, transaction } = payment;
  return {
    paymentStatus: state,
    requestId,
    amount,
    amountUsdc,
    asset,
    network,
    payTo,
    transaction,
    explorerUrl: payment.explorerUrl,
    problem: payment.problem,
  };
}

/** The answer as the one object of --json. */
export function answerObject(
  response: Response,
  payment: PaymentSummary,
  body: Uint8Array | undefined,
  more: { readonly exitCode: ExitCode; readonly output?: string },
): Record<string, unknown> {
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    ...bodyFields(body),
    ...(more.output === undefined ? {} : { output: more.output }),
    paymentStatus: payment.state,
    requestId: payment.requestId,
    payment: payment.state === "not_required" ? null : payment,
    receipt: payment.state === "not_required" ? null : (payment.receipt ?? null),
    exitCode: more.exitCode,
  };
}

/** A failure as the one object of --json. */
export function failureObject(failure: Failure): Record<string, unknown> {
  const { code, message, retryable, payment, exitCode, paymentStatus, requestId } = failure;
  return {
    status: null,
    body: null,
    paymentStatus,
    requestId: requestId ?? null,
    payment: payment ?? null,
    receipt: null,
    error: { code, message, retryable },
    exitCode,
  };
}

function bodyFields(body: Uint8Array | undefined): Record<string, unknown> {
  if (body === undefined) return { body: null };
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    return { body: decoder.decode(body), bodyEncoding: "text" };
  } catch {
    return { body: Buffer.from(body).toString("base64"), bodyEncoding: "base64" };
  }
}
