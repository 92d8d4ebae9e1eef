/** What is packed of each package: its licence, and nothing that is only for us. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** A package as `npm pack` lists it. */
interface Packed {
  readonly name: string;
  readonly files: readonly { readonly path: string }[];
}

test("every package carries the licence, and no sources or tests", async () => {
  const flags = ["pack", "--dry-run", "--json", "--workspaces"];
  const { stdout } = await promisify(execFile)("npm", flags, { cwd: root });
  const packed: readonly Packed[] = Object.values(JSON.parse(stdout));
  expect(packed.length).toBeGreaterThan(5);
  for (const { name, files } of packed) {
    const paths = files.map(({ path }) => path);
    expect([name, paths]).toEqual([name, expect.arrayContaining(["LICENSE", "package.json"])]);
    expect([name, paths.filter((path) => /^src\/|\.(test|suite)\./.test(path))]).toEqual([
      name,
      [],
    ]);
  }
});
