/** The part of `npm run check` on packages: builds and packs them apart, and lets publint and "are the types wrong" judge. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkTarball } from "./check-tarball.ts";
import { packSources } from "./pack-sources.ts";

const work = mkdtempSync(join(tmpdir(), "farthing-check-"));
try {
  const packed = await packSources(join(import.meta.dirname, "../.."), work);
  const problems = (await Promise.all(packed.map(checkTarball))).flat();
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
  else console.log(`${packed.length} packages: publint and "are the types wrong" find nothing.`);
} finally {
  rmSync(work, { recursive: true, force: true });
}
