/**
 * The part of `npm run check` on packages. The changes in `.changeset` are read; then all packages are
 * built and packed in a folder of their own, and publint and "are the types wrong" check the tarballs.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkTarball } from "./check-tarball.ts";
import { readChanges } from "./changes.ts";
import { packSources } from "./pack-sources.ts";
import { readManifest } from "./packages.ts";

const root = join(import.meta.dirname, "../..");
await readChanges(root, String(readManifest(root)["version"])).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});

const work = mkdtempSync(join(tmpdir(), "farthing-check-"));
try {
  const packed = await packSources(root, work);
  const problems = (await Promise.all(packed.map(checkTarball))).flat();
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
  else console.log(`${packed.length} packages: publint and "are the types wrong" find nothing.`);
} finally {
  rmSync(work, { recursive: true, force: true });
}
