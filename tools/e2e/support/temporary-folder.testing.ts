/**
 * One folder for all files of a test run. A test that is cut off, or a process that it kills, cannot
 * tidy up after itself; the run does.
 */
import { chmodSync, mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Linux's file system in memory. Databases that live a second need not wait for a disk. */
const memoryFolder = "/dev/shm";
/** Bytes. A whole run leaves less than half of it behind at its end. */
const roomNeeded = 4 * 1024 ** 3;

/** The folder in memory where it has room, and memory to back it; otherwise the system's. */
function findParent(): string {
  if (process.env["TMPDIR"] !== undefined) return tmpdir();
  try {
    const { bavail, bsize } = statfsSync(memoryFolder);
    // Twice: the tests themselves need memory too.
    const isRoomy = bavail * bsize >= roomNeeded && process.availableMemory() >= 2 * roomNeeded;
    return isRoomy ? memoryFolder : tmpdir();
  } catch {
    return tmpdir();
  }
}

/** A process that ends may write its compiled sources once more; within three seconds none is left. */
const removal = { recursive: true, force: true, maxRetries: 30, retryDelay: 100 } as const;

/** Called by Vitest before the first test; it calls the returned function after the last. */
export default function setUp(): () => void {
  const folder = mkdtempSync(join(findParent(), "farthing-tests-"));
  // As root, the tests' PostgreSQL runs as another user, who must have access.
  chmodSync(folder, 0o711);
  // The system's folder for temporary files; workers and children inherit it.
  process.env["TMPDIR"] = folder;
  // Processes share their compiled sources: workers and commands are started by the hundred.
  process.env["NODE_COMPILE_CACHE"] = join(folder, "compiled");
  // The first test that starts a PostgreSQL leaves its empty data here for the others.
  process.env["TEST_POSTGRES_TEMPLATE"] = join(folder, "postgres-template");
  // Commands keep a buyer's ledger here, never in the home of the user who runs the tests.
  process.env["XDG_CONFIG_HOME"] = folder;
  return () => rmSync(folder, removal);
}
