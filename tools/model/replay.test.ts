/** Counter-examples of the model, played on the real service: with the same mutant it breaks a promise. */
import { afterAll, describe, expect, test } from "vitest";
import { createDatabases } from "../sim/databases.ts";
import { replay, wordsOf, type Replay } from "../sim/replay/replay.ts";
import { readStory } from "../sim/replay/story.ts";
import { findStory } from "./replay-command.ts";

const databases = createDatabases();
afterAll(() => databases.stop());

/** The audit's own table is the one without the mutant, so that this rule shows nothing of the outcome. */
const ofSteps = "every step is the model's";

function brokenIn({ report }: Replay): string[] {
  return report.violations.map(({ rule }) => rule).filter((rule) => rule !== ofSteps);
}

const notPlayed = ({ played }: Replay) => played.filter(({ how }) => how.startsWith("not played"));

describe("a mutant that the model finds", { concurrent: true }, () => {
  test.each([
    ["a confirmation is recorded as a failure", "engine: a crash", "the store is the chain"],
    ["a reorganised payment stays confirmed", "engine: a reorganisation", "the store is the chain"],
    [
      "a cancellation counts before it is final",
      "engine: a cancellation in a reorganisation",
      "failed is final",
    ],
  ])("%s", async (mutant, run, rule) => {
    const story = await findStory(run, mutant);
    if (!story) throw new Error("The model does not find it");
    const [mutated, sound] = await Promise.all([
      replay(story, databases, mutant),
      replay(story, databases, undefined),
    ]);
    expect(brokenIn(mutated), wordsOf(mutated)).toContain(rule);
    expect(sound.report.violations, wordsOf(sound)).toEqual([]);
    expect([...notPlayed(mutated), ...notPlayed(sound)], wordsOf(sound)).toEqual([]);
  });
});

test("a printed story is read; one that lacks its beginning is refused", () => {
  const printed = "Broken: it ends.\n   1  process 1 starts\n   2  process 1 claims A\n";
  expect(readStory(printed)).toMatchObject({
    promise: "it ends",
    steps: ["process 1 starts", "process 1 claims A"],
    size: { payments: 1, processes: 1 },
  });
  expect(() => readStory("Broken: it ends.\n   1  … 4 steps\n   2  process 1 starts\n")).toThrow(
    "lacks its beginning",
  );
  expect(() => readStory("nothing of the kind")).toThrow("no counter-example");
});
