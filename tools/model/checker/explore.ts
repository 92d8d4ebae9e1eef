/**
 * Visits every state that a machine can reach, shallowest first, so that the first counter-example is a
 * shortest one. Then it checks that a fair path leads from every state to an end.
 */
import { listEndless } from "./endless.ts";
import type { Machine, Step } from "./machine.ts";
import { Numbers } from "./numbers.ts";
import { VisitedStates } from "./visited.ts";

export interface Limits {
  /** The bound on memory: about 200 bytes for each state, and the text of those that are not visited yet. */
  readonly maxStates: number;
  readonly maxMs: number;
}

export interface Exploration {
  readonly machine: string;
  readonly states: number;
  readonly steps: number;
  readonly depth: number;
  readonly ends: number;
  /** States at which a bound of the configuration ended the way. */
  readonly cut: number;
  readonly ms: number;
  /** Whether all reachable states were visited. */
  readonly isComplete: boolean;
  readonly counterExample: CounterExample | undefined;
}

export interface CounterExample {
  readonly promise: string;
  /** The steps, one line each. */
  readonly story: readonly string[];
  /** The state that breaks the promise, as JSON. */
  readonly state: string;
}

export const neverEnds = "every pending payment ends";

export interface ExploreOptions extends Partial<Limits> {
  /** Called with the name of each step, as often as it is taken. */
  readonly onStep?: (name: string) => void;
  /** Whether symmetrical states count as one. */
  readonly isReduced?: boolean;
}

export function explore<State>(machine: Machine<State>, options: ExploreOptions = {}): Exploration {
  const { maxStates = 40_000_000, maxMs = Infinity, isReduced = true, onStep } = options;
  const startedAt = performance.now();
  const textOf = isReduced ? canonicalText(machine) : (state: State) => JSON.stringify(state);
  const visited = new VisitedStates();
  const parents = new Numbers();
  const depths = new Numbers();
  const fair = { from: new Numbers(), to: new Numbers() };
  const goals = new Numbers();
  const [first] = [textOf(machine.initial)];
  visited.add(first);
  parents.push(0);
  depths.push(0);
  let [steps, ends, cut] = [0, 0, 0];
  let broken: { index: number; promise: string; text: string } | undefined;
  // The texts of the states that wait, in the order of their indexes.
  let [layer, next]: [string[], string[]] = [[first], []];
  let index = 0;
  const isOver = () =>
    broken !== undefined || visited.size >= maxStates || performance.now() - startedAt > maxMs;
  for (; layer.length > 0 && !isOver(); [layer, next] = [next, []]) {
    for (const text of layer) {
      const state: State = JSON.parse(text);
      const promise = machine.broken(state);
      if (promise !== undefined) broken = { index, promise, text };
      if (isOver()) break;
      const isEnd = machine.isEnd(state);
      const isCut = !isEnd && machine.isCut(state);
      ends += Number(isEnd);
      cut += Number(isCut);
      if (isEnd || isCut) goals.push(index);
      for (const step of machine.steps(state)) {
        steps++;
        onStep?.(step.name);
        const target = textOf(step.to);
        const found = visited.add(target);
        if (found.isNew) {
          parents.push(index);
          depths.push(depths.at(index) + 1);
          next.push(target);
        }
        if (step.isFault || found.index === index) continue;
        fair.from.push(index);
        fair.to.push(found.index);
      }
      index++;
    }
  }
  const isComplete = broken === undefined && layer.length === 0;
  if (isComplete) {
    const endless = listEndless(visited.size, fair, goals);
    if (endless !== undefined) broken = { index: endless, promise: neverEnds, text: "" };
  }
  return {
    machine: machine.name,
    states: visited.size,
    steps,
    depth: depths.at(Math.max(0, index - 1)),
    ends,
    cut,
    ms: performance.now() - startedAt,
    isComplete,
    counterExample: broken && {
      promise: broken.promise,
      ...tell(machine, pathTo(parents, broken.index), { visited, textOf }),
    },
  };
}

/** The text of a state or of its mirror image, whichever comes first. */
function canonicalText<State>(machine: Machine<State>): (state: State) => string {
  const { mirror } = machine;
  if (!mirror) return (state) => JSON.stringify(state);
  return (state) => {
    const [one, other] = [JSON.stringify(state), JSON.stringify(mirror(state))];
    return one < other ? one : other;
  };
}

/** The indexes from the initial state to this one. */
function pathTo(parents: Numbers, index: number): number[] {
  const path: number[] = [];
  for (let at = index; at !== 0; at = parents.at(at)) path.push(at);
  return path.toReversed();
}

/** Walks a path again, and names its steps as they are without the reduction. */
function tell<State>(
  machine: Machine<State>,
  path: readonly number[],
  { visited, textOf }: { visited: VisitedStates; textOf(state: State): string },
): Omit<CounterExample, "promise"> {
  const story: string[] = [];
  let state = machine.initial;
  for (const index of path) {
    const step = [...machine.steps(state)].find(
      (one: Step<State>) => visited.add(textOf(one.to)).index === index,
    );
    if (!step) throw new Error("The path to a state has a step that the machine does not have");
    story.push(step.name);
    state = step.to;
  }
  return { story, state: JSON.stringify(state) };
}
