/** Accepts the stored steps of payment records only where the production table allows each of them. */
import { paymentRecordTransitions } from "@farthing/seller/testing/record-transitions";
import { createFindings, isIn, type Findings, type Transition } from "./findings.ts";
import type { RecordStep } from "./stored-steps.ts";

export function checkRecordSteps(steps: Iterable<RecordStep>): Findings {
  const states = new Map<string, string>();
  const { say, count, ...findings } = createFindings();
  for (const { id, change, row } of steps) {
    const known = states.get(id);
    states.set(id, row.state);
    if (change === "made" || known === undefined) {
      if (row.state !== "claimed") say(`record ${id} begins as ${row.state}`);
      continue;
    }
    const next = change === "gone" ? "gone" : row.state;
    if (known === next) continue;
    const found = Object.entries<Transition>(paymentRecordTransitions).find(
      ([, { from, to }]) => isIn(from, known) && to === next,
    );
    if (found) count(`record ${found[0]}`);
    else say(`no transition: record ${id}, ${known} to ${next}`);
  }
  return findings;
}
