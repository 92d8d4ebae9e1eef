/** A full disk under SQLite: SQLite rolls back by itself, and callers receive its first error. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Kysely, sql } from "kysely";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createGroupCommit } from "../../src/storage/group-commit.ts";
import type { Tables } from "../../src/storage/schema.ts";
import { openSqlite } from "../../src/storage/sqlite/node-sqlite.ts";

let folder: string;
let db: Kysely<Tables>;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "farthing-full-disk-"));
  db = new Kysely<Tables>({ dialect: openSqlite(join(folder, "full.db")).dialect });
  await sql`create table filler (bytes blob)`.execute(db);
  // No page more than the file has.
  await sql`pragma max_page_count = 1`.execute(db);
});
afterEach(async () => {
  await db.destroy();
  rmSync(folder, { recursive: true });
});

async function fill(inside: Kysely<Tables>): Promise<void> {
  await sql`insert into filler values (zeroblob(100000))`.execute(inside);
}

async function makeRoom(): Promise<void> {
  await sql`pragma max_page_count = 1000`.execute(db);
}

test("a transaction fails with the full disk, not with its rollback", async () => {
  await expect(db.transaction().execute(fill)).rejects.toThrow("database or disk is full");
  await makeRoom();
  await db.transaction().execute(fill);
});

test("transactions that commit together all fail with the full disk", async () => {
  const commit = createGroupCommit(db);
  const outcomes = await Promise.allSettled([commit(async () => "nothing"), commit(fill)]);
  expect(outcomes.map((one) => one.status === "rejected" && String(one.reason))).toEqual([
    "Error: database or disk is full",
    "Error: database or disk is full",
  ]);
  await makeRoom();
  await commit(fill);
});
