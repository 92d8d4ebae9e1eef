/** What the honest facilitator answers where a fault makes it answer without a look at the chain. */
import type { JsonObject } from "@farthing/protocol";
import type { FacilitatorFault } from "./faults.testing.ts";
import type { openTransactions } from "./open-transactions.testing.ts";
import { answerOf, refused, type Request } from "./payment-look.testing.ts";

/** Creates the memory of a faulty one. */
export function createMisbehaviour(
  fault: FacilitatorFault | undefined,
  transactions: ReturnType<typeof openTransactions>,
  running: ReadonlyMap<string, Promise<JsonObject>>,
) {
  const remembered = new Map<string, JsonObject>();

  /** What a faulty one answers without a look at the chain; undefined for a look. */
  function answerFaulty(request: Request, key: string): JsonObject | undefined {
    if (fault === "different-payments-at-once" && running.size > 0 && !running.has(key)) {
      return refused(request, "invalid_transaction_state");
    }
    if (fault === "killed-after-the-send" && transactions.isOfEarlierProcess(key)) {
      // As one that wrote nothing down, and whose wallet has gone on.
      transactions.skip(key);
    }
    if (fault === "killed-before-the-receipt" && transactions.isOfEarlierProcess(key)) {
      return refused(request, "invalid_exact_evm_transaction_failed");
    }
    return remembered.get(key);
  }

  function remember(request: Request, key: string, answer: JsonObject): JsonObject {
    if (fault === "reorganisation" && answer["success"] === true) remembered.set(key, answer);
    if (fault === "repeat-after-success" && answer["success"] === true) {
      remembered.set(key, refused(request, "invalid_exact_evm_nonce_already_used"));
    }
    const isPoor =
      fault === "success-needs-money" && answer["errorReason"] === "insufficient_funds";
    return isPoor
      ? { ...answerOf(request), success: true, transaction: `0x${"5e".repeat(32)}` }
      : answer;
  }

  return { answerFaulty, remember, remembered };
}

/** A request as a faulty one reads it: what it should refuse looks like what it knows. */
export function bendRequest(text: string, fault: FacilitatorFault | undefined, network: string) {
  if (fault === "refuses-another-network") return text.replaceAll("eip155:999999", network);
  return fault === "refuses-another-scheme" ? text.replaceAll("nonsense", "exact") : text;
}

/** An answer as a faulty one writes it. */
export function bendAnswer(path: string, fault: FacilitatorFault | undefined, body: JsonObject) {
  const { network: _network, ...withoutNetwork } = body;
  const { transaction, ...withoutTransaction } = body;
  if (fault === "settle-valid" && path === "/settle") return withoutNetwork;
  if (fault === "failed-settle-shape" && transaction === "") return withoutTransaction;
  if (fault === "verify-valid" && path === "/verify")
    return { ...body, isValid: String(body["isValid"]) };
  if (fault !== "supported-kinds" || path !== "/supported") return body;
  return { ...body, kinds: [{ x402Version: 2, scheme: "exact", network: "eip155:*" }] };
}
