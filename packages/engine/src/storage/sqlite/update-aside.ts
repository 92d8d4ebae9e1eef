/**
 * Updates a SQLite file to this version in a separate thread. SQLite works in the calling thread:
 * an index over a million rows takes seconds in which no other request, not even a liveness probe,
 * would get a response.
 */
import { once } from "node:events";
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { sql, type Kysely } from "kysely";
import { Fault, messageOf } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import type { Database } from "../dialect.ts";
import { lateIndexes } from "../late-indexes.ts";
import { migrationNames } from "../migrate.ts";
import type { Tables } from "../schema.ts";

/** The thread's code: source here, compiled where this file is. */
const code = new URL(`update-worker${extname(import.meta.url)}`, import.meta.url);

/** A log line of the worker thread. */
interface WorkerMessage {
  readonly fields: object;
  readonly message: string;
}

/** Updates an earlier version's file that has settlements. Throws `storage_unavailable`. */
export async function updateAside({ db, engine }: Database, log: Log): Promise<void> {
  if (engine.file === undefined || !(await isOfEarlierVersion(db))) return;
  log.info({ event: "database_update_started" }, "Database update started; this may take minutes");
  const worker = new Worker(code, { workerData: engine.file });
  worker.on("message", ({ fields, message }: WorkerMessage) => log.info(fields, message));
  try {
    await once(worker, "exit");
  } catch (error) {
    const fix = "see that the disk has room and that the file may be written, and start again";
    throw new Fault(
      "storage_unavailable",
      `The SQLite file ${engine.file} could not be brought to this version: ${messageOf(error)}; ${fix}`,
      { cause: error },
    );
  }
  log.info({ event: "database_updated" }, "Database updated");
}

async function isOfEarlierVersion(db: Kysely<Tables>): Promise<boolean> {
  const { rows } = await sql<{ name: string }>`select name from sqlite_master`.execute(db);
  const names = new Set(rows.map(({ name }) => name));
  if (!names.has("settlements")) return false;
  const some = await sql`select 1 from settlements limit 1`.execute(db);
  if (some.rows.length === 0) return false;
  if (lateIndexes.some(({ name }) => !names.has(name))) return true;
  const done = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
  return done.rows.length < migrationNames.length;
}
