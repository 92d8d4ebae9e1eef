/** What a person reads of a soak. */
import type { Violation } from "@farthing/lab/audit";
import type { SoakFigures } from "../sim/record-campaign.ts";
import type { RunStamp } from "../sim/run-stamp.ts";
import { freezeMs } from "./kills.ts";
import type { SoakOptions } from "./plan.ts";
import type { SoakListener, SoakReport } from "./soak.ts";

/** Violations that are written out; the rest is counted. */
const violationsShown = 20;

/** Column at which values begin. */
const labelWidth = 26;

/** What is about to happen. */
export function announcement(options: SoakOptions): string {
  const { payments, payers, processes, relayers, killEveryMs, freezeOneIn, inFlight } = options;
  const kills =
    killEveryMs === 0
      ? "none is killed"
      : `one is killed every ${killEveryMs / 1000} s` +
        (freezeOneIn === 0
          ? ""
          : `, or one time in ${freezeOneIn} frozen for ${freezeMs / 1000} s`);
  const database =
    options.failOvers === 0
      ? "a PostgreSQL"
      : `a PostgreSQL, whose standby takes over ${options.failOvers} times without the last commits,`;
  return [
    `${count(payments)} payments from ${payers} payers, ${inFlight} at a time, seed ${options.seed}.`,
    `${processes} facilitators share ${database} and ${relayers} relayer wallets on a local chain; ${kills}.`,
    ``,
  ].join("\n");
}

/** How far it is. */
export function progressLine({ ms, ...now }: Parameters<SoakListener>[0]): string {
  const seconds = `${Math.round(ms / 1000)} s`.padStart(6);
  return `${seconds}  ${count(now.confirmed)} confirmed, ${now.kills} kills, ${now.failOvers} failovers, ${now.serving} processes serve`;
}

/** The figures, and what the audit says. */
export function page(report: SoakReport): string {
  const lines = Object.entries(figuresOf(report)).map(
    ([label, value]) => `${label.padEnd(labelWidth)}${value}`,
  );
  return ["", ...lines, "", verdict(report.violations), ""].join("\n");
}

/** The figures of docs/reference/campaigns.md. */
export function soakFigures(report: SoakReport): Omit<SoakFigures, keyof RunStamp> {
  const { evidence, blows, failOvers, violations, paths, ms } = report;
  return {
    command: `npm run soak -- ${process.argv.slice(2).join(" ")}`.trim(),
    seconds: Math.round(ms / 1000),
    payments: evidence.payments.length,
    refunds: evidence.refunds.length,
    kills: blows.length,
    failovers: failOvers.length,
    broken: violations.length,
    paths: [...paths],
  };
}

function figuresOf(report: SoakReport): Record<string, string> {
  const { evidence, blows, takeOvers, paths, ms } = report;
  const { payments, refunds, responses, outcomes, ledger, payees } = evidence;
  const times = outcomes
    .filter(({ word }) => word === "confirmed")
    .map((outcome) => outcome.ms)
    .toSorted((one, other) => one - other);
  const told = new Set(
    outcomes.flatMap(({ word, payment }) =>
      word === "confirmed" && payment < payments.length ? payment : [],
    ),
  );
  const givenBack = new Set(refunds.map(({ refundOf }) => refundOf)).size;
  const payers = new Set(payments.map(({ authorization }) => authorization.from)).size;
  const frozen = blows.filter(({ what }) => what === "freeze").length;
  const sent = ledger.relayed.length;
  const evaluated = responses.filter(({ status }) => status === 200).length;
  const lost = responses.filter(({ status }) => status === 0).length;
  return {
    payments: `${count(payments.length)} from ${payers} payers to ${payees.length} payees`,
    sellers: `${count(outcomes.length)}, some payments being presented by several at once`,
    confirmed: count(told.size),
    refunds: `${count(refunds.length)}, of ${count(givenBack)} payments`,
    kills: `${blows.length - frozen}, and ${frozen} processes frozen`,
    "wallet take-overs": takeOverText(takeOvers),
    "transactions sent": count(sent),
    "payments per transaction": (ledger.entries.length / sent).toFixed(1),
    seconds: (ms / 1000).toFixed(1),
    "payments per second": (told.size / (ms / 1000)).toFixed(1),
    "time to confirmed": `p50 ${seconds(percentile(times, 0.5))}, p99 ${seconds(percentile(times, 0.99))}, longest ${seconds(percentile(times, 1))}`,
    responses: `${count(responses.length)}: ${count(evaluated)} with a result, ${count(responses.length - evaluated - lost)} unavailable, ${count(lost)} connections lost`,
    "recovery paths": [...paths].join("; ") || "none",
    ...lossFigures(report),
  };
}

/** What was lost with the primaries, and what callers heard of it; nothing without a standby. */
function lossFigures({ evidence, failOvers }: SoakReport): Record<string, string> {
  if (failOvers.length === 0) return {};
  const { responses, outcomes, stored } = evidence;
  const times = failOvers.map(({ ms }) => ms).toSorted((one, other) => one - other);
  const lost = new Set(failOvers.flatMap((one) => one.lost)).size;
  const found = stored.settlements.filter(({ recoveredAt }) => recoveredAt !== null).length;
  const paid = new Set(outcomes.flatMap(({ word, payment }) => (word === "paid" ? payment : [])));
  const statuses = Map.groupBy(responses, ({ status }) => status);
  const heard = [409, 404, 503].map(
    (status) => `${count(statuses.get(status)?.length ?? 0)} × ${status}`,
  );
  return {
    failovers: `${failOvers.length}, writes possible after ${seconds(percentile(times, 0.5))}, at most ${seconds(percentile(times, 1))}`,
    "settlements lost": `${count(lost)}: ${failOvers.map((one) => one.lost.length).join(", ")}`,
    "found on the chain": count(found),
    "told that it is paid": `of ${count(paid.size)} payments`,
    "heard meanwhile": heard.join(", "),
  };
}

function takeOverText(takeOvers: SoakReport["takeOvers"]): string {
  const after = takeOvers
    .flatMap(({ afterMs }) => afterMs ?? [])
    .toSorted((one, other) => one - other);
  const given = `${takeOvers.length - after.length} given up by the living`;
  if (after.length === 0) return `0 after a kill, ${given}`;
  const [median, longest] = [percentile(after, 0.5), percentile(after, 1)].map(seconds);
  return `${after.length} after a kill (median ${median}, longest ${longest} later), ${given}`;
}

/** What the audit says; the first of its findings in full. */
function verdict(violations: readonly Violation[]): string {
  if (violations.length === 0) {
    return "Nothing lost, nothing doubled: chain, database and what every seller was told agree.";
  }
  const rules = Map.groupBy(violations, ({ rule }) => rule);
  return [
    `BROKEN: ${count(violations.length)} findings`,
    ...[...rules].map(([rule, found]) => `  ${count(found.length)} of "${rule}"`),
    ...violations.slice(0, violationsShown).map(({ rule, payment, text }) => {
      const whose = payment === undefined ? "" : `payment ${payment}: `;
      return `  ${rule}: ${whose}${text}`;
    }),
  ].join("\n");
}

function count(number: number): string {
  return number.toLocaleString("en-US");
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

/** The value that the given share of the sorted values does not exceed; NaN when there are none. */
function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}
