/**
 * The audit against planted faults. Its evidence is one run without faults; each test changes one
 * thing in it, as a defective facilitator would have left it.
 */
import { buyerUnits } from "@farthing/devnet";
import { beforeAll, describe, expect, test } from "vitest";
import { audit, type CallerResponse, type Evidence } from "@farthing/lab/audit";
import { changesOf, isIn, paidByRelayer, shortPlan, told } from "./audited-plan.testing.ts";
import { createDatabases } from "./databases.ts";
import { run } from "./run.ts";

let honest: Evidence;
beforeAll(async () => {
  const { evidence, violations } = await run(shortPlan(), createDatabases());
  expect(violations).toEqual([]);
  honest = evidence;
});

const rulesOf = (evidence: Evidence) => new Set(audit(evidence).map(({ rule }) => rule));

const { withRow, withTransactions, withAnswer } = changesOf(() => honest);

/** What a payer of the honest run has left, its probes included. */
function unitsAfter(payer: string): bigint {
  const own = honest.ledger.entries.filter((entry) => entry.payer === payer.toLowerCase());
  return own.reduce((sum, { transfer }) => sum - (transfer?.units ?? 0n), buyerUnits);
}

const lastConfirmed = told("confirmed", "settle", true);
const lastVerify = ({ isLast, asked }: CallerResponse) => isLast && asked === "verify";

describe("answers", () => {
  test("failed, and the money moved", () => {
    const lie = { status: "failed", success: false };
    expect(rulesOf(withAnswer(told("confirmed"), lie))).toContain("failed is final");
  });

  test("failed, and a third party moved the money: right if that was later", () => {
    const { entry } = paidByRelayer(honest);
    const entries = honest.ledger.entries.map((one) =>
      one === entry ? { ...one, sender: "0xother" } : one,
    );
    const first = honest.responses.find(
      ({ asked, body }) => asked === "settle" && body["transaction"] === entry.transaction,
    );
    const toldAt = (atBlock: number) => {
      const responses = honest.responses.map((one) =>
        one === first ? { ...one, atBlock, body: { ...one.body, status: "failed" } } : one,
      );
      return rulesOf({ ...honest, ledger: { ...honest.ledger, entries }, responses });
    };
    for (const rule of ["failed is final", "a word is kept"]) {
      expect(toldAt(entry.blockNumber)).toContain(rule);
      expect(toldAt(entry.blockNumber - 1)).not.toContain(rule);
    }
  });

  test.each([
    ["and the money did not move", "failed", { status: "confirmed", success: true }],
    ["with another transaction", "confirmed", {}],
  ])("confirmed, %s", (_, status, change) => {
    const lie = { ...change, transaction: `0x${"11".repeat(32)}` };
    expect(rulesOf(withAnswer(told(status), lie))).toContain("confirmed is paid");
  });

  test("confirmed, and not as deep as it has to be", () => {
    expect(rulesOf(honest)).not.toContain("deep enough");
    expect(rulesOf({ ...honest, confirmations: 3 })).toContain("deep enough");
  });

  test.each([
    [200, true],
    [403, false],
    [404, false],
  ])("another account's key, answered %i", (status, isBroken) => {
    const [one] = honest.responses;
    if (!one) throw new Error("an honest run has answers");
    const responses = [...honest.responses, { ...one, asked: "pry", status, body: {} } as const];
    expect(rulesOf({ ...honest, responses }).has("records are the account's")).toBe(isBroken);
  });

  test.each([
    ["authorization_expired", -100, true],
    ["authorization_expired", -10, false],
    ["simulation_failed", -100, false],
    ["authorization_not_yet_valid", -100, true],
  ] as const)("refused as %s, %i s from the end by the chain", (reason, seconds, isBroken) => {
    const payment = honest.payments.get(0);
    const [asked] = honest.responses;
    if (!payment || !asked) throw new Error("an honest run has payments and responses");
    const chainTime = Number(payment.authorization.validBefore) + seconds;
    const body = { isValid: false, invalidReason: reason };
    const response = { ...asked, payment: 0, asked: "verify", body, chainTime } as const;
    const responses = [...honest.responses, response];
    expect(rulesOf({ ...honest, responses }).has("the chain's time decides")).toBe(isBroken);
  });

  test("confirmed, and later pending", () => {
    expect(rulesOf(withAnswer(lastConfirmed, { status: "pending" }))).toContain("a word is kept");
  });

  test("two settlements for one authorization", () => {
    const lie = { id: "stl_other" };
    expect(rulesOf(withAnswer(told("confirmed"), lie))).toContain("one settlement");
  });

  test("a claim forgotten", () => {
    const lie = { status: undefined, success: false, errorReason: "simulation_failed" };
    expect(rulesOf(withAnswer(lastConfirmed, lie))).toContain("a claim is remembered");
  });

  test("pending for ever", () => {
    expect(rulesOf(withAnswer(lastConfirmed, { status: "pending", success: false }))).toContain(
      "a last word",
    );
  });

  test("a used authorization called valid", () => {
    expect(rulesOf(withAnswer(lastVerify, { isValid: true }))).toContain("a used one is not valid");
  });

  test.each([
    [500, "no bug answers"],
    [404, "an id is remembered"],
    [0, "every caller is answered"],
  ])("status %i", (status, rule) => {
    expect(rulesOf(withAnswer(told("confirmed"), {}, status))).toContain(rule);
  });
});

describe("the store", () => {
  test.each([
    ["confirmed", { state: "failed" }],
    ["confirmed", { state: "submitted" }],
    ["failed", { state: "confirmed" }],
    ["confirmed", { transaction: `0x${"11".repeat(32)}` }],
    ["confirmed", { blockHash: `0x${"11".repeat(32)}` }],
    ["confirmed", { blockNumber: 1 }],
    ["confirmed", { logIndex: 99 }],
    ["confirmed", { settledBy: "other" }],
  ] as const)("a %s settlement made %o", (state, change) => {
    expect(rulesOf(withRow(isIn(state), change))).toContain("the store is the chain");
  });

  test("never final", () => {
    expect(rulesOf(withRow(isIn("confirmed"), { finalizedAt: null }))).toContain("final at last");
  });

  test("a payment that is in no book", () => {
    const { stored } = honest;
    const settlements = stored.settlements.map((row) =>
      row.state === "confirmed" ? { ...row, amount: "1" } : row,
    );
    const evidence = { ...honest, stored: { ...stored, settlements } };
    expect(rulesOf(evidence)).toContain("the books are the chain");
  });
});

describe("after a loss of commits", () => {
  const loss = { atBlock: 0, atMs: 0, afterResponses: 0 };

  test("what a wallet sent is not stored", () => {
    const settlements = honest.stored.settlements.filter((row) => row.state !== "confirmed");
    const stored = { ...honest.stored, settlements };
    const rules = [[], [loss]].map((losses) => rulesOf({ ...honest, stored, losses }));
    for (const broken of rules) expect(broken).toContain("what a wallet sent is stored");
  });

  test.each([
    ["and since", 0, true],
    ["before", 1_000_000, false],
  ])("a success is told twice %s", (_, afterResponses, isBroken) => {
    const found = { ...withRow(isIn("confirmed"), { recoveredAt: 1 }) };
    const rules = rulesOf({ ...found, losses: [{ ...loss, afterResponses }] });
    expect(rules.has("success is told once after a loss")).toBe(isBroken);
  });

  test("failed, and paid since: right if the failure was told before the loss", () => {
    const lied = withAnswer(told("confirmed"), { status: "failed", success: false });
    const after = (at: number) => rulesOf({ ...lied, losses: [{ ...loss, afterResponses: at }] });
    expect(after(0)).toContain("failed is final");
    expect(after(1_000_000)).not.toContain("failed is final");
  });

  test("an id is unknown of a payment that never moved: right if it was lost", () => {
    const asked = withAnswer(told("failed", "look", true), { status: undefined }, 404);
    const settlements = asked.stored.settlements.filter(({ state }) => state !== "failed");
    for (const losses of [[], [loss]]) {
      const rules = rulesOf({ ...asked, stored: { ...asked.stored, settlements }, losses });
      expect(rules.has("a last word")).toBe(losses.length === 0);
    }
  });

  test.each([
    [200, "paid is paid"],
    [404, "a last word"],
  ])("a payment of long ago is not known, status %i", (status, rule) => {
    const lie = { status: undefined, success: false, errorReason: "nonce_already_used" };
    const lied = withAnswer(lastConfirmed, lie, status);
    expect(rulesOf({ ...lied, losses: [loss] })).toContain(rule);
  });
});

describe("wallets", () => {
  test("a nonce left open", () => {
    const open = withTransactions((rows) => [
      ...rows,
      {
        id: 999,
        lane: rows[0]?.lane ?? "",
        nonce: 999,
        hash: null,
        state: "intent",
        settlementIds: [],
      },
    ]);
    expect(rulesOf(open)).toContain("nothing is stuck");
  });

  test("a nonce taken and never used", () => {
    const nextNonces = new Map(
      [...honest.stored.nextNonces].map(([lane, next]) => [lane, next + 1]),
    );
    expect(rulesOf({ ...honest, stored: { ...honest.stored, nextNonces } })).toContain("no gap");
  });

  test("sent and not stored", () => {
    const forgotten = withTransactions((rows) => rows.slice(1));
    expect(rulesOf(forgotten)).toContain("stored before sent");
  });

  test("what another program sent from the wallet is not ours to store", () => {
    const [first] = honest.stored.transactions;
    const forgotten = withTransactions((rows) => rows.slice(1));
    const foreign = new Set([first?.hash ?? ""]);
    expect(rulesOf({ ...forgotten, foreign })).not.toContain("stored before sent");
  });

  test.each([
    ["sent once", 0, undefined, true],
    ["sent again a block later", 1, undefined, false],
    ["refused for its price", 0, "under min gas price", false],
  ] as const)("replaced at its nonce when it was %s", (_, laterBy, refusal, isBroken) => {
    const [submission] = honest.submissions ?? [];
    if (!submission) throw new Error("an honest run sends something");
    const again = { ...submission, atBlock: submission.atBlock + laterBy, refusal };
    const other = { ...submission, hash: `0x${"11".repeat(32)}`, atBlock: 99 } as const;
    const rules = rulesOf({ ...honest, submissions: [submission, again, other] });
    expect(rules.has("the same bytes first")).toBe(isBroken);
    const swept = new Set([submission.hash]);
    const rulesOfSwept = rulesOf({ ...honest, submissions: [submission, again, other], swept });
    expect(rulesOfSwept).not.toContain("the same bytes first");
  });

  test.each([
    ["refused by every node", 1, "under min gas price", true],
    ["refused just now", 0, "under min gas price", false],
    ["known to a node", 1, "already known", false],
    ["taken by a node", 1, undefined, false],
  ] as const)("pending, with a hash that was %s", (_, laterBy, refusal, isBroken) => {
    const [submission] = honest.submissions ?? [];
    const [asked] = honest.responses;
    if (!submission || !asked) throw new Error("an honest run sends and responds");
    const atBlock = submission.atBlock + 1 + laterBy;
    const body = { status: "pending", transaction: submission.hash };
    const response = { ...asked, asked: "settle", status: 200, body, atBlock } as const;
    const evidence = {
      ...honest,
      responses: [...honest.responses, response],
      submissions: [{ ...submission, refusal }],
    };
    expect(rulesOf(evidence).has("a named hash is known")).toBe(isBroken);
  });

  test.each([
    ["priced again", 12, 625n, 12, false],
    ["priced again too late", 13, 625n, 12, true],
    ["sent again unchanged", 12, 1n, 12, true],
    ["not priced again before the service has read on", 13, 625n, 11, false],
  ] as const)("swept by a rise of the price, and %s", (_, atBlock, gasPrice, blocks, isBroken) => {
    const [submission] = honest.submissions ?? [];
    if (!submission) throw new Error("an honest run sends something");
    const swept = { ...submission, hash: `0x${"11".repeat(32)}`, nonce: 99, atBlock: 0 } as const;
    const again = { ...swept, hash: `0x${"22".repeat(32)}`, atBlock, gasPrice } as const;
    const seenBlocks = Array.from({ length: blocks }, (_, index) => {
      return { number: index + 1, atBlock: index + 1 };
    });
    const evidence = {
      ...honest,
      submissions: [{ ...swept, gasPrice: 1n }, again],
      lastStep: { fromBlock: 1, wei: 625n },
      seenBlocks,
    };
    expect(rulesOf(evidence).has("priced again at once")).toBe(isBroken);
  });

  test("one authorization carried by two nonces", () => {
    const twice = withTransactions((rows) => {
      const [first] = rows;
      return first ? [...rows, { ...first, id: 999, nonce: first.nonce + 100 }] : [];
    });
    expect(rulesOf(twice)).toContain("carried once");
  });

  const batch = `0x${"22".repeat(32)}`;

  test.each([
    ["a batch that was mined and moved nothing", 2, false],
    ["one payment that moved nothing", 1, true],
  ] as const)("carried again after %s", (_, payments, isBroken) => {
    const { ledger, stored } = honest;
    const { entry, settlement, row } = paidByRelayer(honest);
    const settlementIds = [settlement.id, "stl_other"].slice(0, payments);
    const again = withTransactions((rows) => [
      ...rows,
      { ...row, id: 999, nonce: row.nonce + 100, hash: batch, settlementIds },
    ]);
    const [lane = ""] = stored.transactions.map((one) => one.lane);
    const relayed = [...ledger.relayed, { hash: batch, from: lane, nonce: 100 }];
    expect(rulesOf(again).has("carried once")).toBe(true);
    const evidence = { ...again, ledger: { ...ledger, relayed } };
    expect(rulesOf(evidence).has("carried once")).toBe(isBroken);
    expect(rulesOf({ ...evidence, wasPaused: true })).not.toContain("carried once");
    // One that has moved the money of another payment may have failed for this one.
    const besides = (nonce: string) => {
      const entries = [...ledger.entries, { ...entry, transaction: batch, nonce }];
      return rulesOf({ ...again, ledger: { ...ledger, relayed, entries } });
    };
    expect(besides(`0x${"33".repeat(32)}`).has("carried once")).toBe(isBroken);
    expect(besides(entry.nonce)).toContain("carried once");
  });
});

describe("the run", () => {
  test.each<readonly [string, string, Partial<Evidence>]>([
    ["a process that cannot write is ready", "ready is able to write", { falselyReady: ["one"] }],
    ["something never came to rest", "nothing is stuck", { restless: ["stl_1 is queued"] }],
    ["the process ended by itself", "it stays up", { crashes: 1 }],
    ["a step is in no table", "every step is the model's", { brokenSteps: ["stl_a is removed"] }],
  ])("%s", (_, rule, change) => {
    expect(rulesOf(honest)).not.toContain(rule);
    expect(rulesOf({ ...honest, ...change })).toContain(rule);
  });

  test("the seller got something else", () => {
    const ledger = { ...honest.ledger, sellerUnits: honest.ledger.sellerUnits + 1n };
    expect(rulesOf({ ...honest, ledger })).toContain("the seller has it");
  });

  test("a contract payer has another amount left", () => {
    const payment = honest.payments.get(0);
    if (!payment) throw new Error("an honest run has payments");
    const { from, value } = payment.authorization;
    const rulesWith = (units: bigint) =>
      rulesOf({ ...honest, payerUnits: new Map([[from, units]]) });
    expect(rulesWith(unitsAfter(from))).not.toContain("the payer has the rest");
    expect(rulesWith(unitsAfter(from) - value)).toContain("the payer has the rest");
  });

  test("an authorization used twice, or for another amount", () => {
    const { entries } = honest.ledger;
    const doubled = { ...honest.ledger, entries: [...entries, ...entries] };
    expect(rulesOf({ ...honest, ledger: doubled })).toContain("used once");
    const other = entries.map((entry) => ({
      ...entry,
      transfer: entry.transfer && { ...entry.transfer, units: entry.transfer.units + 1n },
    }));
    expect(rulesOf({ ...honest, ledger: { ...honest.ledger, entries: other } })).toContain(
      "as signed",
    );
  });

  test("a payment after all that does not go through", () => {
    const [probe] = honest.probes;
    const nonce = honest.payments.get(probe ?? 0)?.authorization.nonce;
    const entries = honest.ledger.entries.filter((entry) => entry.nonce !== nonce);
    const ledger = { ...honest.ledger, entries };
    expect(rulesOf({ ...honest, ledger })).toContain("it still works");
  });
});
