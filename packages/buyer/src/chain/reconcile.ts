/**
 * Finds the outcome of payments that have none: by the chain where a node can be asked, by the
 * clock where none can or where nothing was ever signed. Every open payment ends by itself.
 */
import {
  LedgerMoveError,
  openStates,
  unresolvedStates,
  type Ledger,
  type LedgerRecord,
} from "../ledger/ledger.ts";
import { dayMs } from "../ledger/limits.ts";
import type { NodesOf } from "./nodes.ts";
import { readOutcomeOf, signedTermsOf } from "./read-outcome.ts";
import type { FetchFunction } from "../replayable-request.ts";
import type { Runtime } from "../runtime.ts";

/** What became of one payment that was open. */
export interface Reconciliation {
  /** The record as it is now. */
  readonly record: LedgerRecord;
  /**
   * `open`: nothing could be proven yet, see `reason`. `expired`: nobody can use the payment any
   * more, and whether it was used before is not known.
   */
  readonly outcome: "settled" | "released" | "expired" | "open";
  /** Why, for a person. */
  readonly reason: string;
}

/** What reconciling needs. */
export interface ReconcilingTools {
  readonly fetch: FetchFunction;
  readonly ledger: Ledger;
  readonly runtime: Runtime;
  readonly nodesOf: NodesOf;
}

/**
 * Longest wait between reserving and signing, a person with a hardware wallet included. Who takes
 * longer finds the reservation gone, and what was signed does not leave.
 */
export const reservedMsMax = 10 * 60 * 1000;

/** Asked at once: more than one host's open payments by default, few enough for any node. */
const atOnceMax = 8;

/**
 * An authorization that ended so long ago gives its place back although the chain was not read: by
 * then its last block is final, and this clock may be ahead of the chain's by some seconds.
 */
export const endedMarginMs = 60_000;

/** When a payment ends at the latest, in Unix milliseconds. */
export function endsAt({ signed, reservedAt }: LedgerRecord): number {
  return signed === undefined
    ? reservedAt + reservedMsMax
    : signed.validBefore * 1000 + endedMarginMs;
}

/** Reconciles every payment of the ledger that has no outcome, the oldest first. */
export async function reconcileAll(tools: ReconcilingTools): Promise<Reconciliation[]> {
  return reconcileSome(tools, await tools.ledger.list(unresolvedStates));
}

/** Reconciles what counts against the limits at present: a start does not ask about old times. */
export async function reconcileCounting(tools: ReconcilingTools): Promise<void> {
  const since = tools.runtime.now() - dayMs;
  const records = await tools.ledger.list(unresolvedStates);
  await reconcileSome(
    tools,
    records.filter(({ state, reservedAt }) => state !== "expired" || reservedAt > since),
  );
}

/** Ends the open payments whose time is over, so that they give their places back. */
export async function reconcileEnded(tools: ReconcilingTools): Promise<void> {
  const open = await tools.ledger.list(openStates);
  const now = tools.runtime.now();
  await reconcileSome(
    tools,
    open.filter((record) => now >= endsAt(record)),
  );
}

async function reconcileSome(
  tools: ReconcilingTools,
  records: readonly LedgerRecord[],
): Promise<Reconciliation[]> {
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
  const { nodesOf, runtime, fetch } = tools;
  const { state } = record;
  if (state === "settled" || state === "released") {
    return { record, outcome: state, reason: "it had its outcome before" };
  }
  if (state === "reserved") {
    const isOld = runtime.now() >= endsAt(record);
    if (isOld) return close(tools, record, { state: "released" }, "it was never signed");
    return { record, outcome: "open", reason: "it is about to be signed" };
  }
  const terms = signedTermsOf(record);
  if (!terms) return { record, outcome: "open", reason: "the record is incomplete" };
  const outcome = await readOutcomeOf(fetch, nodesOf(terms.network), terms);
  if (outcome.state === "unknown") return endByTime(tools, record, outcome.reason);
  if (outcome.state === "unused")
    return close(tools, record, { state: "released" }, outcome.reason);
  const { transaction, blockNumber } = outcome;
  const settledAt = runtime.now();
  const move = { state: "settled", transaction, evidence: "chain", settledAt } as const;
  return close(tools, record, move, `paid by ${transaction} in block ${blockNumber}`);
}

/** What the chain did not decide ends by the clock. */
async function endByTime(
  tools: ReconcilingTools,
  record: LedgerRecord,
  reason: string,
): Promise<Reconciliation> {
  if (record.state === "expired") return { record, outcome: "expired", reason };
  if (tools.runtime.now() < endsAt(record)) return { record, outcome: "open", reason };
  const why = "it has expired, and whether it was used before is not known";
  return close(tools, record, { state: "expired" }, `${why}: ${reason}`);
}

async function close(
  { ledger }: ReconcilingTools,
  before: LedgerRecord,
  move: Parameters<Ledger["move"]>[1] & { readonly state: "settled" | "released" | "expired" },
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
    const isClosed = state === "settled" || state === "released" || state === "expired";
    return { record, outcome: isClosed ? state : "open", reason: "it was moved on meanwhile" };
  }
}
