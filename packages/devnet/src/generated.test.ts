/** What is committed as generated is what the sources give: run `npm run contracts` if not. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as Hash from "ox/Hash";
import { expect, test } from "vitest";
import { compileContracts } from "../contracts/compile.ts";

const repository = join(import.meta.dirname, "../../..");

test("the generated files are up to date", async () => {
  const compiled = await compileContracts();
  expect(compiled.size).toBe(8);
  for (const [path, text] of compiled) {
    const committed = readFileSync(join(repository, path), "utf8");
    // Hashes: a difference in 20,000 digits of code tells nobody anything.
    const name = `${path}, after npm run contracts`;
    expect({ name, hash: Hash.keccak256(toBytes(committed)) }).toEqual({
      name,
      hash: Hash.keccak256(toBytes(text)),
    });
  }
});

const toBytes = (text: string): Uint8Array => new TextEncoder().encode(text);
