/**
 * One folder for all files of a test run. A test that is cut off, or a process that it kills, cannot
 * tidy up after itself; the run does.
 */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Called by Vitest before the first test; it calls the returned function after the last. */
export default function setUp(): () => void {
  const folder = mkdtempSync(join(tmpdir(), "farthing-tests-"));
  // As root, the tests' PostgreSQL runs as another user, who must have access.
  chmodSync(folder, 0o711);
  // The system's folder for temporary files; workers and children inherit it.
  process.env["TMPDIR"] = folder;
  // Processes share their compiled sources: workers and commands are started by the hundred.
  process.env["NODE_COMPILE_CACHE"] = join(folder, "compiled");
  // Commands keep a buyer's ledger here, never in the home of the user who runs the tests.
  process.env["XDG_CONFIG_HOME"] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
