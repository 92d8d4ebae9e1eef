/** docs/guarantees.md: each promise with its conditions, its limits and what shows it. */
import { guarantees, type Evidence, type Guarantee } from "./guarantees.ts";

export function guaranteesPage(made: string): string {
  return [
    made,
    "# Guarantees",
    "",
    "Each promise of Farthing in one sentence, what has to hold for it, what it does not say, and what shows it. Everything that is named here can be run from a clone of the repository; [Contributing](../CONTRIBUTING.md) says how. [guarantees.json](/guarantees.json) has the same for programs.",
    "",
    ...guarantees.flatMap(sectionOf),
  ].join("\n");
}

function sectionOf({ id, promise, conditions, limits, evidence }: Guarantee): string[] {
  return [
    `## ${id}`,
    "",
    `**${promise}**`,
    "",
    `**Conditions.** ${conditions}`,
    "",
    `**Limits.** ${limits}`,
    "",
    "**Shown by**",
    "",
    ...evidenceLines(evidence),
    "",
  ];
}

function list(names: readonly string[]): string {
  return names.map((name) => `“${name}”`).join(", ");
}

function evidenceLines({ tests, rules, invariants = [], cases = [] }: Evidence): string[] {
  return [
    ...tests.map(([file, title]) => {
      const link = `[${file}](../${file})`;
      return title === undefined ? `- all tests of ${link}` : `- the test “${title}” of ${link}`;
    }),
    ...(rules.length === 0
      ? []
      : [
          `- the rules ${list(rules)} of [the audit](../tools/lab/audit) that follows each run of the simulator and the soak`,
        ]),
    ...(invariants.length === 0
      ? []
      : [`- the invariants ${list(invariants)} of [the model](../tools/model)`]),
    ...(cases.length === 0 ? [] : [`- the cases ${list(cases)} of \`farthing conform\``]),
  ];
}
