/** The store's suites on SQLite, in a real file. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeMeanwhile } from "@farthing/protocol/testing/busy-file";
import { describe, expect, onTestFinished, test } from "vitest";
import { contractPayersSuite } from "./contract-payers.suite.ts";
import { lateNewsSuite } from "./late-news.suite.ts";
import { recoveredSuite } from "./recovered.suite.ts";
import { refundsSuite } from "./refunds.suite.ts";
import { revertedGasSuite } from "./reverted-gas.suite.ts";
import { severalProcessesSuite } from "./several-processes.suite.ts";
import { openStore, startSqlite } from "./store-benches.testing.ts";
import { claimOf } from "./store-values.testing.ts";
import { storeSuite } from "./store.suite.ts";
import { transactionsSuite } from "./transactions.suite.ts";

describe("SQLite", () => {
  describe("one process", () => storeSuite(startSqlite));
  describe("several processes", () => severalProcessesSuite(startSqlite));
  describe("late news", () => lateNewsSuite(startSqlite));
  describe("contract payers", () => contractPayersSuite(startSqlite));
  describe("reverted gas", () => revertedGasSuite(startSqlite));
  describe("refunds", () => refundsSuite(startSqlite));
  describe("what was lost", () => recoveredSuite(startSqlite));
  describe("transactions", () => transactionsSuite(startSqlite));

  test("has no news of others: what shares the file is on this machine", async () => {
    const bench = await startSqlite();
    const [store, other] = [await bench.open(), await bench.open()];
    const heard: unknown[] = [];
    const end = store.onChange((change) => heard.push(change));
    await other.claimSettlements([claimOf()], 1);
    await other.notify("sent", ["stl_1"]);
    end();
    expect(heard).toEqual([]);
    await store.close();
    await other.close();
    await bench.stop();
  });

  test("a new file that another process sets up at that moment is opened", async () => {
    const folder = await mkdtemp(join(tmpdir(), "farthing-store-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const path = join(folder, "farthing.db");
    await writeMeanwhile(path);
    const store = await openStore(`sqlite:${path}`);
    expect(await store.claimSettlements([claimOf()], 1)).toMatchObject([{ kind: "created" }]);
    await store.close();
  });

  test("a file in a folder that is not there: the fault says what to check", async () => {
    await expect(openStore("sqlite:/nowhere/at/all/farthing.db")).rejects.toMatchObject({
      code: "storage_unavailable",
      message: expect.stringMatching(/cannot be opened; check its folder and rights/),
    });
  });
});
