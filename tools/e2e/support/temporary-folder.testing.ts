/**
 * One folder for all files of a test run. A test that is cut off, or a process that it kills, cannot
 * tidy up after itself; the run does.
 */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Called by vitest before the first test; what it gives is called after the last. */
export default function setUp(): () => void {
  const folder = mkdtempSync(join(tmpdir(), "farthing-tests-"));
  // As root, the tests' PostgreSQL runs as somebody else, who must get through.
  chmodSync(folder, 0o711);
  // What the system calls its folder for files that nobody keeps; workers and children inherit it.
  process.env["TMPDIR"] = folder;
  // What one process has compiled the next ones need not compile again: workers and commands are
  // started by the hundred.
  process.env["NODE_COMPILE_CACHE"] = join(folder, "compiled");
  // And where a command keeps a buyer's ledger: never the one of whoever runs the tests.
  process.env["XDG_CONFIG_HOME"] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
