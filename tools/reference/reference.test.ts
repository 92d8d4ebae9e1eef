/** Holds the reference pages equal to the tables they are made from. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { pages } from "./pages.ts";

test.each(Object.entries(pages))("docs/reference/%s is up to date", (name, page) => {
  const text = readFileSync(join(import.meta.dirname, "../../docs/reference", name), "utf8");
  expect(text, "run `npm run reference`").toBe(page());
});
