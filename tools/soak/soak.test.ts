/**
 * A short soak, as every change has to pass it, and its audit against planted lies: each test
 * changes one thing in what the soak left behind, as a facilitator with that fault would have.
 */
import { networkOfChain, refundNonce } from "@farthing/protocol";
import { beforeAll, describe, expect, test } from "vitest";
import type { CallerResponse, StoredSettlement, StoredTransaction } from "@farthing/lab/audit";
import { auditSoak, type SoakEvidence } from "./audit.ts";
import { page } from "./report.ts";
import { soak, type SoakReport } from "./soak.ts";

/**
 * A hundred at a time, and a block a second: it lasts six seconds at least, which are three kills,
 * and a lease longer when one of them hits the process with the wallets.
 */
const short = {
  payments: 600,
  payers: 60,
  processes: 3,
  relayers: 4,
  inFlight: 100,
  killEveryMs: 2_000,
  freezeOneIn: 0,
  failOvers: 0,
  seed: 1,
};

/** Half a minute where nothing else runs; beside the longest tests on two busy cores ten times that. */
const soakMsMax = 600_000;

let report: SoakReport;
let honest: SoakEvidence;
beforeAll(async () => {
  report = await soak(short);
  honest = report.evidence;
}, soakMsMax);

test("nothing is lost and nothing doubled while processes are killed", () => {
  expect(report.violations.length === 0 ? "" : page(report)).toBe("");
  expect(report.blows.length).toBeGreaterThanOrEqual(2);
  const { payments, refunds, ledger } = honest;
  expect(refunds.length).toBeGreaterThanOrEqual(10);
  expect(ledger.entries).toHaveLength(payments.length + refunds.length);
});

test("what is printed says so", () => {
  const text = page(report);
  expect(text).toMatch(/^confirmed +600$/m);
  expect(text).toMatch(new RegExp(`^refunds +${honest.refunds.length}, of 10 payments$`, "m"));
  expect(text).toMatch(/^kills +\d+, and 0 processes frozen$/m);
  expect(text).toContain("Nothing lost, nothing doubled");
});

const rulesOf = (change: Partial<SoakEvidence>) =>
  new Set(auditSoak({ ...honest, ...change }).map(({ rule }) => rule));

const withRows = (settlements: readonly StoredSettlement[]) =>
  rulesOf({ stored: { ...honest.stored, settlements } });

const withTransactions = (transactions: readonly StoredTransaction[]) =>
  rulesOf({ stored: { ...honest.stored, transactions } });

const withEntries = (entries: SoakEvidence["ledger"]["entries"]) =>
  rulesOf({ ledger: { ...honest.ledger, entries } });

function withAnswer(isIt: (response: CallerResponse) => boolean, body: CallerResponse["body"]) {
  const at = honest.responses.findIndex(isIt);
  expect(at).toBeGreaterThanOrEqual(0);
  const responses = honest.responses.map((response, index) =>
    index === at ? { ...response, body: { ...response.body, ...body } } : response,
  );
  return rulesOf({ responses });
}

/** The first payment that was given back, and the log of its first refund. */
function firstGivenBack() {
  const [refund] = honest.refunds;
  const paid = honest.payments.find(({ index }) => index === refund?.refundOf);
  const entry = honest.ledger.entries.find(({ nonce }) => nonce === refund?.authorization.nonce);
  if (!paid || !entry) throw new Error("Nothing was given back");
  return { paid, entry };
}

const isConfirmed = ({ isLast, body }: CallerResponse) => !isLast && body["status"] === "confirmed";
const isLast = (response: CallerResponse) => response.isLast;
const elsewhere = `0x${"11".repeat(32)}`;

describe("the audit finds", () => {
  test("a payment that moved nothing", () => {
    expect(withEntries(honest.ledger.entries.slice(1))).toContain("paid once");
  });

  test("a payment that moved money twice", () => {
    const { entries } = honest.ledger;
    expect(withEntries([...entries, ...entries.slice(0, 1)])).toContain("paid once");
  });

  test("money that is not where it belongs", () => {
    const [payer = "0x", payee = "0x"] = [honest.payments[0]?.authorization.from, honest.payees[0]];
    for (const holder of [payer, payee]) {
      const holdings = new Map(honest.holdings).set(holder, 1n);
      expect(rulesOf({ holdings })).toContain("balances");
    }
  });

  test("more given back than was paid", () => {
    const { paid, entry } = firstGivenBack();
    const { from: payer, nonce } = paid.authorization;
    const asset = networkOfChain(honest.chainId).usdc;
    const third = refundNonce({ chainId: honest.chainId, asset, payer, nonce }, 2);
    const entries = [...honest.ledger.entries, { ...entry, nonce: third }];
    expect(withEntries(entries)).toContain("no more than was paid goes back");
  });

  test("an ordinal that moved money twice, and a transfer of no ordinal", () => {
    const { entry } = firstGivenBack();
    for (const again of [entry, { ...entry, nonce: elsewhere }]) {
      const entries = [...honest.ledger.entries, again];
      expect(withEntries(entries)).toContain("one transfer for an ordinal");
    }
  });

  test("a payee who was told otherwise than the chain says", () => {
    const { paid, entry } = firstGivenBack();
    const isTold = (response: CallerResponse) => {
      return response.isLast && response.payment === paid.index;
    };
    const without = honest.ledger.entries.filter((one) => one !== entry);
    for (const rules of [
      withAnswer(isTold, { refundedAmount: "0" }),
      withAnswer(isTold, { refunds: [] }),
      withEntries(without),
    ]) {
      expect(rules).toContain("told is what went back");
    }
  });

  test("a seller who was told nothing, failed or refused", () => {
    for (const word of ["none", "failed", "refused"]) {
      const outcomes = honest.outcomes.with(7, { payment: 7, word, ms: 120_000 });
      expect(rulesOf({ outcomes })).toContain("every seller is told");
    }
    expect(rulesOf({ outcomes: honest.outcomes.slice(1) })).toContain("every seller is told");
  });

  test("a no on the way to the yes", () => {
    const no = { status: undefined, success: false, errorReason: "nonce_already_used" };
    expect(withAnswer(isConfirmed, no)).toContain("no seller is refused");
    expect(withAnswer(isConfirmed, { status: "failed" })).toContain("no seller is refused");
  });

  test("a transaction that does not hold the payment", () => {
    expect(withAnswer(isConfirmed, { transaction: elsewhere })).toContain("confirmed is paid");
  });

  test("a payment that never became final", () => {
    expect(withAnswer(isLast, { finalized: false })).toContain("confirmed for good");
    const responses = honest.responses.filter(
      (response) => !response.isLast || response.payment !== 3,
    );
    expect(rulesOf({ responses })).toContain("confirmed for good");
  });

  test("two settlements of one payment", () => {
    const { settlements } = honest.stored;
    const duplicate = settlements.slice(0, 1).map((row) => ({ ...row, id: "stl_duplicate" }));
    expect(withRows([...settlements, ...duplicate])).toContain("one row each");
  });

  test.each(["queued", "submitted"])("a settlement left %s", (state) => {
    const rows = honest.stored.settlements.map((row, index) =>
      index === 0 ? { ...row, state } : row,
    );
    expect(withRows(rows)).toContain("nothing is stuck");
  });

  test("a transaction stored twice, or at two nonces", () => {
    const { transactions } = honest.stored;
    const again = transactions.slice(0, 1).map((row) => ({ ...row, id: 9_999 }));
    expect(withTransactions([...transactions, ...again])).toContain("one row each");
    const moved = again.map((row) => ({ ...row, nonce: row.nonce + 1_000, hash: elsewhere }));
    expect(withTransactions([...transactions, ...moved])).toContain("carried once");
  });

  test("a nonce that nothing was mined at", () => {
    expect(withTransactions(honest.stored.transactions.slice(1))).toContain("no gap");
  });

  test("two processes that write with one wallet", () => {
    const wallet = honest.signed[0]?.wallet ?? "";
    const takeovers = honest.fences.get(wallet) ?? 0;
    const others = honest.signed.filter((one) => one.wallet !== wallet);
    const byTwo = (turns: number) =>
      Array.from({ length: turns }, (_, nonce) => ({ wallet, nonce, pid: nonce % 2, at: nonce }));
    expect(rulesOf({ signed: [...others, ...byTwo(takeovers)] })).not.toContain("one writer");
    expect(rulesOf({ signed: [...others, ...byTwo(takeovers + 1)] })).toContain("one writer");
    expect(rulesOf({ signed: [] })).toContain("one writer");
  });

  test("a question that a living process left open", () => {
    const unanswered = ["payment 5: settle of process 17: other side closed"];
    expect(rulesOf({ unanswered })).toContain("every caller is answered");
  });

  test("a process that ended by itself", () => {
    expect(rulesOf({ processProblems: ["process 17 ended by itself: 1"] })).toContain(
      "processes end as told",
    );
  });
});
