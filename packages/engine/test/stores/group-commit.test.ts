/** Transactions that share a commit: each whole or not at all, and no answer before it is safe. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Kysely, sql } from "kysely";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createGroupCommit, type GroupCommit } from "../../src/storage/group-commit.ts";
import { engineOf } from "../../src/storage/open-storage.ts";
import type { Tables } from "../../src/storage.ts";

let folder: string;
let db: Kysely<Tables>;
let commit: GroupCommit;
let statements: string[];

beforeEach(async () => {
  statements = [];
  folder = mkdtempSync(join(tmpdir(), "farthing-group-commit-"));
  const { dialect } = engineOf(`sqlite:${join(folder, "farthing.db")}`, {});
  db = new Kysely<Tables>({ dialect, log: ({ query }) => void statements.push(query.sql) });
  await sql`create table shelf (id integer primary key)`.execute(db);
  await sql`create table book (id integer primary key, shelf integer references shelf (id))`.execute(
    db,
  );
  commit = createGroupCommit(db);
});
afterEach(async () => {
  await db.destroy();
  rmSync(folder, { recursive: true });
});

const put = (id: number) => (inside: Kysely<Tables>) =>
  sql`insert into shelf (id) values (${id})`.execute(inside).then(() => id);

async function shelves(): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`select id from shelf order by id`.execute(db);
  return rows.map(({ id }) => id);
}

test("what is asked for together is done, each with its own answer", async () => {
  expect(await Promise.all([1, 2, 3].map((id) => commit(put(id))))).toEqual([1, 2, 3]);
  expect(await shelves()).toEqual([1, 2, 3]);
});

test("one that fails leaves nothing behind and takes no other with it", async () => {
  const broken = commit(async (inside) => {
    await put(2)(inside);
    throw new Error("changed its mind");
  });
  const results = await Promise.allSettled([commit(put(1)), broken, commit(put(3))]);
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  await expect(broken).rejects.toThrow("changed its mind");
  expect(await shelves()).toEqual([1, 3]);
});

test("one may see what an earlier one of the group has done", async () => {
  const first = commit(put(7));
  const second = commit(async (inside) => {
    const { rows } = await sql<{ id: number }>`select id from shelf`.execute(inside);
    return rows.length;
  });
  expect(await Promise.all([first, second])).toEqual([7, 1]);
});

test("nobody is told of success when the commit fails", async () => {
  // Checked at the commit only: the statement itself goes through.
  const unbound = commit(async (inside) => {
    await sql`pragma defer_foreign_keys = on`.execute(inside);
    await sql`insert into book (id, shelf) values (1, 99)`.execute(inside);
  });
  const results = await Promise.allSettled([commit(put(1)), unbound, commit(put(3))]);
  expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  expect(await shelves()).toEqual([]);
  expect(await commit(put(4))).toBe(4);
});

test("work that arrives while a group runs is done by the next one", async () => {
  const first = commit(async (inside) => {
    const later = commit(put(2));
    await put(1)(inside);
    return { later };
  });
  expect(await (await first).later).toBe(2);
  expect(await shelves()).toEqual([1, 2]);
  expect(statements.filter((text) => text === "savepoint job")).toHaveLength(2);
});
