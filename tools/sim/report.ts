/** The text about a run: one line, and the details of a run with violations. */
import { observedFaultKinds, type ObservedFaultCounts } from "./observed-faults.ts";
import type { Plan } from "./plan.ts";
import type { RunReport } from "./run.ts";

/** Summarises a run in one line. */
export function line({ plan, evidence, violations, observedFaults, ms }: RunReport): string {
  const states = Object.groupBy(evidence.stored.settlements, ({ state }) => state);
  const outcomes = Object.entries(states)
    .map(([state, rows]) => `${rows?.length} ${state}`)
    .join(", ");
  const verdict = violations.length === 0 ? "ok  " : "FAIL";
  const size = `${plan.payments.length} payments, ${evidence.responses.length} answers`;
  const set = `${settingOf(plan)}; ${observedByFaultKind(observedFaults)}`;
  return `${verdict} seed ${plan.seed} (${set}): ${size}: ${outcomes}; ${ms} ms`;
}

function settingOf({ service }: Plan): string {
  const { database, servedSurface, confirmations, inFlight } = service;
  return `${database}, ${servedSurface}, ${confirmations} deep, ${inFlight} in flight`;
}

/** Each fault kind with the number of observed faults. */
function observedByFaultKind(observedFaults: ObservedFaultCounts): string {
  const sums = new Map<string, number>();
  for (const [kind, times] of observedFaults) {
    const [faultKind = ""] = kind.split(":");
    sums.set(faultKind, (sums.get(faultKind) ?? 0) + times);
  }
  return [...sums].map(([faultKind, times]) => `${faultKind} ${times}`).join(", ") || "no faults";
}

/** Every kind of observed fault with its count, and the kinds that were not observed. */
export function observedFaultTable(observedFaults: ObservedFaultCounts): string {
  const met = observedFaultKinds.filter((kind) => observedFaults.has(kind));
  const never = observedFaultKinds.filter((kind) => !observedFaults.has(kind));
  return [
    "Observed faults:",
    ...met.map((kind) => `  ${String(observedFaults.get(kind)).padStart(7)}  ${kind}`),
    `  never: ${never.join(", ") || "none of them"}`,
  ].join("\n");
}

/** In how many runs each recovery path was taken; those that never were come last. */
export function pathTable(counts: Readonly<Record<string, number>>): string {
  const paths = Object.entries(counts).toSorted(([, one], [, other]) => other - one);
  return [
    "Runs with a recovery path:",
    ...paths.map(([path, runs]) => `  ${String(runs).padStart(7)}  ${path}`),
  ].join("\n");
}

/** Notes about payments that no violation names are left out; general notes stay. */
const ofAPayment = /payment (\d+):/;

/** The violations, the plan, and the notes about the payments concerned. */
export function story({ plan, evidence, violations, trace }: RunReport): string {
  const concerned = new Set(violations.flatMap(({ payment }) => payment ?? []));
  const isAnyone = concerned.size === 0 || violations.some(({ payment }) => payment === undefined);
  const told = trace.filter((text) => {
    const index = ofAPayment.exec(text)?.[1];
    return index === undefined || isAnyone || concerned.has(Number(index));
  });
  const { payments, events, ...rest } = plan;
  return [
    ...violations.map(({ rule, payment, text }) => {
      const whose = payment === undefined ? "" : ` (payment ${payment})`;
      return `  broken: ${rule}${whose}: ${text}`;
    }),
    `  plan: ${JSON.stringify(rest)}`,
    ...payments.map((payment) => `  payment: ${JSON.stringify(payment)}`),
    ...events.map((event) => `  event: ${JSON.stringify(event)}`),
    ...[...evidence.payments].map(
      ([index, { authorization }]) =>
        `  payment ${index}: ${authorization.from} nonce …${authorization.nonce.slice(-12)}`,
    ),
    ...told.map((text) => `  ${text}`),
    `  again: ${again(plan)}`,
  ].join("\n");
}

function again({ seed, faultKinds, service }: Plan): string {
  const { database, servedSurface, confirmations, inFlight } = service;
  const kinds = faultKinds.join(",") || "none";
  return `npm run sim -- --seed ${seed} --troubles ${kinds} --database ${database} --face ${servedSurface} --confirmations ${confirmations} --in-flight ${inFlight}`;
}
