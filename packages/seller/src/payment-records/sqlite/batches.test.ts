/** Changes of several requests in one transaction of a real database. */
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { createBatches } from "./batches.ts";

function open() {
  const database = new DatabaseSync(":memory:");
  onTestFinished(() => database.close());
  database.exec("create table uses (id text primary key, left integer check (left >= 0)) strict");
  database.exec("insert into uses values ('a', 2), ('b', 0)");
  const strengths: string[] = [];
  const batches = createBatches((work, strength) => {
    strengths.push(strength);
    database.exec("begin immediate");
    try {
      work();
      database.exec("commit");
    } catch (error) {
      database.exec("rollback");
      throw error;
    }
  });
  const take = (id: string) => () =>
    database.prepare("update uses set left = left - 1 where id = ? returning left").get(id);
  const left = (id: string) =>
    database.prepare("select left from uses where id = ?").get(id)?.["left"];
  return { database, batches, take, left, strengths };
}

test("what comes at once is one transaction, and each gets what its own work returned", async () => {
  const at = open();
  const taken = await Promise.all([
    at.batches.add(at.take("a"), "soon"),
    at.batches.add(at.take("a"), "soon"),
  ]);
  expect(taken.map((row) => row?.["left"])).toEqual([1, 0]);
  expect(at.strengths).toEqual(["soon"]);
});

test("where one wants it on the disk, it is for all that came at once, and not for the next", async () => {
  const at = open();
  await Promise.all([at.batches.add(at.take("a"), "soon"), at.batches.add(at.take("a"), "surely")]);
  await at.batches.add(at.take("a"), "soon").catch(() => undefined);
  expect(at.strengths).toEqual(["surely", "soon"]);
});

test("work that fails changes nothing for the others", async () => {
  const at = open();
  const [failed, done] = await Promise.allSettled([
    at.batches.add(at.take("b"), "soon"),
    at.batches.add(at.take("a"), "soon"),
  ]);
  expect([failed.status, done.status]).toEqual(["rejected", "fulfilled"]);
  expect([at.left("a"), at.left("b")]).toEqual([1, 0]);
});

test("where the transaction fails, nobody is told that it was done", async () => {
  const at = open();
  const adding = at.batches.add(at.take("a"), "soon");
  const other = at.batches.add(() => at.database.exec("commit"), "soon");
  const ends = await Promise.allSettled([adding, other]);
  expect(ends.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
});

test("what waits is committed before the database is closed", async () => {
  const at = open();
  const adding = at.batches.add(at.take("a"), "soon");
  at.batches.commit();
  expect(at.left("a")).toBe(1);
  await adding;
});
