/** A check as a list of steps, each of which is in order or not, for the seller who is setting up an endpoint. */
import { formatUsdc } from "@farthing/protocol";
import type { CheckReason, CheckResult, ComparedField, ListingDifference } from "./model.ts";

/** The steps, in the order in which they are taken. */
export const checkSteps = [
  "reachable",
  "returns402",
  "parse",
  "scheme",
  "network",
  "asset",
  "payTo",
  "amount",
  "resourceHost",
] as const;
export type CheckStepName = (typeof checkSteps)[number];

/** One step of a check. */
export interface CheckStep {
  readonly name: CheckStepName;
  readonly ok: boolean;
  /** What was found; empty when there is nothing to say. */
  readonly detail: string;
}

/** At which step a check ends that did not get as far as the terms. */
const endsAt: Readonly<Record<Exclude<CheckReason, "terms_differ">, CheckStepName>> = {
  unreachable: "reachable",
  could_not_run: "reachable",
  redirected: "reachable",
  rate_limited: "reachable",
  not_found: "returns402",
  method_not_allowed: "returns402",
  validates_first: "returns402",
  served_unpaid: "returns402",
  server_error: "returns402",
  no_challenge: "parse",
  unreadable_challenge: "parse",
};

/** An offer that is as listed and cannot be paid was not understood. */
const stepOf = (field: ComparedField): CheckStepName => (field === "entry" ? "parse" : field);

/** Tells a check's result step by step. */
export function tellSteps({ reason, message, differences }: CheckResult): CheckStep[] {
  const end = reason === null || reason === "terms_differ" ? undefined : endsAt[reason];
  const last = end === undefined ? checkSteps.length : checkSteps.indexOf(end);
  return checkSteps.map((name, index) => {
    if (index > last) return { name, ok: false, detail: "Not looked at." };
    if (index === last) return { name, ok: false, detail: message };
    const found = differences.find(({ field }) => stepOf(field) === name);
    return found
      ? {
          name,
          ok: false,
          detail: `Listed is ${say(found, "advertised")}, seen was ${say(found, "seen")}.`,
        }
      : { name, ok: true, detail: "" };
  });
}

/** A value for people; prices in both units, since one of them was meant. */
function say({ field, ...values }: ListingDifference, which: "advertised" | "seen"): string {
  const text = values[which];
  const isUnits = field === "amount" && /^\d{1,30}$/.test(text);
  return isUnits ? `${text} (${formatUsdc(BigInt(text))} USDC)` : text;
}
