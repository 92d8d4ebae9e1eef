/** The files of `.changeset`: one for each change that a user notices, until the next release. */
import { getReleasePlan } from "@changesets/get-release-plan";

/** A change with its packages and the size of the step that each of them takes. */
export type Change = Plan["changesets"][number];
type Plan = Awaited<ReturnType<typeof getReleasePlan>>;

/** Every change of a package bumps all of them, so the packages of a change say whom it is for. */
const groupOfPackage: Readonly<Record<string, string>> = {
  "@farthing/seller": "Sellers",
  "@farthing/paywall": "Sellers",
  "@farthing/buyer": "Buyers",
  farthing: "Command line",
  "@farthing/gateway": "Gateway",
  "farthing-operator": "Operators",
  "@farthing/facilitator": "Operators",
  "@farthing/engine": "Operators",
  "@farthing/dashboard": "Accounts",
  "@farthing/protocol": "Protocol",
  "@farthing/devnet": "Local chain",
  "@farthing/conform": "Command line",
};

/** The first word of a change that an upgrade has to take into account. */
const breakingMark = /^Breaking: +/;
const breakingGroup = "Breaking changes";

/** The headings of a version's section, in order. */
export const groups: readonly string[] = [
  ...new Set([breakingGroup, ...Object.values(groupOfPackage)]),
];

/** Returns the heading of a change, which is that of its first package unless it is breaking. */
export const groupOf = ({ summary, releases }: Change): string =>
  breakingMark.test(summary)
    ? breakingGroup
    : (groupOfPackage[releases[0]?.name ?? ""] ?? "Operators");

/** Returns the text of a change on one line, without its mark. */
export const textOf = ({ summary }: Change): string =>
  summary.replace(breakingMark, "").replace(/\s+/g, " ").trim();

/** A reader of the changelog takes in a sentence or three for each change; more belongs in a guide. */
const maxWords = 80;

/** Returns what is wrong with a change, for the person who wrote it. */
function problemsOf(change: Change, isStable: boolean): string[] {
  const { id, summary, releases } = change;
  const text = textOf(change);
  const isBreaking = breakingMark.test(summary);
  const breakingBump = isStable ? "major" : "minor";
  const unknown = releases.filter(({ name }) => groupOfPackage[name] === undefined);
  const rules: readonly (readonly [isBroken: boolean, advice: string])[] = [
    [releases.length === 0, "name a package"],
    [unknown.length > 0, `${unknown.map(({ name }) => name).join(", ")} is not published`],
    [!/^[A-Z`].*[.!]$/.test(text), "write full sentences"],
    [/\n\s*\n|^\s*([-*#]|\d+\.)\s/m.test(summary), "write one paragraph, without a list"],
    [
      text.split(" ").length > maxWords,
      `write at most ${maxWords} words; a guide has room for more`,
    ],
    [
      isBreaking && !/Restore with|No setting restores/.test(text),
      'end with "Restore with <setting>." or "No setting restores the old behaviour."',
    ],
    [
      isBreaking && releases.some(({ type }) => type !== breakingBump),
      `a breaking change is "${breakingBump}"`,
    ],
    [
      !isBreaking && releases.some(({ type }) => type === "major"),
      'only a breaking change is "major", and begins with "Breaking: "',
    ],
  ];
  return rules.flatMap(([isBroken, advice]) =>
    isBroken ? [`.changeset/${id}.md: ${advice}`] : [],
  );
}

/** Reads the changes since the last release. Throws with advice when a file is not well-formed. */
export async function readChanges(root: string, current: string): Promise<Change[]> {
  const { changesets } = await getReleasePlan(root);
  const isStable = !current.startsWith("0.");
  const problems = changesets.flatMap((change) => problemsOf(change, isStable));
  if (problems.length > 0) throw new Error(problems.join("\n"));
  return changesets;
}

/** Returns the version that follows from the changes. All packages take the same step. */
export async function nextVersion(root: string): Promise<string | undefined> {
  const { releases } = await getReleasePlan(root);
  return releases.find(({ type }) => type !== "none")?.newVersion;
}
