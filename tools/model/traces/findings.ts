/** What a checker of stored steps has found. */
import type { TransitionCondition } from "@farthing/engine";

export interface Findings {
  /** How often each transition was made, by its table and its name there. */
  readonly taken: ReadonlyMap<string, number>;
  /** What no table allows or what breaks a promise, in words. */
  readonly broken: readonly string[];
}

/** A transition of any of the tables, whose states are words here. */
export interface Transition {
  readonly from: readonly string[];
  readonly to?: string;
  readonly only?: TransitionCondition;
}

/** A run whose every step is wrong says so often enough by these. */
const maxBroken = 20;

export function createFindings() {
  const taken = new Map<string, number>();
  const broken: string[] = [];
  return {
    taken,
    broken,
    say(text: string): void {
      if (broken.length < maxBroken) broken.push(text);
    },
    count: (name: string) => void taken.set(name, (taken.get(name) ?? 0) + 1),
  } satisfies Findings & Record<string, unknown>;
}

export function isIn(states: readonly string[], state: string | undefined): boolean {
  return state !== undefined && states.includes(state);
}
