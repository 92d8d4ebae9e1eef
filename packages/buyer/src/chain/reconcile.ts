/**
 * Finds the outcome of payments that have none: by the chain where there is a node, by the clock
 * where nothing was ever signed. What it cannot prove it leaves as it is, and that keeps counting.
 */
import { LedgerMoveError, openStates, type Ledger, type LedgerRecord } from "../ledger/ledger.ts";
import { readOutcome, signedTermsOf } from "./read-outcome.ts";
import type { FetchFunction } from "../replayable-request.ts";
import type { Surroundings } from "../surroundings.ts";

/** What became of one payment that was open. */
export interface Reconciliation {
  /** The record as it is now. */
  readonly record: LedgerRecord;
  /** `open`: nothing could be proven, see `reason`. */
  readonly outcome: "settled" | "released" | "open";
  /** Why, for a person. */
  readonly reason: string;
}

/** What reconciling needs. */
export interface ReconcilingTools {
  readonly fetch: FetchFunction;
  readonly ledger: Ledger;
  readonly surroundings: Surroundings;
  readonly rpcUrl?: string;
}

/**
 * Longest wait between reserving and signing, a person with a hardware wallet included. Who takes
 * longer finds the reservation gone, and what was signed does not leave.
 */
export const reservedMsMax = 10 * 60 * 1000;

/** Asked at once: more than the payments that are open by default, few enough for any node. */
const atOnceMax = 8;

/** Reconciles every open payment of the ledger, the oldest first. */
export async function reconcileAll(tools: ReconcilingTools): Promise<Reconciliation[]> {
  const records = await tools.ledger.list(openStates);
  const outcomes: Reconciliation[] = [];
  for (let at = 0; at < records.length; at += atOnceMax) {
    const some = records.slice(at, at + atOnceMax);
    outcomes.push(...(await Promise.all(some.map((record) => reconcile(tools, record)))));
  }
  return outcomes;
}

/** Reconciles one payment. Rejects only when the ledger fails. */
export async function reconcile(
  tools: ReconcilingTools,
  record: LedgerRecord,
): Promise<Reconciliation> {
  const { rpcUrl, surroundings, fetch } = tools;
  const { state } = record;
  if (state === "settled" || state === "released") {
    return { record, outcome: state, reason: "it had its outcome before" };
  }
  if (state === "reserved") {
    const isOld = surroundings.now() - record.reservedAt >= reservedMsMax;
    if (isOld) return close(tools, record, { state: "released" }, "it was never signed");
    return { record, outcome: "open", reason: "it is about to be signed" };
  }
  const terms = signedTermsOf(record);
  if (!terms) return { record, outcome: "open", reason: "the record is incomplete" };
  if (rpcUrl === undefined) {
    return { record, outcome: "open", reason: "only the chain can say, and no node is set" };
  }
  const outcome = await readOutcome(fetch, rpcUrl, terms);
  if (outcome.state === "unknown") return { record, outcome: "open", reason: outcome.reason };
  if (outcome.state === "unused")
    return close(tools, record, { state: "released" }, outcome.reason);
  const { transaction, blockNumber } = outcome;
  const settledAt = surroundings.now();
  const move = { state: "settled", transaction, evidence: "chain", settledAt } as const;
  return close(tools, record, move, `paid by ${transaction} in block ${blockNumber}`);
}

async function close(
  { ledger }: ReconcilingTools,
  before: LedgerRecord,
  move: Parameters<Ledger["move"]>[1] & { readonly state: "settled" | "released" },
  reason: string,
): Promise<Reconciliation> {
  const { requestId } = before;
  try {
    const record = await ledger.move(requestId, { ...move, ofNonce: before.signed?.nonce });
    return { record, outcome: move.state, reason };
  } catch (cause) {
    if (!(cause instanceof LedgerMoveError)) throw cause;
    // Another process was faster; what it has written counts.
    const record = (await ledger.find(requestId)) ?? before;
    const { state } = record;
    const isClosed = state === "settled" || state === "released";
    return { record, outcome: isClosed ? state : "open", reason: "it was moved on meanwhile" };
  }
}
