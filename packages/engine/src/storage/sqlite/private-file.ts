/** SQLite files hold webhook secrets and signed payments; other users must not read them. */
import { chmodSync, closeSync, openSync, statSync } from "node:fs";

/** For the file's owner alone. */
export const fileMode = 0o600;

/** Rights of everybody who is neither the owner nor in the file's group. */
const rightsOfOthers = 0o007;

/**
 * Makes the file before SQLite does, which would use the process's umask; its log and its shared
 * memory get the rights that the file has. From a file that is there already, as an earlier version
 * made it, the rights of others are taken; those of a group stay, which its operator has given.
 */
export function keepPrivate(path: string): void {
  if (path === "" || path === ":memory:") return;
  try {
    closeSync(openSync(path, "a", fileMode));
  } catch {
    // SQLite will say in its own words why the file cannot be opened.
    return;
  }
  for (const end of ["", "-wal", "-shm"]) takeFromOthers(`${path}${end}`);
}

function takeFromOthers(path: string): void {
  try {
    const { mode } = statSync(path);
    if ((mode & rightsOfOthers) !== 0) chmodSync(path, mode & ~rightsOfOthers & 0o777);
  } catch {
    // It is not there, or another user's: then it is theirs to keep.
  }
}
