/** Paid answers in a file are its owner's alone, whatever the umask says. */
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openPaymentRecords } from "./open-payment-records.ts";

const rightsOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

test("the file of grants, its log and its shared memory have 0600, their folder 0700", () => {
  const base = mkdtempSync(join(tmpdir(), "farthing-grants-"));
  const umask = process.umask(0o022);
  onTestFinished(() => {
    process.umask(umask);
    rmSync(base, { recursive: true });
  });
  const folder = join(base, "state");
  const grants = openPaymentRecords({
    store: { kind: "sqlite", path: join(folder, "grants.db") },
    replay: { entryBytesMax: 1024, totalBytesMax: 1024, ttlMs: 1000 },
  });
  expect(rightsOf(folder)).toBe("700");
  const files = readdirSync(folder).sort();
  expect(files).toEqual(["grants.db", "grants.db-shm", "grants.db-wal"]);
  for (const file of files) expect([file, rightsOf(join(folder, file))]).toEqual([file, "600"]);
  grants.close();
});
