/** The stored steps of relayer transactions, against their table of transitions. */
import { openTransactionStates, transactionTransitions } from "@farthing/engine/testing/rules";
import { isIn, type createFindings, type Transition } from "./findings.ts";
import type { StoredStep, TransactionNote } from "./stored-steps.ts";

export class TransactionSteps {
  readonly #known = new Map<string, TransactionNote>();
  /** The transaction that is mined at a nonce. */
  readonly #mined = new Map<string, string>();
  readonly #findings: ReturnType<typeof createFindings>;

  constructor(findings: ReturnType<typeof createFindings>) {
    this.#findings = findings;
  }

  isOpen(id: string): boolean {
    return isIn(openTransactionStates, this.#known.get(id)?.state);
  }

  hasBytes(id: string, hash: string | null): boolean {
    return hash !== null && this.#known.get(id)?.hash === hash;
  }

  placeOf(id: string): string {
    const note = this.#known.get(id);
    return note ? placeOf(note) : "no nonce";
  }

  wordsOf(id: string): string {
    return `transaction ${id} at ${this.placeOf(id)}, which is ${this.#known.get(id)?.state}`;
  }

  take({ id, change, row }: StoredStep<"transaction">): void {
    const { say } = this.#findings;
    if (change === "gone") {
      // It is kept elsewhere, or its settlements are over for good.
      if (this.isOpen(id)) say(`${this.wordsOf(id)} is removed while it is open`);
      return;
    }
    const known = this.#known.get(id);
    this.#known.set(id, row);
    if (!known) {
      if (row.state !== "intent") say(`${this.wordsOf(id)} before anything was signed`);
      return;
    }
    if (known.hash !== null && known.hash !== row.hash) {
      say(`${this.wordsOf(id)}, has other bytes than before`);
    }
    if (row.hash === null && row.state !== "intent" && row.state !== "dropped") {
      say(`${this.wordsOf(id)}, has no bytes`);
    }
    if (known.state !== row.state) this.#move(id, known, row);
  }

  #move(id: string, known: TransactionNote, row: TransactionNote): void {
    const { say, count } = this.#findings;
    const found = Object.entries<Transition>(transactionTransitions).find(
      ([, { from, to }]) => isIn(from, known.state) && to === row.state,
    );
    if (!found) return say(`no transition: transaction ${id}, ${known.state} to ${row.state}`);
    count(`transaction ${nameOf(found[0], known)}`);
    const place = placeOf(row);
    const other = this.#mined.get(place);
    if (row.state === "mined") {
      if (other !== undefined) say(`two at ${place} are mined: ${other} and ${id}`);
      this.#mined.set(place, id);
    } else if (other === id) this.#mined.delete(place);
  }
}

/** What was never signed may be dropped by two transitions, whose effect is the same. */
function nameOf(name: string, { state }: TransactionNote): string {
  if (name !== "dropped" && name !== "released") return name;
  return state === "intent" ? "released" : "dropped";
}

function placeOf({ nonce, lane }: TransactionNote): string {
  return `nonce ${nonce} of ${lane}`;
}
