/** What a SQLite file has on the disk before its seller goes on: decisions about money, and no lease. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test, vi } from "vitest";
import { binding, buyer, leaseOf, receipt } from "../rules/payment-records.testing.ts";
import { createSqliteGrants } from "./sqlite.ts";

const payment = { payer: "0x1", amount: "1000", network: "eip155:50", transaction: "0x2" };
const sale = { scope: "all", uses: 3, validForMs: 60_000, isFinalOnly: false };

/** Opens records, and returns what tells how commits of some work are written. */
function openRecords() {
  const folder = mkdtempSync(join(tmpdir(), "farthing-lasting-"));
  let strength = "";
  const commits = new Set<string>();
  const { exec } = DatabaseSync.prototype;
  const told = vi.spyOn(DatabaseSync.prototype, "exec").mockImplementation(function (
    this: DatabaseSync,
    text,
  ) {
    strength = /^pragma synchronous = (\w+)$/.exec(text)?.[1] ?? strength;
    if (text === "commit") commits.add(strength);
    exec.call(this, text);
  });
  const records = createSqliteGrants({ path: join(folder, "grants.db") });
  onTestFinished(() => {
    records.close();
    told.mockRestore();
    rmSync(folder, { recursive: true, force: true });
  });
  const commitsOf = async (work: () => Promise<unknown>) => {
    commits.clear();
    await work();
    return [...commits];
  };
  return { records, commitsOf };
}

test("that a payment is under way, paid or delivered outlasts a power cut; a lease need not", async () => {
  const { records, commitsOf } = openRecords();
  const lease = await leaseOf(records, binding("a"), buyer);
  expect(await commitsOf(() => lease.settling())).toEqual(["full"]);
  expect(await commitsOf(() => lease.paid(receipt))).toEqual(["full"]);
  expect(await commitsOf(() => lease.unlock())).toEqual(["normal"]);
  const again = await leaseOf(records, binding("a"), buyer);
  expect(await commitsOf(() => again.complete(receipt))).toEqual(["full"]);
});

test("so do passes and their ends, nonces, and what was paid and charged; a use or a reserve need not", async () => {
  const { records, commitsOf } = openRecords();
  const { passes, balances } = records;
  if (!passes || !balances) throw new Error("The store keeps passes and balances.");
  expect(await commitsOf(() => passes.open("a", sale, payment))).toEqual(["full"]);
  const opened = await passes.open("a", sale, payment);
  if (!opened) throw new Error("The pass is open.");
  expect(await commitsOf(() => passes.take(opened.pass))).toEqual(["normal"]);
  expect(await commitsOf(() => passes.voidPass(opened.pass.id))).toEqual(["full"]);
  expect(await commitsOf(() => passes.useNonce("n", Date.now() + 60_000))).toEqual(["full"]);
  const { id } = await balances.topUp("b", "models", payment);
  const use = { useId: "u", amount: 5n };
  expect(await commitsOf(() => balances.reserve(id, use))).toEqual(["normal"]);
  expect(await commitsOf(() => balances.charge(id, "u", 5n))).toEqual(["full"]);
  expect(await commitsOf(() => balances.topUp("c", "models", payment))).toEqual(["full"]);
});
