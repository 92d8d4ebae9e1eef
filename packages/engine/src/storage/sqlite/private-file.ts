/** SQLite files hold webhook secrets and signed payments; other users must not read them. */
import { chmodSync, closeSync, openSync, statSync } from "node:fs";

/** Access for the file's owner alone. */
export const fileMode = 0o600;

/** Access of users that are neither the owner nor in the file's group. */
const rightsOfOthers = 0o007;

/**
 * Creates the file before SQLite does, which would use the process's umask; its log and shared
 * memory get the file's mode. From an existing file, created by an earlier version, the access of
 * others is removed; a group's stays, because the operator granted it.
 */
export function keepPrivate(path: string): void {
  if (path === "" || path === ":memory:") return;
  try {
    closeSync(openSync(path, "a", fileMode));
  } catch {
    // SQLite reports why the file cannot be opened.
    return;
  }
  for (const end of ["", "-wal", "-shm"]) takeFromOthers(`${path}${end}`);
}

function takeFromOthers(path: string): void {
  try {
    const { mode } = statSync(path);
    if ((mode & rightsOfOthers) !== 0) chmodSync(path, mode & ~rightsOfOthers & 0o777);
  } catch {
    // The file does not exist, or belongs to another user, who protects it.
  }
}
