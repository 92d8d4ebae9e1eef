/** The page that sellers carry is the one of the sources; `npm run paywall` makes it so. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { texts } from "@farthing/paywall/texts";
import { expect, test } from "vitest";
import { partsPath, writeParts } from "./page-parts.ts";

const hashOf = (text: string) => createHash("sha256").update(text).digest("hex");

test("the generated page is up to date", async () => {
  const path = fileURLToPath(new URL(`../../${partsPath}`, import.meta.url));
  // Hashes: a difference in 40,000 characters of bundle tells nobody anything.
  const name = `${partsPath}, after npm run paywall`;
  expect({ name, hash: hashOf(readFileSync(path, "utf8")) }).toEqual({
    name,
    hash: hashOf(await writeParts()),
  });
});

/** Every text by its path, with the names of its values in order. */
function valuesOf(table: object, path = ""): [path: string, values: string[]][] {
  return Object.entries(table).flatMap(([key, text]: [string, unknown]) =>
    typeof text === "string"
      ? [[`${path}${key}`, (text.match(/\{\w+\}/g) ?? []).toSorted()] as [string, string[]]]
      : valuesOf(Object(text), `${path}${key}.`),
  );
}

test.each(Object.entries(texts))("the texts in %s name the same values as in English", (_, own) => {
  expect(valuesOf(own)).toEqual(valuesOf(texts.en));
});
