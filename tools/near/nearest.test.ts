/** The tests near a change are found over imports, and over the names of packages too. */
import { expect, test } from "vitest";
import { findNearest } from "./nearest.ts";
import { readImports } from "./read-imports.ts";

const imports = new Map([
  ["a.ts", []],
  ["b.ts", ["a.ts"]],
  ["b.test.ts", ["b.ts"]],
  ["a.test.ts", ["a.ts"]],
  ["c.test.ts", ["b.ts", "a.ts"]],
  ["circle.ts", ["b.ts", "circle.ts"]],
  ["apart.test.ts", []],
]);

test("the nearest come first, each once, and what reaches no change is left out", () => {
  expect(findNearest(imports, ["a.ts"])).toEqual([
    { path: "a.test.ts", steps: 1 },
    { path: "c.test.ts", steps: 1 },
    { path: "b.test.ts", steps: 2 },
  ]);
});

test("a test that was changed itself is the nearest of all", () => {
  expect(findNearest(imports, ["b.ts", "apart.test.ts"]).slice(0, 1)).toEqual([
    { path: "apart.test.ts", steps: 0 },
  ]);
});

test("a change of what no source imports reaches nothing", () => {
  expect(findNearest(imports, ["README.md"])).toEqual([]);
});

test("in this project, imports by path and by the name of a package are followed", () => {
  const near = findNearest(readImports(), ["packages/protocol/src/encoding/headers.ts"]);
  const stepsOf = (path: string) => near.find((one) => one.path === path)?.steps;
  expect(stepsOf("packages/protocol/src/encoding/headers.test.ts")).toBe(1);
  // It imports the protocol by name, whose index imports the changed file.
  expect(stepsOf("packages/seller/src/adapters/hono.test.ts")).toBeGreaterThan(1);
});
