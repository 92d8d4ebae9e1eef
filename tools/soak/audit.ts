/**
 * The audit of a soak. Nothing here goes wrong but processes, so it asks for more than the audit of
 * a run full of faults, which it starts from: every payment and every refund moved its money exactly
 * once, every seller came away with "confirmed", and nothing is left over in the store or between
 * the nonces.
 */
import type { Address, ChainId } from "@farthing/protocol";
import {
  audit,
  auditBalances,
  auditRefunds,
  type CallerResponse,
  type Ledger,
  type Loss,
  pairOf,
  type Stored,
  type Violation,
  wordsOf,
} from "@farthing/lab/audit";
import type { Findings } from "../model/traces/findings.ts";
import type { Outcome } from "./callers.ts";
import type { SoakPayment } from "./plan.ts";
import { countWriters, type Signed } from "./writers.ts";

/** What a soak leaves behind. */
export interface SoakEvidence {
  readonly chainId: ChainId;
  readonly payments: readonly SoakPayment[];
  /** By which payees gave payments back. */
  readonly refunds: readonly SoakPayment[];
  readonly responses: readonly CallerResponse[];
  readonly outcomes: readonly Outcome[];
  /** Requests without a response, although no process was killed. */
  readonly unanswered: readonly string[];
  /** Processes that ended by themselves, or not in order when told to. */
  readonly processProblems: readonly string[];
  /** Of the database's last commits. */
  readonly losses: readonly Loss[];
  readonly ledger: Ledger;
  readonly stored: Stored;
  /** What the store wrote, as steps of the model. */
  readonly steps: Findings;
  /** What each process signed. */
  readonly signed: readonly Signed[];
  /** How often each relayer wallet has changed hands, by the database. */
  readonly fences: ReadonlyMap<string, number>;
  /** Relayer wallets. */
  readonly relayers: readonly Address[];
  /** USDC base units that payers and payees hold at the end. */
  readonly holdings: ReadonlyMap<Address, bigint>;
  readonly payees: readonly Address[];
}

type Say = (rule: string, text: string, payment?: number) => void;

/** Audits a soak; an empty list is one without fault. */
export function auditSoak(found: SoakEvidence): Violation[] {
  // A refund is a payment the other way, which all the rules of payments hold for.
  const evidence = { ...found, payments: [...found.payments, ...found.refunds] };
  const violations = [...auditPromises(evidence), ...auditReturns(found)];
  const say: Say = (rule, text, payment) => void violations.push({ rule, payment, text });
  auditSellers(evidence, say);
  auditChain(evidence, say);
  auditRows(evidence, say);
  auditNonces(evidence, say);
  auditWriters(evidence, say);
  const { payments, holdings, payees } = evidence;
  const authorizations = payments.map(({ authorization }) => authorization);
  for (const text of auditBalances(authorizations, holdings, payees)) say("balances", text);
  for (const text of evidence.unanswered) say("every caller is answered", text);
  for (const text of evidence.processProblems) say("processes end as told", text);
  return violations;
}

/** What is promised always, whatever happens. */
function auditPromises(evidence: SoakEvidence): Violation[] {
  const { payments, responses, stored, ledger, relayers, payees, holdings, losses, steps } =
    evidence;
  const sellerUnits = payees.reduce((sum, payee) => sum + (holdings.get(payee) ?? 0n), 0n);
  return audit({
    payments: new Map(payments.map((payment) => [payment.index, payment])),
    payees,
    probes: [],
    responses,
    ledger: { ...ledger, sellerUnits },
    stored,
    relayers: relayers.map((relayer) => relayer.toLowerCase()),
    reorganisedOut: new Set(),
    restless: [],
    crashes: 0,
    wasEnded: true,
    losses,
    brokenSteps: steps.broken,
  });
}

/** What payees have given back, by the last word on each payment. */
function auditReturns({ chainId, payments, responses, ledger }: SoakEvidence): Violation[] {
  const lastWords = lastWordsIn(responses);
  const sales = payments.map(({ index: payment, authorization }) => {
    return { payment, authorization, told: lastWords.get(payment)?.body };
  });
  return auditRefunds(chainId, sales, ledger.entries);
}

function lastWordsIn(responses: readonly CallerResponse[]): Map<number, CallerResponse> {
  const last = responses.filter(({ isLast }) => isLast);
  return new Map(last.map((response) => [response.payment, response]));
}

function auditSellers({ payments, responses, outcomes, losses }: SoakEvidence, say: Say): void {
  const sellers = payments.reduce((sum, { callers }) => sum + callers, 0);
  if (outcomes.length !== sellers) {
    say("every seller is told", `${outcomes.length} of ${sellers} sellers came back`);
  }
  for (const { payment, word, ms } of outcomes) {
    const seconds = Math.round(ms / 1000);
    // Found again, a success is told once; who repeats it is told that it is paid.
    if (word !== "confirmed" && !(word === "paid" && losses.length > 0)) {
      say("every seller is told", `a seller's last word after ${seconds} s: ${word}`, payment);
    }
  }
  for (const response of responses) {
    const { status, body, payment } = response;
    const isBad = status === 200 && !["confirmed", "pending"].includes(String(body["status"]));
    if (isBad) say("no seller is refused", `told ${wordsOf(response)}`, payment);
  }
  const lastWords = lastWordsIn(responses);
  for (const { index } of payments) {
    const last = lastWords.get(index);
    const isSo = last?.body["status"] === "confirmed" && last.body["finalized"] === true;
    if (!isSo) say("confirmed for good", last ? `told ${wordsOf(last)}` : "not asked", index);
  }
}

function auditChain({ payments, ledger }: SoakEvidence, say: Say): void {
  const used = new Map<string, number>();
  for (const entry of ledger.entries) {
    if (entry.kind === "used" && entry.transfer) {
      used.set(pairOf(entry), (used.get(pairOf(entry)) ?? 0) + 1);
    }
  }
  for (const { index, authorization } of payments) {
    const { from: payer, nonce } = authorization;
    const times = used.get(pairOf({ payer, nonce })) ?? 0;
    if (times !== 1) say("paid once", `money moved ${times} times`, index);
  }
  if (ledger.entries.length !== payments.length) {
    say(
      "paid once",
      `${ledger.entries.length} authorizations used for ${payments.length} payments`,
    );
  }
}

function auditRows({ payments, stored }: SoakEvidence, say: Say): void {
  const { settlements, transactions } = stored;
  if (settlements.length !== payments.length) {
    say("one row each", `${settlements.length} settlements of ${payments.length} payments`);
  }
  for (const [pair, rows] of Map.groupBy(settlements, pairOf)) {
    if (rows.length > 1) say("one row each", `${rows.length} settlements of ${pair}`);
  }
  // A nonce that was given back has a transaction without bytes.
  const signed = transactions.filter(({ hash }) => hash !== null);
  for (const [hash, rows] of Map.groupBy(signed, (row) => row.hash)) {
    if (rows.length > 1) say("one row each", `${rows.length} transactions with hash ${hash}`);
  }
}

/** From the first nonce to the last, one mined transaction each. */
function auditNonces({ stored, ledger, losses }: SoakEvidence, say: Say): void {
  for (const [wallet, count] of ledger.counts) {
    const mined = stored.transactions.filter(
      ({ lane, state }) => lane === wallet && state === "mined",
    );
    const times = Map.groupBy(mined, ({ nonce }) => nonce);
    for (let nonce = 0; nonce < count; nonce++) {
      const rows = times.get(nonce)?.length ?? 0;
      // What carried lost payments is lost with them; the payments are found, their carriers are not.
      if (rows === 0 && losses.length > 0) continue;
      if (rows !== 1) say("no gap", `${rows} mined transactions at nonce ${nonce} of ${wallet}`);
    }
  }
}

/**
 * A wallet has one writer at a time; each change of writer is a change of the lease. The count of changes
 * goes back with the database.
 */
function auditWriters({ signed, fences, ledger, losses }: SoakEvidence, say: Say): void {
  if (losses.length > 0) return;
  const turns = countWriters(signed);
  for (const [wallet, count] of ledger.counts) {
    const [turn = 0, fence = 0] = [turns.get(wallet), fences.get(wallet)];
    const isSilent = count > 0 && turn === 0;
    if (turn > fence || isSilent) {
      say("one writer", `${wallet} was written with in ${turn} turns and taken ${fence} times`);
    }
  }
}
