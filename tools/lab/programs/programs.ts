/** Where the programs are that tests start as processes of their own. */
import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

/** Names the folder of the programs that a test run has bundled. */
export const bundlesVariable = "TEST_PROGRAMS";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/**
 * Returns the file to start: the program in one file with all that it imports, where the test run has
 * made one, and otherwise its source. From its source, a facilitator loads 1,300 files before it
 * does anything, which takes four times as long.
 */
export function programFile(source: URL): string {
  const path = fileURLToPath(source);
  const folder = process.env[bundlesVariable];
  if (folder === undefined) return path;
  const bundle = join(folder, relative(root, path).replace(/\.[jt]s$/, ".mjs"));
  return existsSync(bundle) ? bundle : path;
}
