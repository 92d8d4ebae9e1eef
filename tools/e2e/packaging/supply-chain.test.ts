/** What runs before our own code does: install scripts of listed packages, and actions by their commit. */
import { readdirSync, readFileSync } from "node:fs";
import { isObject } from "@farthing/protocol";
import { expect, test } from "vitest";

const root = new URL("../../../", import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), "utf8");

test("packages that run a script when they are installed are listed, and no others", () => {
  const { packages } = JSON.parse(read("package-lock.json"));
  const withScripts = Object.entries(packages)
    .filter(([, one]) => isObject(one) && one["hasInstallScript"] === true)
    .map(([path]) => path.replace(/^.*node_modules\//, ""));
  expect(withScripts.length).toBeGreaterThan(0);
  const { allowScripts } = JSON.parse(read("package.json"));
  expect(Object.keys(allowScripts).toSorted()).toEqual([...new Set(withScripts)].toSorted());
  expect(new Set(Object.values(allowScripts))).toEqual(new Set([true]));
  // Without it, npm warns about a package that is not listed, and may run its script.
  expect(read(".npmrc")).toMatch(/^strict-allow-scripts=true$/m);
});

test("workflows name actions by their commit", () => {
  const files = readdirSync(new URL(".github/workflows", root));
  const uses = files.flatMap((file) =>
    [...read(`.github/workflows/${file}`).matchAll(/^\s*-? *uses: *(.+)$/gm)].map(([, one]) => one),
  );
  expect(uses.length).toBeGreaterThan(0);
  for (const one of uses) expect(one).toMatch(/^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});
