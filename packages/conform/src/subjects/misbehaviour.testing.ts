/** What the honest facilitator answers where a fault makes it answer without a look at the chain. */
import type { JsonObject } from "@farthing/protocol";
import { refused, type Request } from "./answers.testing.ts";
import type { FacilitatorFault } from "./faults.testing.ts";

/** Creates the memory of a faulty one. */
export function createMisbehaviour(
  fault: FacilitatorFault | undefined,
  running: ReadonlyMap<string, Promise<JsonObject>>,
) {
  const remembered = new Map<string, JsonObject>();

  /** What a faulty one answers without a look at the chain; undefined for a look. */
  function answerFaulty(request: Request, key: string): JsonObject | undefined {
    if (fault === "different-payments-at-once" && running.size > 0 && !running.has(key)) {
      return refused(request, "invalid_transaction_state");
    }
    return remembered.get(key);
  }

  function remember(key: string, answer: JsonObject): JsonObject {
    if (fault === "reorganisation" && answer["success"] === true) remembered.set(key, answer);
    return answer;
  }

  return { answerFaulty, remember, remembered };
}

/** A request as a faulty one reads it: what it should refuse looks like what it knows. */
export function bendRequest(text: string, fault: FacilitatorFault | undefined, network: string) {
  if (fault === "refuses-another-network") return text.replaceAll("eip155:999999", network);
  return fault === "refuses-another-scheme" ? text.replaceAll("nonsense", "exact") : text;
}

/** An answer as a faulty one writes it: it stays one that callers can read. */
export function bendAnswer(path: string, fault: FacilitatorFault | undefined, body: JsonObject) {
  const { payer: _payer, ...withoutPayer } = body;
  const isGood = body["isValid"] === true || body["success"] === true;
  if (fault === "verify-valid" && path === "/verify" && isGood) return withoutPayer;
  if (fault === "settle-valid" && path === "/settle" && isGood) return withoutPayer;
  if (fault === "failed-settle-shape" && body["transaction"] === "") {
    return { ...body, transaction: `0x${"00".repeat(32)}` };
  }
  return body;
}
