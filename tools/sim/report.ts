/** What a person reads of a run: one line when all is well, the story when it is not. */
import type { RunReport } from "./run.ts";

/** One line. */
export function line({ plan, evidence, violations, faults, ms }: RunReport): string {
  const states = Object.groupBy(evidence.stored.settlements, ({ state }) => state);
  const outcomes = Object.entries(states)
    .map(([state, rows]) => `${rows?.length} ${state}`)
    .join(", ");
  const verdict = violations.length === 0 ? "ok  " : "FAIL";
  const size = `${plan.payments.length} payments, ${evidence.answers.length} answers`;
  const kinds = plan.troubles.join(",") || "none";
  return `${verdict} seed ${plan.seed} (${kinds}): ${size}, ${faults} faults: ${outcomes}; ${ms} ms`;
}

/** Notes about payments that no violation names are left out; what befell everybody stays. */
const ofAPayment = /payment (\d+):/;

/** The violations, the plan, and what happened to those concerned. */
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
    `  again: npm run sim -- --seed ${plan.seed} --troubles ${plan.troubles.join(",") || "none"}`,
  ].join("\n");
}
