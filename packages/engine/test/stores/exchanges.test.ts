/** Exchanges on both databases, and what only the file beside SQLite promises. */
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { exchangesSuite } from "./exchanges.suite.ts";
import { bothEngines, openStore } from "./store-benches.testing.ts";
import { claimOf } from "./store-values.testing.ts";

describe.each(bothEngines())("%s", (_, start) => exchangesSuite(start));

describe("the file beside SQLite", () => {
  const folder = mkdtempSync(join(tmpdir(), "farthing-exchanges-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const claim = claimOf();

  async function openIn(file: string): Promise<unknown> {
    const store = await openStore(`sqlite:${file}`);
    const opened = await store.openExchanges([{ ...claim, forgetAt: 9 }], 1);
    await store.close();
    return opened;
  }

  test("is for the service alone to read", async () => {
    const file = join(folder, "private.db");
    await openIn(file);
    expect(statSync(`${file}.exchanges`).mode & 0o777).toBe(0o600);
  });

  test("is made again when the machine's crash has damaged it", async () => {
    const file = join(folder, "damaged.db");
    writeFileSync(`${file}.exchanges`, "no database".repeat(1_000));
    expect(await openIn(file)).toEqual([{ kind: "opened" }]);
  });

  test("is not needed where the database is in memory", async () => {
    expect(await openIn(":memory:")).toEqual([{ kind: "opened" }]);
  });
});
