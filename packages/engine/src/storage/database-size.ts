/** The size of a database, and the free space where the server reports it. */
import { existsSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { sql, type Kysely } from "kysely";
import type { Tables } from "./schema.ts";

/** In bytes. */
export interface DatabaseSize {
  readonly used: number;
  /** Free space on the disk of a SQLite file; PostgreSQL does not report it. */
  readonly free?: number;
}

/** `path` is that of a SQLite file, whose log is included. */
export async function measureDatabase(
  db: Kysely<Tables>,
  path: string | undefined,
): Promise<DatabaseSize> {
  if (path === undefined) {
    const question = sql<{ bytes: string }>`select pg_database_size(current_database()) as bytes`;
    const { rows } = await question.execute(db);
    return { used: Number(rows[0]?.bytes ?? 0) };
  }
  const files = [path, `${path}-wal`].filter((file) => existsSync(file));
  const used = files.reduce((sum, file) => sum + statSync(file).size, 0);
  const { bavail, bsize } = statfsSync(dirname(path));
  return { used, free: bavail * bsize };
}
