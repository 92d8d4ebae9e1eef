/** What became of a request, in one word, for its log line and the metrics. */
import { readReceipt } from "@farthing/protocol";
import type { Notes } from "./observations.ts";

/**
 * - `free`: a route without a price, or an answer of the gateway's own
 * - `denied`: no rule, host or method for it, or a target that could be read in two ways
 * - `challenged`: nobody paid yet; `rejected`: what was presented will not do
 * - `paid`: content for a payment; `replayed`: the same once more
 * - `conflict`: the payment belongs to another request, or its answer is not kept any more
 * - `upstream_failed`: the upstream made no answer that is charged for, or none at all
 * - `settle_failed`: the settlement came to nothing; `pending`: its outcome is open
 * - `faulted`: the facilitator or the gateway itself failed
 */
export type Outcome =
  | "free"
  | "denied"
  | "challenged"
  | "rejected"
  | "paid"
  | "replayed"
  | "conflict"
  | "upstream_failed"
  | "settle_failed"
  | "pending"
  | "faulted";

/** Judges by what the exchange said, and without a word of it by the answer. */
export function outcomeOf(notes: Notes, answer: { readonly status: number }): Outcome {
  const last = notes.events.at(-1);
  if (notes.failure) return "upstream_failed";
  switch (last?.type) {
    case "delivered":
    case "settled":
      return "paid";
    case "repeated":
      return last.isKept ? "replayed" : "conflict";
    case "undelivered":
    case "uncharged":
      return "upstream_failed";
    case "challenged":
      return last.reason === undefined ? "challenged" : "rejected";
    case "failed":
      return "settle_failed";
    case "pending":
    case "conflict":
      return last.type;
    case "unserved":
      return "conflict";
    case "full":
    case "account_problem":
    case "facilitator_fault":
    case "broken":
      return "faulted";
    case undefined:
  }
  if (notes.kind === "own") return "free";
  if (notes.kind === "denied") return answer.status < 500 ? "denied" : "faulted";
  if (notes.kind === "free") return answer.status < 500 ? "free" : "upstream_failed";
  if (answer.status === 409) return "conflict";
  if (answer.status === 503) return "pending";
  return answer.status < 500 ? "rejected" : "faulted";
}

/** The facts of the payment behind an answer: public, and no signature among them. */
export function paymentOf(
  notes: Notes,
  answer: { readonly headers: Headers },
): Record<string, string> {
  const receipt = readReceipt(answer.headers);
  const event = notes.events.findLast((one) => "payment" in one);
  const payment = event && "payment" in event ? event.payment : undefined;
  const settlementId = receipt?.extra?.["settlementId"];
  return {
    ...fact("payer", payment?.payer ?? receipt?.payer),
    ...fact("amountUnits", payment?.amount),
    ...fact("transaction", receipt?.transaction),
    ...fact("settlementId", settlementId),
  };
}

function fact(name: string, value: unknown): Record<string, string> {
  return typeof value === "string" && value !== "" ? { [name]: value } : {};
}
