/** What an answer to `/settle` claims, and whether the chain agrees. */
import { parseSettleResponse, statusOf, type Hex } from "@farthing/protocol";
import { findTransfer, type Chain } from "../chain/chain-facts.ts";
import type { SignedPayment } from "../chain/payments.ts";
import { describeAnswer, type HttpAnswer } from "../run/http-answer.ts";

/** A claim about a payment. */
export interface SettleClaim {
  /** `unknown`: no answer, or one that leaves open whether money moved. */
  readonly outcome: "settled" | "refused" | "pending" | "unknown";
  readonly transaction: string;
  readonly reason: string;
}

/** Reads an answer. */
export function readSettle({ status, body }: HttpAnswer): SettleClaim {
  const response = parseSettleResponse(body);
  if (status === undefined || !response) return { outcome: "unknown", transaction: "", reason: "" };
  const { transaction, errorReason: reason = "" } = response;
  const claimed = statusOf(response);
  if (claimed === "confirmed") return { outcome: "settled", transaction, reason };
  // A status of a server error says that the facilitator has failed, whatever the body says.
  if (claimed === "failed" && status >= 500) return { outcome: "unknown", transaction, reason };
  if (claimed === "failed") return { outcome: "refused", transaction, reason };
  return { outcome: "pending", transaction, reason };
}

/** Every answer to `/settle` ended, and none contradicts the chain. */
export async function contradictions(
  chain: Chain,
  { authorization }: SignedPayment,
  answers: readonly HttpAnswer[],
): Promise<string[]> {
  const transfer = await findTransfer(chain, authorization);
  const found = answers.flatMap((answer) => [...contradictionsOf(answer, transfer)]);
  return [...new Set(found)];
}

function* contradictionsOf(answer: HttpAnswer, transfer: Hex | undefined): Iterable<string> {
  if (answer.status === undefined) yield answer.fault;
  const { outcome, transaction, reason } = readSettle(answer);
  if (outcome === "settled" && transfer === undefined) {
    yield `it said success: true, and no money moved (${describeAnswer(answer)})`;
  }
  if (outcome === "settled" && transfer !== undefined && !isSame(transaction, transfer)) {
    yield `it named ${transaction || "no transaction"}, and ${transfer} moved the money`;
  }
  if (outcome === "refused" && transfer !== undefined && !isSame(transaction, transfer)) {
    yield `it said that the payment failed (${reason}), and the money moved in ${transfer}`;
  }
}

const isSame = (one: string, other: Hex) => one.toLowerCase() === other.toLowerCase();

/** The answers of many calls by what they claim, for a report. */
export function countOutcomes(answers: readonly HttpAnswer[]): string {
  const counts = new Map<string, number>();
  for (const answer of answers) {
    const { outcome, reason } = readSettle(answer);
    const label = answer.status === undefined ? answer.fault : `${answer.status} ${outcome}`;
    const name = reason === "" ? label : `${label} (${reason})`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([name, count]) => `${count} × ${name}`).join(", ");
}
