/** The list of mutants fits the files: each change still applies, at one place. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mutants } from "./mutants.ts";

const root = join(import.meta.dirname, "../../..");

test.each(mutants)("$name", async ({ file, text, instead }) => {
  const source = await readFile(join(root, file), "utf8");
  expect(source.split(text)).toHaveLength(2);
  expect(instead).not.toBe(text);
});

test("no mutant is listed twice", () => {
  const changes = mutants.map(({ file, text, instead }) => `${file} ${text} ${instead}`);
  expect(new Set(changes).size).toBe(mutants.length);
  expect(mutants.length).toBeGreaterThanOrEqual(40);
});
