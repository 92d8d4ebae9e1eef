/** Results of MCP tools: one object, as structured content and as text. */
import { type JsonObject, printableJson } from "@farthing/protocol";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { quoteText } from "../offer/read-challenge.ts";
import { PaymentError } from "../payment-error.ts";
import { UnansweredPaymentError, type PaymentSummary } from "../payment-summary.ts";

export function toolResult(words: JsonObject): CallToolResult {
  // Hosts print this text to terminals, so control characters are escaped.
  return { content: [{ type: "text", text: printableJson(words) }], structuredContent: words };
}

export function refuse(words: JsonObject): CallToolResult {
  return { ...toolResult(words), isError: true };
}

/** Reports an error; `payment_state` says where the money is. */
export function refuseError(error: unknown, more: JsonObject = {}): CallToolResult {
  if (error instanceof PaymentError) {
    const payment = error instanceof UnansweredPaymentError ? paymentFields(error.payment) : {};
    return refuse({ ...error.toJSON(), ...payment, ...more });
  }
  const isInput = error instanceof InvalidInputError;
  return refuse({
    error: isInput ? "invalid_input" : "network",
    // A certificate's names stand in the message of a failed connection, and a stranger chose them.
    message: quoteText(error instanceof Error ? deepMessage(error) : String(error)),
    retryable: !isInput,
    retry_action: isInput ? "abandon" : "wait_and_retry",
    // Other errors come before the signature, unless `more` says otherwise.
    payment_state: "unused",
    ...more,
  });
}

/** For our own failures, such as the ledger's disk, while a payment is out. */
export function unknownOutcome(requestId: string): JsonObject {
  return {
    error: "unknown_outcome",
    retryable: true,
    retry_action: "retry_same_payment",
    payment_state: "in_flight",
    requestId,
  };
}

/** Leaves the seller's own text out. */
export function paymentFields(payment: PaymentSummary): { readonly payment: JsonObject } {
  if (payment.state === "not_required") return { payment: { ...payment } };
  const { receipt: _, ...facts } = payment;
  return { payment: facts };
}

/** The arguments of a call are invalid; nothing was sent. */
export class InvalidInputError extends Error {
  override readonly name = "InvalidInputError";
}

/** fetch says "fetch failed" and hides the reason in its cause. */
function deepMessage(error: Error): string {
  const { cause } = error;
  return cause instanceof Error && cause.message !== "" ? cause.message : error.message;
}
