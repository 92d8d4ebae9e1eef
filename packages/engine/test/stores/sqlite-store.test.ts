/** The store's suites on SQLite, in a real file. */
import { describe, expect, test } from "vitest";
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

  test("a file in a folder that is not there: the fault says what to check", async () => {
    await expect(openStore("sqlite:/nowhere/at/all/farthing.db")).rejects.toMatchObject({
      code: "storage_unavailable",
      message: expect.stringMatching(/cannot be opened; check its folder and rights/),
    });
  });
});
