/** Resolves payments without an outcome: by the chain where a node answers, or by the clock. */
import {
  LedgerTransitionError,
  openStates,
  unresolvedStates,
  type Ledger,
  type LedgerRecord,
  type LedgerTransition,
} from "../ledger/ledger.ts";
import { dayMs } from "../ledger/limits.ts";
import type { NodesOf } from "./nodes.ts";
import { readOutcomeOf, signedTermsOf } from "./read-outcome.ts";
import type { FetchFunction } from "../replayable-request.ts";
import type { Runtime } from "../runtime.ts";

export interface Reconciliation {
  readonly record: LedgerRecord;
  /** `expired`: the payment can no longer be used, and whether it was used is not known. */
  readonly outcome: "settled" | "released" | "expired" | "open";
  readonly reason: string;
}

export interface ReconcilingTools {
  readonly fetch: FetchFunction;
  /** Asks the nodes; `fetch` when absent. */
  readonly nodeFetch?: FetchFunction;
  readonly ledger: Ledger;
  readonly runtime: Runtime;
  readonly nodesOf: NodesOf;
}

/** A person with a hardware wallet signs within this; later signatures are not sent. */
export const reservedMsMax = 10 * 60 * 1000;

/** More than one host's open payments by default, few enough for any node. */
const atOnceMax = 8;

/** After this an expired authorization is final, also by a clock that is ahead of the chain's. */
export const endedMarginMs = 60_000;

/** When a payment ends at the latest, in Unix milliseconds. */
export function endsAt({ signed, reservedAt }: LedgerRecord): number {
  return signed === undefined
    ? reservedAt + reservedMsMax
    : signed.validBefore * 1000 + endedMarginMs;
}

/** Reconciles every payment without an outcome, the oldest first. */
export async function reconcileAll(tools: ReconcilingTools): Promise<Reconciliation[]> {
  return reconcileSome(tools, await tools.ledger.list(unresolvedStates));
}

/** Reconciles what counts against today's limits. */
export async function reconcileCounting(tools: ReconcilingTools): Promise<void> {
  const since = tools.runtime.now() - dayMs;
  const records = await tools.ledger.list(unresolvedStates);
  await reconcileSome(
    tools,
    records.filter(({ state, reservedAt }) => state !== "expired" || reservedAt > since),
  );
}

/** Ends the open payments whose time is over. */
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

/** Rejects only when the ledger fails. */
export async function reconcile(
  tools: ReconcilingTools,
  record: LedgerRecord,
): Promise<Reconciliation> {
  const { nodesOf, runtime, nodeFetch = tools.fetch } = tools;
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
  const outcome = await readOutcomeOf(nodeFetch, nodesOf(terms.network, record.host), terms);
  if (outcome.state === "unknown") return endByTime(tools, record, outcome.reason);
  if (outcome.state === "unused")
    return close(tools, record, { state: "released" }, outcome.reason);
  const { transaction, blockNumber } = outcome;
  const settledAt = runtime.now();
  const settled = { state: "settled", transaction, evidence: "chain", settledAt } as const;
  return close(tools, record, settled, `paid by ${transaction} in block ${blockNumber}`);
}

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
  transition: LedgerTransition & { readonly state: "settled" | "released" | "expired" },
  reason: string,
): Promise<Reconciliation> {
  const { requestId } = before;
  try {
    const ofNonce = before.signed?.nonce;
    const record = await ledger.transition(requestId, { ...transition, ofNonce });
    return { record, outcome: transition.state, reason };
  } catch (cause) {
    if (!(cause instanceof LedgerTransitionError)) throw cause;
    // Another process was faster; its record counts.
    const record = (await ledger.find(requestId)) ?? before;
    const { state } = record;
    const isClosed = state === "settled" || state === "released" || state === "expired";
    return { record, outcome: isClosed ? state : "open", reason: "it was moved on meanwhile" };
  }
}
