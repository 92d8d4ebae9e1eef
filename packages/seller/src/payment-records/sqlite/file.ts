/** The SQLite file with the payment records: its rights and version, and transactions of two strengths. */
import { chmodSync, closeSync, openSync, statSync } from "node:fs";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { useWriteAheadLog } from "@farthing/protocol";
import { createBatches } from "./batches.ts";
import { addLater, firstVersion, secondVersion, type Database } from "./tables.ts";

/** The number in `pragma user_version`. Earlier files are migrated; later ones are not touched. */
const schemaVersion = 2;

/** Opens the file, which is created when there is none. */
export function openRecords(path: string, busyTimeoutMs: number): Database & { close(): void } {
  keepPrivate(path);
  const database = new DatabaseSync(path, { timeout: busyTimeoutMs });
  // Bounded: all texts come from this package.
  const statements = new Map<string, StatementSync>();
  const prepare = (text: string): StatementSync => {
    const statement = statements.get(text) ?? database.prepare(text);
    statements.set(text, statement);
    return statement;
  };
  let strengthNow = "";
  const opened: Database & { close(): void } = {
    get: (text, ...values) => prepare(text).get(...values),
    all: (text, ...values) => prepare(text).all(...values),
    run: (text, ...values) => void prepare(text).run(...values),
    transaction(work, strength) {
      if (strength !== strengthNow) {
        database.exec(`pragma synchronous = ${strength === "surely" ? "full" : "normal"}`);
        strengthNow = strength;
      }
      database.exec("begin immediate");
      try {
        const outcome = work();
        database.exec("commit");
        return outcome;
      } catch (error) {
        if (database.isTransaction) database.exec("rollback");
        throw error;
      }
    },
    together: (work, strength) => batches.add(() => apart(work), strength),
    close() {
      batches.commit();
      database.close();
    },
  };
  /** Undoes work that fails within a transaction, and nothing else of it. */
  function apart<T>(work: () => T): T {
    if (!database.isTransaction) throw new Error("The transaction has ended before its commit.");
    opened.run("savepoint work");
    try {
      const outcome = work();
      opened.run("release work");
      return outcome;
    } catch (error) {
      // A full disk may have ended the whole transaction.
      if (database.isTransaction) {
        opened.run("rollback to work");
        opened.run("release work");
      }
      throw error;
    }
  }
  const batches = createBatches((work, strength) => opened.transaction(work, strength));
  try {
    useWriteAheadLog(database, busyTimeoutMs);
    opened.transaction(() => setUp(database, opened, path), "surely");
  } catch (error) {
    database.close();
    throw error;
  }
  return opened;
}

function setUp(file: DatabaseSync, database: Database, path: string): void {
  const run = (text: string) => file.exec(text);
  const version = database.get("pragma user_version")?.["user_version"];
  if (version === schemaVersion) return addLater(database, run);
  const { tables } = database.get("select count(*) as tables from sqlite_schema") ?? {};
  const isNew = version === 0 && tables === 0;
  if (!isNew && version !== 1) {
    throw new Error(`${path} is not a file of grants of this version; choose another path.`);
  }
  if (isNew) run(firstVersion);
  run(secondVersion);
  run(`pragma user_version = ${schemaVersion}`);
  addLater(database, run);
}

/** The file holds paid responses: only its owner reads it. */
const fileMode = 0o600;

/** Rights of users who are neither the owner nor in the file's group. */
const rightsOfOthers = 0o007;

/**
 * Creates the file before SQLite does, which would use the process's umask; its log and its shared
 * memory inherit the rights. An existing file loses the rights of others; those of the group stay,
 * because its operator has granted them.
 */
function keepPrivate(path: string): void {
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
    // It does not exist, or belongs to another user.
  }
}
