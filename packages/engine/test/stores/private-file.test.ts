/** What stands in the database's folder is its owner's alone, whatever the umask says. */
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { backUpSqlite } from "../../src/storage.ts";
import { openStore } from "./store-benches.testing.ts";

let folder = "";
let umask = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "farthing-private-"));
  umask = process.umask(0o022);
});
afterAll(() => {
  process.umask(umask);
  rmSync(folder, { recursive: true });
});

/** Every file of the folder with its rights, in octal. */
function rightsOf(path: string): Record<string, string> {
  const entries = readdirSync(path).map((name): [string, string] => [
    name,
    (statSync(join(path, name)).mode & 0o777).toString(8),
  ]);
  return Object.fromEntries(entries);
}

test("the database, its log, its shared memory and a copy of it are made with 0600", async () => {
  const url = `sqlite:${join(folder, "farthing.db")}`;
  const store = await openStore(url);
  await backUpSqlite(url, join(folder, "copy.db"));
  const rights = rightsOf(folder);
  expect(Object.keys(rights)).toEqual(
    expect.arrayContaining(["farthing.db", "farthing.db-wal", "farthing.db-shm", "copy.db"]),
  );
  expect(new Set(Object.values(rights))).toEqual(new Set(["600"]));
  await store.close();
});

test("from a database of an earlier version others lose their rights, and its group keeps its", async () => {
  const path = join(folder, "farthing.db");
  chmodSync(path, 0o644);
  const store = await openStore(`sqlite:${path}`);
  expect(rightsOf(folder)["farthing.db"]).toBe("640");
  await store.close();
});
