/** docs/guarantees.md: each promise with its conditions, its limits and what shows it. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { guarantees, type Evidence, type Guarantee } from "./guarantees.ts";

const root = join(import.meta.dirname, "../..");

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

/** The names, each with the source file of a folder that has it. */
function listIn(folder: string, names: readonly string[]): string {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !/\.(test|testing|suite)\.ts$/.test(name))
    .toSorted()
    .map((name) => join(folder, name));
  return names
    .map((name) => {
      const file = files.find((one) => readFileSync(join(root, one), "utf8").includes(`"${name}"`));
      return `[“${name}”](../${file ?? folder})`;
    })
    .join(", ");
}

/** A line about names, where there are any. */
const each = (names: readonly string[], line: () => string) => (names.length > 0 ? [line()] : []);

function evidenceLines(evidence: Evidence): string[] {
  const { tests, rules, invariants = [], cases = [], paths = [] } = evidence;
  return [
    ...tests.map(([file, title]) => {
      const link = `[${file}](../${file})`;
      return title === undefined ? `- all tests of ${link}` : `- the test “${title}” of ${link}`;
    }),
    ...each(
      rules,
      () =>
        `- the rules ${listIn("tools/lab/audit", rules)} of the audit that follows each run of the simulator and the soak`,
    ),
    ...each(invariants, () => `- the invariants ${listIn("tools/model", invariants)} of the model`),
    ...each(
      cases,
      () => `- the cases ${listIn("packages/conform/src", cases)} of \`farthing conform\``,
    ),
    ...each(
      paths,
      () =>
        `- the [recovery paths](reference/campaigns.md#recovery-paths) ${paths.map((path) => `“${path}”`).join(", ")}, which are counted in runs`,
    ),
  ];
}
