/** The thread that `update-aside.ts` starts: all changes of a new version to a file. */
import { parentPort, workerData } from "node:worker_threads";
import { Kysely } from "kysely";
import { silentLog } from "../../base/log.ts";
import { createBefore } from "../late-indexes.ts";
import { migrate } from "../migrate.ts";
import type { Tables } from "../schema.ts";
import { openSqlite } from "./node-sqlite.ts";

/** It waits this long for a writer: another process may be creating the same indexes. */
const busyTimeoutMs = 10 * 60_000;

const engine = openSqlite(String(workerData), { busyTimeoutMs });
const db = new Kysely<Tables>({ dialect: engine.dialect });
await migrate({ db, engine });
// Reports each index to the waiting thread.
await createBefore(db, {
  ...silentLog,
  info: (fields, message) => parentPort?.postMessage({ fields, message }, []),
});
await db.destroy();
