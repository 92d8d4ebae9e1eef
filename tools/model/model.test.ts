/** The small runs of the model hold, and the checker finds what is wrong with a machine. */
import { describe, expect, test } from "vitest";
import { actOf, countReadings } from "../sim/replay/acts.ts";
import { explore, neverEnds } from "./checker/explore.ts";
import type { Machine } from "./checker/machine.ts";
import { createEngineMachine } from "./engine/machine.ts";
import { standForAll } from "./engine/same-states.ts";
import type { Bounds, State } from "./engine/state.ts";
import { storyOf } from "./report.ts";
import { smallRuns } from "./runs.ts";

describe("every promise holds in every state", () => {
  test.each(smallRuns)("$name", (run) => {
    const names = new Set<string>();
    const { counterExample, isComplete } = run.explore({ onStep: (name) => names.add(name) });
    expect(counterExample && storyOf(counterExample)).toBeUndefined();
    expect(isComplete).toBe(true);
    // Each step is one thing to the simulator, which replays stories by their words.
    expect([...names].filter((name) => countReadings(name) !== 1)).toEqual([]);
    expect([...names].filter((name) => actOf(name).do === "nothing")).toEqual([]);
  });
});

test("two payments are symmetrical: the reduction leaves out mirror images and nothing else", () => {
  const run = smallRuns.find(({ name }) => name === "engine: two payments");
  if (!run) throw new Error("The run is there");
  const [reduced, whole] = [run.explore(), run.explore({ isReduced: false })];
  expect(whole.counterExample).toBeUndefined();
  expect(whole.depth).toBe(reduced.depth);
  // A state with two equal payments is its own mirror image.
  expect(whole.states).toBeGreaterThan(1.9 * reduced.states);
  expect(whole.states).toBeLessThanOrEqual(2 * reduced.states);
});

/** What follows from a state: its verdict, and its steps with the states that stand for where they lead. */
function futureOf(machine: Machine<State>, state: State, bounds: Bounds) {
  const steps = [...machine.steps(state)].map(({ name, to }) => `${name}: ${standIn(to, bounds)}`);
  return {
    isBroken: machine.broken(state) !== undefined,
    isEnd: machine.isEnd(state),
    isCut: machine.isCut(state),
    // Steps that differ in nothing that matters are one.
    steps: [...new Set(steps)].toSorted(),
  };
}

function standIn(state: State, bounds: Bounds): string {
  const copy = structuredClone(state);
  standForAll(copy, bounds);
  return JSON.stringify(copy);
}

test.each(["a reorganisation", "an empty payer", "another program with the key"])(
  "%s: from the state that stands for another one, the same follows",
  (name) => {
    const run = smallRuns.find((one) => one.name === `engine: ${name}`);
    if (!run) throw new Error("The run is there");
    const bounds = { ...run.bounds, isReduced: false };
    const machine = createEngineMachine(bounds);
    let others = 0;
    const different: string[] = [];
    const compared: Machine<State> = {
      ...machine,
      broken(state) {
        const other: State = JSON.parse(standIn(state, bounds));
        if (JSON.stringify(other) === JSON.stringify(state)) return undefined;
        others++;
        const [one, two] = [state, other].map((each) => futureOf(machine, each, bounds));
        if (JSON.stringify(one) !== JSON.stringify(two)) different.push(JSON.stringify(state));
        return undefined;
      },
    };
    expect(explore(compared).isComplete).toBe(true);
    expect(different).toEqual([]);
    expect(others).toBeGreaterThan(1_000);
  },
);

/** Counts up to a number, and may stop on the way. */
const counter = (changes: Partial<Machine<number>>): Machine<number> => ({
  name: "counter",
  initial: 0,
  steps: (state) =>
    state < 5 ? [{ name: `counts to ${state + 1}`, to: state + 1, isFault: false }] : [],
  broken: () => undefined,
  isEnd: (state) => state === 5,
  isCut: () => false,
  ...changes,
});

describe("a machine with a fault", () => {
  test("a broken promise is told with the shortest story", () => {
    const { counterExample } = explore(
      counter({ broken: (state) => (state === 3 ? "it stays below three" : undefined) }),
    );
    expect(counterExample).toMatchObject({
      promise: "it stays below three",
      story: ["counts to 1", "counts to 2", "counts to 3"],
    });
  });

  test("a state from which only a fault leads to an end never ends", () => {
    const stuck = counter({
      steps: (state) =>
        state < 5 ? [{ name: "counts", to: state + 1, isFault: state === 4 }] : [],
    });
    expect(explore(stuck).counterExample?.promise).toBe(neverEnds);
    expect(explore(counter({})).counterExample).toBeUndefined();
  });

  test("what was not visited is not called complete", () => {
    expect(explore(counter({}), { maxStates: 3 }).isComplete).toBe(false);
  });

  test("a story has at most twenty lines, and its end", () => {
    const story = Array.from({ length: 40 }, (_, index) => `step ${index}`);
    const lines = storyOf({ promise: "it ends", story, state: "" }).split("\n");
    expect(lines).toHaveLength(21);
    expect(lines.at(-1)).toContain("step 39");
  });
});
