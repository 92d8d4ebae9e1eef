/**
 * Parses what facilitators report about settlements, including those that follow only the service
 * description: `/settle` may return an id alone, and names of fields vary. A record counts as
 * confirmed only if it says so, names one hash and contradicts itself nowhere.
 */
import {
  isObject,
  isTransactionHash,
  member,
  parseSettleResponse,
  textMembers,
  type JsonObject,
  type SettleResponse,
} from "@farthing/protocol";

/** Parses the response of `/settle`. An id without `success` is a settlement under way. */
export function readSettleResponse(input: unknown): SettleResponse | undefined {
  const parsed = parseSettleResponse(input);
  if (parsed || !isObject(input)) return parsed;
  const id = member(input, "id");
  if (typeof id !== "string" || id === "" || member(input, "success") !== undefined) {
    return undefined;
  }
  return { ...pendingFacts(input), id };
}

export function readSettlementRecord(input: unknown): SettleResponse | undefined {
  const parsed = parseSettleResponse(input);
  if (parsed || !isObject(input)) return parsed;
  const pending = pendingFacts(input);
  if (hasFailed(input)) {
    // Only "failed" is final; every other negative word may still change.
    return words(input).includes("failed")
      ? { ...pending, status: "failed", errorReason: "settlement_failed" }
      : pending;
  }
  if (pending.transaction === "" || !isConfirmed(input)) return pending;
  const { errorReason: _reason, ...facts } = pending;
  return { ...facts, success: true, status: "confirmed" };
}

/** Returns the facts of a pending settlement. The caller supplies an absent network. */
function pendingFacts(record: JsonObject): SettleResponse {
  return {
    success: false,
    status: "pending",
    errorReason: "settlement_pending",
    transaction: hashIn(record),
    network: "",
    ...textMembers(record, "network", "payer"),
  };
}

/** Returns the record's one hash; "" for none, or for several that differ. */
function hashIn(record: JsonObject): string {
  const texts = textMembers(record, "transaction", "transactionHash", "txHash", "hash");
  const hashes = Object.values(texts).filter((text) => isTransactionHash(text));
  const [hash] = hashes;
  return hash !== undefined && hashes.every((other) => other === hash) ? hash : "";
}

const confirmedWords = new Set(["confirmed", "finalized"]);
const openWords = new Set(["pending", "queued", "submitted", "processing", "unconfirmed"]);

function words(record: JsonObject): readonly string[] {
  return Object.values(textMembers(record, "status", "state")).map((word) => word.toLowerCase());
}

function isConfirmed(record: JsonObject): boolean {
  const said = words(record);
  const confirmed = member(record, "confirmed");
  const confirmations = member(record, "confirmations");
  const confirmedAt = member(record, "confirmedAt");
  const isDenied = said.some((word) => openWords.has(word)) || confirmed === false;
  if (isDenied || confirmations === 0) return false;
  return (
    said.some((word) => confirmedWords.has(word)) ||
    confirmed === true ||
    member(record, "success") === true ||
    (typeof confirmations === "number" && confirmations >= 1) ||
    (typeof confirmedAt === "string" && confirmedAt !== "")
  );
}

function hasFailed(record: JsonObject): boolean {
  const isRefused = member(record, "success") === false;
  const reason = member(record, "errorReason") ?? member(record, "error") ?? undefined;
  const failed = words(record).some((word) => /fail|revert|reject|cancel|expire/.test(word));
  return isRefused || failed || reason !== undefined;
}
