/** The page that sellers carry is the one of the sources; `npm run paywall` makes it so. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
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
