/** The outcome of a request, in one word, for its log line and the metrics. */
import type { Charged, ChargeOutcome } from "@farthing/seller";
import { unsigned, type AgentFinding } from "./callers/caller-rule.ts";
import { defined } from "@farthing/protocol";
import type { UpstreamFailure } from "./upstream.ts";

export interface RequestContext {
  /** `denied` until a rule matches; `own` for built-in endpoints. */
  kind: "denied" | "own" | "free" | "paid";
  /** The configured name, never the path; `none` when no rule matched. */
  route: string;
  /** The entry of the route's prices by caller, where one fits. */
  caller?: string;
  /** Who has signed the request, or why nobody is believed to have; where a price is for agents. */
  agent?: AgentFinding;
  upstream?: string;
  charged?: Omit<Charged, "response">;
  upstreamMs?: number;
  failure?: UpstreamFailure;
}

export type Outcome =
  | "free" // A route without a price, or a built-in endpoint.
  | "denied" // No rule, host or method for it, or an ambiguous target.
  | "challenged" // Without a payment.
  | "rejected" // With an invalid payment.
  | "paid" // Content for a payment.
  | "used" // Content for one use of a pass, or charged to a balance.
  | "replayed" // The same once more.
  | "limited" // Too many requests of one payer; nothing was taken.
  | "conflict" // The payment belongs to another request, or its response is not kept any more.
  | "upstream_failed" // The upstream's response was not charged for, or there was none.
  | "settle_failed"
  | "pending" // The outcome of the settlement is open.
  | "faulted"; // The facilitator or the gateway itself failed.

const outcomes: Readonly<Record<Exclude<ChargeOutcome["type"], "undecided">, Outcome>> = {
  challenged: "challenged",
  delivered: "paid",
  used: "used",
  repeated: "replayed",
  undelivered: "upstream_failed",
  uncharged: "upstream_failed",
  failed: "settle_failed",
  pending: "pending",
  limited: "limited",
  conflict: "conflict",
  unserved: "conflict",
  full: "faulted",
  account_problem: "faulted",
  facilitator_fault: "faulted",
  facilitator_missing: "faulted",
  broken: "faulted",
};

/** Returns the outcome of charging, where it decides; else by the status of the response. */
export function outcomeOf({ kind, failure, charged }: RequestContext, status: number): Outcome {
  if (failure) return "upstream_failed";
  const outcome = charged?.outcome;
  if (outcome?.type === "repeated" && !outcome.isKept) return "conflict";
  if (outcome?.type === "challenged" && outcome.reason !== undefined) return "rejected";
  if (outcome && outcome.type !== "undecided") return outcomes[outcome.type];
  if (kind === "own") return "free";
  if (kind === "denied") return status < 500 ? "denied" : "faulted";
  if (kind === "free") return status < 500 ? "free" : "upstream_failed";
  if (status === 409) return "conflict";
  if (status === 503) return "pending";
  return status < 500 ? "rejected" : "faulted";
}

export function callerFields({ caller, agent }: RequestContext): object {
  if (caller === undefined && agent === undefined) return {};
  const who = agent?.kind === "verified" ? { agent: agent.host } : {};
  const problem = agent?.kind === "unverified" && agent !== unsigned ? agent.why : undefined;
  return { ...defined({ caller, agentProblem: problem }), ...who };
}

export function paymentFields({ charged }: RequestContext): object {
  if (!charged?.payment) return {};
  const { payer, amount, transaction, settlementId, channel } = charged.payment;
  const facts = { payer, amountUnits: amount, transaction, settlementId, channelId: channel?.id };
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value));
}
