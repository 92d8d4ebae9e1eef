/** The doctor's check of files that hold secrets or payments: only their owner should read them. */
import { chmodSync, statSync } from "node:fs";
import { type CheckLine, ok, warn } from "@farthing/engine/base";
import { sqlitePathOf } from "@farthing/engine/storage";

/** Read and write for the owner, and nothing for others. */
const ownerOnly = 0o600;
const othersMask = 0o077;

/**
 * Checks the SQLite database and the files of secrets. With `isFixing` it takes the rights of others
 * away, which changes nothing for a facilitator that runs as the owner.
 */
export function checkFiles(
  databaseUrl: string,
  secretFiles: readonly string[],
  isFixing: boolean,
): CheckLine[] {
  const path = sqlitePathOf(databaseUrl);
  const database =
    path === undefined || path === ":memory:" ? [] : [path, `${path}-wal`, `${path}-shm`];
  return [...database, ...secretFiles].flatMap((file) => lineOf(file, isFixing));
}

function lineOf(file: string, isFixing: boolean): CheckLine[] {
  const name = "files";
  const stats = statSync(file, { throwIfNoEntry: false });
  // Container runtimes mount secrets readable by all, in a folder that only the container has.
  if (!stats?.isFile() || file.startsWith("/run/secrets/")) return [];
  const mode = stats.mode & 0o777;
  if ((mode & othersMask) === 0) return [];
  const text = `others on this machine may use ${file} (0${mode.toString(8)})`;
  if (!isFixing) return [warn(name, text, `chmod 600 ${file}, or farthing doctor --fix`)];
  try {
    chmodSync(file, ownerOnly);
    return [ok(name, `${file} is its owner's alone now; it was 0${mode.toString(8)}`)];
  } catch {
    return [warn(name, text, `chmod 600 ${file} as its owner`)];
  }
}
