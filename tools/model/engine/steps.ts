/** The steps from a state, as they are collected. */
import type { Step } from "../checker/machine.ts";
import { standForAll } from "./same-states.ts";
import type { Bounds, State } from "./state.ts";

type Change = (draft: State) => void;

/** Collects the steps from a state. Each change is made on a copy. */
export class Steps {
  readonly list: Step<State>[] = [];
  readonly #text: string;
  readonly #bounds: Bounds;

  constructor(state: State, bounds: Bounds) {
    this.#text = JSON.stringify(state);
    this.#bounds = bounds;
  }

  /** What happens by itself, in time. */
  add(name: string, change: Change): void {
    this.#make(name, change, false);
  }

  /** What need not happen. */
  addFault(name: string, change: Change): void {
    this.#make(name, change, true);
  }

  #make(name: string, change: Change, isFault: boolean): void {
    const to: State = JSON.parse(this.#text);
    change(to);
    noteTold(to);
    if (this.#bounds.isReduced) standForAll(to, this.#bounds);
    this.list.push({ name, to, isFault });
  }
}

/** Callers ask at every moment, so whatever the database says is told. */
function noteTold(state: State): void {
  for (const [payment, row] of state.database.settlements.entries()) {
    if (row?.state === "confirmed") state.toldConfirmed |= 1 << payment;
    if (row?.state === "failed") state.toldFailed |= 1 << payment;
  }
}
