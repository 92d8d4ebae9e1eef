import { cpSync, globSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { readManifest } from "./packages.ts";
import { prepareVersion } from "./version.ts";

const checkout = join(import.meta.dirname, "../..");
const current = String(readManifest(checkout)["version"]);
const [major, minor, patch] = current.split(".").map(Number);
const nextMinor = `${major}.${Number(minor) + 1}.0`;
const nextPatch = `${major}.${minor}.${Number(patch) + 1}`;
const day = "2027-01-31";
const manifests = globSync("{packages,tools,examples}/*/package.json", { cwd: checkout });
const composeFiles = ["deploy/facilitator/compose.yaml", "deploy/gateway/compose.yaml"];
const chart = "deploy/helm/farthing/Chart.yaml";
const released = `## ${current} (2026-12-01)\n\n### Buyers\n\n- Buyers pay.\n`;
const versionOfOurs =
  /("(version|farthing|farthing-operator|@farthing\/[a-z]+)": "|farthing:)\d+[\d.]+/g;
let root: string;

/** A copy of what a release changes, with a changelog of its own. */
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "version-"));
  for (const path of [
    "package.json",
    ".changeset/config.json",
    ...manifests,
    ...composeFiles,
    chart,
  ])
    cpSync(join(checkout, path), join(root, path));
  write("CHANGELOG.md", `# Changelog\n\n${released}`);
  // By this file changesets recognises the folder of the workspaces.
  write("package-lock.json", "{}");
});

const write = (path: string, text: string) => writeFileSync(join(root, path), text);
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const change = (name: string, bumps: string, summary: string) =>
  write(`.changeset/${name}.md`, `---\n${bumps}\n---\n\n${summary}\n`);
const prepare = (version?: string) => prepareVersion(root, { current, version, day });
const breaking = "Breaking: `sell` needs a price. Restore with `price: free`.";

test("the changes become a section, breaking ones first, and all packages get the next version", async () => {
  change("a", `"@farthing/gateway": patch`, "The gateway starts\nfaster.");
  change("b", `"farthing": patch\n"@farthing/seller": patch`, "`farthing pay` says why.");
  change("c", `"@farthing/seller": minor`, breaking);
  await expect(prepare()).resolves.toBe(nextMinor);
  expect(read("CHANGELOG.md")).toBe(
    `# Changelog

## ${nextMinor} (${day})

### Breaking changes

- \`sell\` needs a price. Restore with \`price: free\`.

### Command line

- \`farthing pay\` says why.

### Gateway

- The gateway starts faster.

${released}`,
  );
  expect(readdirSync(join(root, ".changeset"))).toEqual(["config.json"]);
  const files = [...manifests, ...composeFiles, "package.json"];
  const versions = files.flatMap((path) => read(path).match(versionOfOurs) ?? []);
  expect(versions.filter((line) => line.endsWith(current))).toEqual([]);
  expect(versions.filter((line) => line.endsWith(nextMinor)).length).toBeGreaterThan(40);
  expect(read(chart)).toContain(`\nversion: ${nextMinor}\nappVersion: "${nextMinor}"\n`);
});

test("fixes alone make a patch, and nothing to release is an error", async () => {
  await expect(prepare()).rejects.toThrow("There is no change in .changeset");
  change("a", `"@farthing/engine": patch`, "Settlement is faster.");
  await expect(prepare()).resolves.toBe(nextPatch);
});

test("a section that is not released yet gets its date and the changes under its headings", async () => {
  const first = "The first version.\n\n### Buyers\n\n- Buyers pay.\n\n### History\n\n- Old.\n";
  write("CHANGELOG.md", `# Changelog\n\n## ${current} (not released)\n\n${first}`);
  change("a", `"@farthing/buyer": minor`, "Buyers pay twice as fast.");
  await expect(prepare()).resolves.toBe(current);
  expect(read("CHANGELOG.md")).toBe(
    `# Changelog

## ${current} (${day})

The first version.

### Buyers

- Buyers pay.
- Buyers pay twice as fast.

### History

- Old.
`,
  );
});

test("a candidate has a version, and leaves changes and changelog for the release", async () => {
  change("a", `"@farthing/buyer": minor`, "Buyers pay twice as fast.");
  const before = read("CHANGELOG.md");
  await prepare(`${nextMinor}-rc.1`);
  expect(read("CHANGELOG.md")).toBe(before);
  expect(readdirSync(join(root, ".changeset"))).toContain("a.md");
  expect(readManifest(join(root, "packages/buyer"))["version"]).toBe(`${nextMinor}-rc.1`);
});

test.each([
  ["a package without a name of ours", `"left-pad": patch`, "It pads.", "left-pad"],
  ["a heading instead of a sentence", `"farthing": patch`, "faster start", "full sentences"],
  ["a list", `"farthing": patch`, "- It starts faster.", "without a list"],
  ["an essay", `"farthing": patch`, `It is ${"very ".repeat(80)}fast.`, "at most 80 words"],
  ["no remedy", `"farthing": minor`, "Breaking: No prices.", "Restore with <setting>"],
  ["a breaking fix", `"farthing": patch`, breaking, 'a breaking change is "minor"'],
  ["a step to 1.0.0", `"farthing": major`, "It is done.", "only a breaking change"],
])("%s is refused with advice", async (_what, bumps, summary, advice) => {
  change("a", bumps, summary);
  await expect(prepare()).rejects.toThrow(advice);
  expect(readManifest(join(root, "packages/buyer"))["version"]).toBe(current);
});
