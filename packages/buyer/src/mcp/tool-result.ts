/** Results of MCP tools: one object, as structured content and as text. */
import { printableJson } from "@farthing/protocol";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { PaymentError } from "../payment-error.ts";
import { UnansweredPaymentError, type PaymentSummary } from "../payment-summary.ts";

/** An object of plain JSON. */
export type Words = Readonly<Record<string, unknown>>;

/** A successful result. */
export function toolResult(words: Words): CallToolResult {
  // Hosts print this text to terminals: a stranger's control characters in it are escaped.
  return { content: [{ type: "text", text: printableJson(words) }], structuredContent: words };
}

/** A result that reports an error. */
export function refuse(words: Words): CallToolResult {
  return { ...toolResult(words), isError: true };
}

/** An error in words; `payment_state` says where the money is. */
export function refuseError(error: unknown, more: Words = {}): CallToolResult {
  if (error instanceof PaymentError) {
    const payment = error instanceof UnansweredPaymentError ? paymentWords(error.payment) : {};
    return refuse({ ...error.toJSON(), ...payment, ...more });
  }
  const isInput = error instanceof InvalidInputError;
  return refuse({
    error: isInput ? "invalid_input" : "network",
    message: error instanceof Error ? deepMessage(error) : String(error),
    retryable: !isInput,
    retry_action: isInput ? "abandon" : "wait_and_retry",
    // Whatever else is thrown was thrown while nothing was signed, unless `more` says otherwise.
    payment_state: "unused",
    ...more,
  });
}

/** What is said when something of ours failed (the ledger's disk) while a payment was out. */
export function unknownOutcome(requestId: string): Words {
  return {
    error: "unknown_outcome",
    retryable: true,
    retry_action: "retry_same_payment",
    payment_state: "in_flight",
    requestId,
  };
}

/** A payment without the seller's own words. */
export function paymentWords(payment: PaymentSummary): { readonly payment: Words } {
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
