/** The security page names tests; each of them must exist under the title that the page uses. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/security.md"), "utf8");

/** A file in backticks, and an optional title in quotes. */
const mentions = [...page.matchAll(/`([\w./-]+\.(?:test|suite)\.ts)`(?: "([^"]+)")?/g)];

/** Table rows without heads and separators. */
const rows = page
  .split("\n")
  .filter((line) => line.startsWith("| ") && !/^\| (---|attack)/.test(line));

test("every test that the page names is there, under its title", () => {
  expect(mentions.length).toBeGreaterThan(20);
  const missing = mentions.filter(([, file = "", title]) => {
    const path = join(root, file);
    return (
      !existsSync(path) || (title !== undefined && !readFileSync(path, "utf8").includes(title))
    );
  });
  expect(missing.map(([mention]) => mention)).toEqual([]);
});

test("every attack of the page names a test, or the place that does", () => {
  const unproven = rows.filter((row) => !/\.(test|suite)\.ts`|see "/.test(row));
  expect(unproven).toEqual([]);
});
