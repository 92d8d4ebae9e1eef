/** `farthing credits` and `farthing accounts` as an operator runs them. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore, type ServiceStore } from "@farthing/facilitator";
import type { Address } from "@farthing/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { farthing, type Run } from "farthing/testing";

const account = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C" as const;
const unknownAccount: Address = `0x${"11".repeat(20)}`;

let folder: string;
let databaseUrl: string;
let store: ServiceStore;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "farthing-credits-"));
  databaseUrl = `sqlite:${join(folder, "farthing.db")}`;
  store = await openStore(databaseUrl);
});
afterAll(async () => {
  await store?.close();
  rmSync(folder, { recursive: true, force: true });
});

function run(...args: string[]): Promise<Run> {
  return farthing(args, { environment: { DATABASE_URL: databaseUrl } });
}

let made = 0;
/** A purchase that was paid and waits for a decision; gives its id. */
async function held(): Promise<string> {
  const number = ++made;
  const id = `pur_${number}`;
  const one = { id, account, chainId: 51, payer: null, credits: 600_000, units: 600_000_000n };
  await store.ensureAccount(account, 1);
  await store.createPurchase(
    { ...one, chainId: 51, createdAt: 1, expiresAt: 2 },
    { awaitingMax: 100 },
  );
  const steps = [
    ["awaiting_payment", { to: "settling", payer: account, settlementId: null }],
    [
      "settling",
      { to: "confirmed", transaction: `0x${"ab".repeat(32)}`, blockNumber: 7, logIndex: number },
    ],
    ["confirmed", { to: "held", holdReason: "amount_above_limit" }],
  ] as const;
  for (const [from, move] of steps) await store.movePurchase(id, from, move, 5);
  return id;
}

describe("credits", () => {
  test("grant and take, with who and why in the ledger; never below zero", async () => {
    const xdc = `xdc${account.slice(2)}`;
    const granted = await run("credits", "grant", xdc, "500", "--note", "welcome");
    const { code, stdout, stderr } = granted;
    expect([code, stdout, stderr]).toEqual([0, "", `${account} now has 500 credits.\n`]);
    expect(await run("credits", "take", account, "200", "--note", "typo")).toMatchObject({
      code: 0,
      stderr: `${account} now has 300 credits.\n`,
    });
    const more = await run("credits", "take", account, "301", "--note", "x");
    expect([more.code, more.stderr]).toEqual([1, expect.stringContaining("only 300 credits")]);
    const { items } = await store.listCreditEntries(account, { limit: 5 });
    expect(items).toMatchObject([
      { kind: "adjustment", credits: -200, note: "typo" },
      { kind: "grant", credits: 500, note: "welcome", actor: expect.stringMatching(/\S/) },
    ]);
    const balance = await run("credits", "balance", account, "--no-json");
    expect(balance).toMatchObject({ code: 0, stdout: expect.stringMatching(/^300 credits av/) });
    const json = await run("credits", "balance", account, "--json");
    expect(JSON.parse(json.stdout)).toEqual({ account, available: 300, held: 0 });
  });

  test("what makes no sense is usage: 2, and nothing changes", async () => {
    const before = await store.findCredits(account);
    const wrong = [
      ["grant", account, "0", "--note", "x"],
      ["grant", account, "1.5", "--note", "x"],
      ["grant", account, "2000000000", "--note", "x"],
      ["grant", "0x12", "1", "--note", "x"],
      ["grant", account, "1"],
      ["grant", account, "1", "--note", " "],
      ["approve", "pur_1"],
    ];
    const runs = await Promise.all(wrong.map((args) => run("credits", ...args)));
    expect(runs.map(({ code, stdout }) => [code, stdout])).toEqual(wrong.map(() => [2, ""]));
    expect(await store.findCredits(account)).toEqual(before);
  });

  test("review, approve and reject: each purchase is decided once", async () => {
    const [one, two] = [await held(), await held()];
    const { available: before } = await store.findCredits(account);
    const review = await run("credits", "review", "--json");
    expect(JSON.parse(review.stdout)).toMatchObject([
      { id: one, account, credits: 600_000, usdc: "600.000000", reason: "amount_above_limit" },
      { id: two, network: "eip155:51", transaction: `0x${"ab".repeat(32)}` },
    ]);
    expect(await run("credits", "approve", one, "--note", "known")).toMatchObject({
      code: 0,
      stderr: `Purchase ${one} approved: 600000 credits added to ${account}.\n`,
    });
    expect(await run("credits", "reject", two, "--note", "unknown sender")).toMatchObject({
      code: 0,
    });
    expect(await store.findCredits(account)).toEqual({ available: before + 600_000, held: 0 });
    expect(await store.findPurchase(one)).toMatchObject({ state: "credited", reviewNote: "known" });
    expect(await store.findPurchase(two)).toMatchObject({ state: "rejected" });
    const late = [
      ["approve", one, "it is credited"],
      ["reject", one, "it is credited"],
      ["approve", two, "it is rejected"],
      ["approve", "pur_none", "There is no purchase pur_none"],
    ] as const;
    const runs = await Promise.all(
      late.map(([name, id]) => run("credits", name, id, "--note", "x")),
    );
    expect(runs.map(({ code, stderr }) => [code, stderr])).toEqual(
      late.map(([, , says]) => [9, expect.stringContaining(says)]),
    );
    expect(await store.findCredits(account)).toEqual({ available: before + 600_000, held: 0 });
    expect(await run("credits", "review", "--no-json")).toMatchObject({
      code: 0,
      stderr: "No purchases await a decision.\n",
    });
  });

  test("audit: the books agree", async () => {
    expect(await run("credits", "audit")).toMatchObject({
      code: 0,
      stderr: "No discrepancies found.\n",
    });
  });

  test("an account that is not there: 9", async () => {
    const runs = await Promise.all([
      run("credits", "balance", unknownAccount),
      run("accounts", "deactivate", unknownAccount),
    ]);
    const none = [9, expect.stringContaining(`no account ${unknownAccount}`)];
    expect(runs.map(({ code, stderr }) => [code, stderr])).toEqual([none, none]);
  });

  test("a database that cannot be used: 3", async () => {
    const environment = { DATABASE_URL: "sqlite:/nowhere/at/all/farthing.db" };
    const { code, stderr } = await farthing(["credits", "review"], { environment });
    expect([code, stderr]).toEqual([
      3,
      expect.stringMatching(/^farthing credits: There is no database at/),
    ]);
  });
});

test("accounts: listed, deactivated, activated again", async () => {
  await store.ensureAccount(account, 1);
  expect(await run("accounts", "deactivate", account)).toMatchObject({
    code: 0,
    stderr: `The plan of ${account} is inactive.\n`,
  });
  const { stdout } = await run("accounts", "list", "--json");
  expect(JSON.parse(stdout)).toMatchObject([{ id: account, plan: "inactive" }]);
  await run("accounts", "activate", account);
  expect(await store.findAccount(account)).toMatchObject({ plan: "active" });
  expect((await run("accounts", "list")).stdout).toContain(account);
  const table = await run("accounts", "list", "--no-json");
  expect(table.stdout).toMatch(new RegExp(`^Account .*\\n${account} +active`));
});
