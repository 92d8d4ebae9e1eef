/**
 * Copies a SQLite file while the facilitator writes to it: one file with everything that was
 * committed when the copy began, which can replace the original.
 */
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { Fault } from "../../base/fault.ts";
import { fileMode } from "./private-file.ts";
import { sqlitePathOf } from "./sqlite-path.ts";

/**
 * All pages in one step. In several steps the copy would restart at every write in between, and
 * never end beside a busy facilitator. Writers do not wait for a reader of a write-ahead log.
 */
const pagesPerStep = 2 ** 31 - 1;

export interface BackUp {
  readonly bytes: number;
}

/**
 * Copies the database of `databaseUrl` to `file`, which must not exist, and checks the copy. The
 * file gets its name when all of it is on the disk. Throws the faults `configuration` (not SQLite,
 * or the file exists) and `storage_unavailable`.
 */
export async function backUpSqlite(databaseUrl: string, file: string): Promise<BackUp> {
  const path = sqlitePathOf(databaseUrl);
  if (path === undefined || path === ":memory:") {
    throw refusal("Only a SQLite file is copied here; of PostgreSQL, pg_dump makes the copy");
  }
  if (!existsSync(path)) throw refusal(`There is no database at ${path} to copy`);
  if (existsSync(file)) throw refusal(`${file} is there already; name a new file`);
  const partial = `${file}.partial`;
  try {
    // Left by an interrupted copy.
    rmSync(partial, { force: true });
    closeSync(openSync(partial, "wx", fileMode));
    await copy(path, partial);
    check(partial);
    sync(partial);
    renameSync(partial, file);
    sync(dirname(file));
    return { bytes: statSync(file).size };
  } catch (error) {
    rmSync(partial, { force: true });
    if (error instanceof Fault) throw error;
    throw new Fault("storage_unavailable", `The copy to ${file} failed`, { cause: error });
  }
}

function refusal(message: string): Fault {
  return new Fault("configuration", message, { retryable: false });
}

async function copy(from: string, to: string): Promise<void> {
  const source = new DatabaseSync(from, { readOnly: true });
  try {
    await backup(source, to, { rate: pagesPerStep });
  } finally {
    source.close();
  }
}

/** Reads the copy as a restore would. */
function check(path: string): void {
  const database = new DatabaseSync(path);
  try {
    // One file, not three: the log would be left behind when the file is moved.
    database.exec("pragma journal_mode = DELETE");
    const verdict = database.prepare("pragma integrity_check").get()?.["integrity_check"];
    if (verdict !== "ok") {
      throw new Fault("storage_unavailable", `The copy is damaged: ${String(verdict)}`);
    }
  } finally {
    database.close();
  }
}

function sync(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
