/**
 * Accepts the stored steps of payment records only where the production table allows each of them, and
 * where a record stays that of its payment.
 */
import {
  firstStateOf,
  paymentRecordTransitions,
} from "@farthing/seller/testing/record-transitions";
import { createFindings, isIn, type Findings, type Transition } from "./findings.ts";
import type { RecordNote, RecordStep } from "./stored-steps.ts";

export function checkRecordSteps(steps: Iterable<RecordStep>): Findings {
  const known = new Map<string, RecordNote>();
  const { say, count, ...findings } = createFindings();

  function begin(id: string, { state }: RecordNote): void {
    if (known.has(id)) say(`record ${id} is made twice`);
    if (state !== firstStateOf(id)) say(`record ${id} begins as ${state}`);
    count(`record begun as ${state}`);
  }

  function move(id: string, before: RecordNote, next: string): void {
    if (before.state === next) return;
    const found = Object.entries<Transition>(paymentRecordTransitions).find(
      ([, { from, to }]) => isIn(from, before.state) && to === next,
    );
    if (found) count(`record ${found[0]}`);
    else say(`no transition: record ${id}, ${before.state} to ${next}`);
  }

  for (const { id, change, row } of steps) {
    const before = known.get(id);
    if (change === "made") begin(id, row);
    else if (!before) say(`record ${id} is ${change}, and was never made`);
    else {
      const isSame = before.fingerprint === row.fingerprint && before.payload === row.payload;
      if (!isSame) say(`record ${id} is that of another payment`);
      move(id, before, change === "gone" ? "gone" : row.state);
    }
    if (change === "gone") known.delete(id);
    else known.set(id, row);
  }
  return findings;
}

/** What is wrong with the steps of records, of which there have to be some. */
export function brokenRecordSteps(
  findings: readonly Findings[],
  hasSome: boolean,
): readonly string[] {
  const isNoted = findings.some(({ taken }) => taken.size > 0);
  if (hasSome && !isNoted) return ["no step of a payment record was noted"];
  return findings.flatMap(({ broken }) => broken);
}
