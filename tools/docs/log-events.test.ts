/** The page of log events has every event of the code, and no other. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/reference/log-events.md"), "utf8");

/** The sections of the page and the packages that log their events. */
const sections = [
  ["Facilitator", ["engine", "facilitator"]],
  ["Gateway", ["gateway"]],
] as const;

/** Events as the code writes them: `event: "wallet_low"`, `` event: `purchase_${state}` ``. */
function eventsOf(packages: readonly string[]): string[] {
  const texts = packages.flatMap((name) => {
    const folder = join(root, "packages", name, "src");
    return readdirSync(folder, { encoding: "utf8", recursive: true })
      .filter((file) => file.endsWith(".ts") && !/\.(test|suite|testing)\.ts$/.test(file))
      .map((file) => readFileSync(join(folder, file), "utf8"));
  });
  const found = texts.flatMap((text) =>
    [...text.matchAll(/\bevent(?::| =) ["`]([a-z]+_[a-z_]*)(\$\{\w+\})?["`]/g)].map(
      ([, event = "", rest]) => (rest === undefined ? event : `${event}*`),
    ),
  );
  return [...new Set(found)].toSorted();
}

test.each(sections)("the events of the section %s are those of the code", (title, packages) => {
  const section = page.split(`\n## ${title}\n`)[1]?.split("\n## ")[0] ?? "";
  const listed = [...section.matchAll(/^\| `([a-z_]+)` /gm)].map(([, event = ""]) => event);
  const inCode = eventsOf(packages);
  const prefixes = inCode.flatMap((event) => (event.endsWith("*") ? [event.slice(0, -1)] : []));
  const isMade = (event: string) => prefixes.some((prefix) => event.startsWith(prefix));
  expect(inCode.length).toBeGreaterThan(5);
  expect(listed.filter((event) => !inCode.includes(event) && !isMade(event))).toEqual([]);
  expect(inCode.filter((event) => !event.endsWith("*") && !listed.includes(event))).toEqual([]);
  for (const prefix of prefixes)
    expect(listed.some((event) => event.startsWith(prefix))).toBe(true);
  expect(listed).toEqual([...new Set(listed)].toSorted());
});
