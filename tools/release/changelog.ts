/** The changelog: a section for each version, with the changes of all packages under headings. */
import { groupOf, groups, textOf, type Change } from "./changes.ts";

const openTitle = (version: string): string => `## ${version} (not released)`;

/** Says whether the changelog has begun a section for a version that is not released. */
export const isOpen = (changelog: string, version: string): boolean =>
  changelog.includes(`${openTitle(version)}\n`);

/** Returns a section's text by heading. What stands before the first heading is under "". */
function readHeadings(section: string): Map<string, string> {
  const [intro = "", ...parts] = section.split(/^### /m);
  const headed = parts.map((part): [string, string] => {
    const [heading = "", ...lines] = part.split("\n");
    return [heading, lines.join("\n").trim()];
  });
  return new Map([["", intro.trim()], ...headed]);
}

/** Headings in the order of `groups`; others stay where they are, at the end. */
const rank = (heading: string): number => {
  const at = groups.indexOf(heading);
  return heading === "" ? -1 : at < 0 ? groups.length : at;
};

function addChanges(section: string, changes: readonly Change[]): string {
  const parts = readHeadings(section);
  for (const change of changes) {
    const before = parts.get(groupOf(change)) ?? "";
    parts.set(groupOf(change), `${before}\n- ${textOf(change)}`.trim());
  }
  return [...parts]
    .sort(([one], [other]) => rank(one) - rank(other))
    .map(([heading, text]) => (heading === "" ? text : `### ${heading}\n\n${text}`))
    .filter((text) => text !== "")
    .join("\n\n");
}

/** Returns the changelog with the section of a version, dated, as its newest. */
export function addVersion(
  changelog: string,
  version: string,
  day: string,
  changes: readonly Change[],
): string {
  const [head = "", ...sections] = changelog.split(/^(?=## )/m);
  const begun = isOpen(sections[0] ?? "", version) ? sections.shift() : undefined;
  const written = begun?.slice(openTitle(version).length) ?? "";
  const section = `## ${version} (${day})\n\n${addChanges(written, changes)}\n`;
  return [head, sections.length === 0 ? section : `${section}\n`, ...sections].join("");
}
