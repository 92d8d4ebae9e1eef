/** A check as a list of steps with their results, for sellers who set up an endpoint. */
import { formatUsdc } from "@farthing/protocol";
import type { CheckReason, CheckResult, ComparedField, ListingDifference } from "./model.ts";

/** In the order in which a check takes them. */
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

export interface CheckStep {
  readonly name: CheckStepName;
  readonly ok: boolean;
  /** Empty when there is nothing to report. */
  readonly detail: string;
}

/** The step at which a check ends that found no terms. */
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

/** A matching offer that cannot be paid failed at parsing. */
const stepOf = (field: ComparedField): CheckStepName => (field === "entry" ? "parse" : field);

export function describeSteps({ reason, message, differences }: CheckResult): CheckStep[] {
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
          detail: `Listed is ${valueText(found, "advertised")}, seen was ${valueText(found, "seen")}.`,
        }
      : { name, ok: true, detail: "" };
  });
}

/** A value for people. Prices have both units, since sellers confuse them. */
function valueText({ field, ...values }: ListingDifference, which: "advertised" | "seen"): string {
  const text = values[which];
  const isUnits = field === "amount" && /^\d{1,30}$/.test(text);
  return isUnits ? `${text} (${formatUsdc(BigInt(text))} USDC)` : text;
}
