/**
 * Accepts the stored steps of an engine only where the production tables of transitions allow each of
 * them, and where they keep the promises of the model that a single run can show.
 */
import { openStates, settlementTransitions, type TransitionCondition } from "@farthing/engine";
import { TransactionSteps } from "./check-transaction-steps.ts";
import type { EngineStep, SettlementNote, StoredStep } from "./stored-steps.ts";
import { createFindings, isIn, type Findings, type Transition } from "./findings.ts";

interface Settlement {
  readonly id: string;
  note: SettlementNote;
  /** It was told to have failed, and was not signed again since. */
  hasFailed: boolean;
  /** The transactions that carry it or have carried it. */
  readonly carriers: Set<string>;
}

/** Takes steps in the order in which they were written. */
export async function checkEngineSteps(steps: AsyncIterable<EngineStep>): Promise<Findings> {
  const findings = createFindings();
  const transactions = new TransactionSteps(findings);
  const settlements = new SettlementSteps(findings, transactions);
  for await (const step of steps) {
    if (step.kind === "settlement") settlements.take(step);
    else if (step.kind === "transaction") transactions.take(step);
    else settlements.takeLink(step);
  }
  return findings;
}

class SettlementSteps {
  readonly #known = new Map<string, Settlement>();
  readonly #findings: ReturnType<typeof createFindings>;
  readonly #transactions: TransactionSteps;
  readonly #conditions: Readonly<Record<TransitionCondition, (known: Settlement) => boolean>> = {
    uncarried: ({ carriers }) => ![...carriers].some((id) => this.#transactions.isOpen(id)),
    unfinalized: ({ note }) => note.finalizedAt === null,
  };

  constructor(findings: ReturnType<typeof createFindings>, transactions: TransactionSteps) {
    this.#findings = findings;
    this.#transactions = transactions;
  }

  take({ id, change, row }: StoredStep<"settlement">): void {
    const known = this.#known.get(id);
    if (change === "made" || !known) {
      if (row.state !== "queued") this.#findings.say(`${id} begins as ${row.state}`);
      if (row.recoveredAt !== null) this.#findings.count("settlement recovered");
      this.#known.set(id, { id, note: row, hasFailed: false, carriers: new Set() });
      return;
    }
    if (change === "gone") {
      const { state, finalizedAt } = known.note;
      const isOver = state === "failed" || finalizedAt !== null;
      if (!isOver) this.#findings.say(`${id} is removed while it is ${state}`);
      this.#known.delete(id);
      return;
    }
    this.#change(known, row);
    known.note = row;
    if (row.carrier !== null) known.carriers.add(String(row.carrier));
  }

  #change(known: Settlement, row: SettlementNote): void {
    const { id, note } = known;
    const isMove = note.state !== row.state || note.finalizedAt !== row.finalizedAt;
    const name = this.#transitionOf(known, row);
    if (name !== undefined && isMove) {
      this.#findings.count(`settlement ${name}`);
      this.#checkMove(known, row);
    } else if (isMove || !isIn(openStates, note.state)) {
      // What is open may be with another transaction, which is no transition.
      this.#findings.say(`no transition: ${id}, ${wordsOf(note)} to ${wordsOf(row)}`);
    }
  }

  #transitionOf(known: Settlement, row: SettlementNote): string | undefined {
    const { note } = known;
    const becomesFinal = note.finalizedAt === null && row.finalizedAt !== null;
    const found = Object.entries<Transition>(settlementTransitions).find(
      ([name, { from, to, only }]) =>
        isIn(from, note.state) &&
        to === row.state &&
        (name === "finalized") === becomesFinal &&
        (only === undefined || this.#conditions[only](known)),
    );
    return found?.[0];
  }

  /** The promises of the model about a payment. */
  #checkMove(known: Settlement, row: SettlementNote): void {
    const { id, note } = known;
    const { say, count } = this.#findings;
    if (row.state === "confirmed" && note.state !== "confirmed") {
      if (row.by !== "relayer") count("settlement confirmed by another's transaction");
      if (known.hasFailed) count("settlement confirmed after it had failed");
      if (known.hasFailed && row.by === "relayer") {
        say(`no transaction of ours moves the money of a payment that has failed: ${id}`);
      }
    }
    if (row.state === "failed") known.hasFailed = true;
    if (row.state === "queued") known.hasFailed = false;
    if (note.finalizedAt !== null) say(`${id} changes after it is final`);
    const isSigned = note.state === "queued" && row.state === "submitted";
    if (isSigned && !this.#transactions.hasBytes(String(row.carrier), row.hash)) {
      say(`${id} is submitted, and its transaction is not stored with the same bytes`);
    }
  }

  /** A payment gets a new nonce only when the old one is used by another transaction. */
  takeLink({ id, change, row }: StoredStep<"link">): void {
    const known = this.#known.get(row.settlement);
    if (change !== "made" || !known) return;
    const place = this.#transactions.placeOf(id);
    for (const earlier of known.carriers) {
      const isElsewhere = this.#transactions.placeOf(earlier) !== place;
      if (!isElsewhere || !this.#transactions.isOpen(earlier)) continue;
      this.#findings.say(
        `a payment gets a new nonce only when the old one is used by another transaction: ${known.id} is carried at ${place}, and by ${this.#transactions.wordsOf(earlier)}`,
      );
    }
    known.carriers.add(id);
  }
}

function wordsOf({ state, finalizedAt }: SettlementNote): string {
  return finalizedAt === null ? state : `final ${state}`;
}
