/**
 * The audit of a run: compares the chain, the facilitator's database and the responses of all
 * callers. It knows the facilitator's promises, not its implementation.
 */
import { buyerUnits } from "@farthing/devnet";
import type { Address } from "@farthing/protocol";
import { auditSends, type Submission } from "./audit-sends.ts";
import { wordsOf, type CallerResponse } from "./caller-response.ts";
import { finalDepth, type Ledger, type LedgerEntry } from "./chain-ledger.ts";
import { unrest, type Stored, type StoredSettlement } from "./stored-rows.ts";
import type { SignedPayment } from "../token-calls/token-calls.ts";

/** The data of a run. */
export interface Evidence {
  readonly payments: ReadonlyMap<number, SignedPayment>;
  /** Payments made after the run's faults, which the service must still settle. */
  readonly probes: readonly number[];
  readonly responses: readonly CallerResponse[];
  readonly ledger: Ledger;
  readonly stored: Stored;
  readonly relayers: readonly string[];
  /** Transactions that a reorganisation removed from a block. */
  readonly reorganisedOut: ReadonlySet<string>;
  /** Settlements and transactions that were still open at the end. */
  readonly restless: readonly string[];
  readonly crashes: number;
  /** Whether a process was ended on purpose; only then may a response be missing. */
  readonly wasEnded: boolean;
  /** Blocks until a payment counts as confirmed; 1 when left out. */
  readonly confirmations?: number;
  /** Every transaction that was sent to a node, in order, where recorded. */
  readonly submissions?: readonly Submission[];
  /** Transactions that another program sent from a relayer wallet. */
  readonly foreign?: ReadonlySet<string>;
  /**
   * USDC base units of payers at the end whose money moves by authorizations alone. Each began with what
   * a devnet gives a buyer.
   */
  readonly payerUnits?: ReadonlyMap<Address, bigint>;
}

/** A broken promise. */
export interface Violation {
  readonly rule: string;
  readonly payment: number | undefined;
  readonly text: string;
}

/** One payment with everything known about it. */
interface File {
  readonly index: number;
  readonly payment: SignedPayment;
  /** Its money moved. */
  readonly paid: LedgerEntry | undefined;
  readonly entries: readonly LedgerEntry[];
  readonly row: StoredSettlement | undefined;
  readonly responses: readonly CallerResponse[];
}

type Say = (rule: string, text: string, file?: File) => void;

/** Audits a run; an empty list is a run without fault. */
export function audit(evidence: Evidence): Violation[] {
  const violations: Violation[] = [];
  const say: Say = (rule, text, file) => {
    violations.push({ rule, payment: file?.index, text });
  };
  const files = openFiles(evidence);
  for (const file of files) {
    auditChain(file, say);
    auditAnswers(file, evidence, say);
    auditLastWord(file, evidence, say);
    auditRow(file, evidence, say);
  }
  auditProcess(evidence, files, say);
  auditWallets(evidence, say);
  const { submissions = [], foreign = new Set() } = evidence;
  for (const text of auditSends(submissions, foreign)) say("the same bytes first", text);
  auditMoney(evidence, files, say);
  auditPayers(evidence, files, say);
  return violations;
}

/** One file per payment; looked up once for all, since there may be thousands. */
function openFiles({ payments, ledger, stored, responses }: Evidence): File[] {
  const entriesOf = Map.groupBy(ledger.entries, pairOf);
  const rowOf = new Map(stored.settlements.map((row) => [pairOf(row), row]));
  const answersOf = Map.groupBy(responses, (response) => response.payment);
  return [...payments].map(([index, payment]) => {
    const { from: payer, nonce } = payment.authorization;
    const pair = pairOf({ payer, nonce });
    const entries = entriesOf.get(pair) ?? [];
    return {
      index,
      payment,
      entries,
      paid: entries.find(({ kind, transfer }) => kind === "used" && transfer !== undefined),
      row: rowOf.get(pair),
      responses: answersOf.get(index) ?? [],
    };
  });
}

/** The key of an authorization. */
export function pairOf({ payer, nonce }: { readonly payer: string; readonly nonce: string }) {
  return `${payer}:${nonce}`.toLowerCase();
}

function auditChain({ entries, paid, payment, ...file }: File, say: Say): void {
  const whole = { entries, paid, payment, ...file };
  const { to, value } = payment.authorization;
  if (entries.length > 1) say("used once", `${entries.length} logs of one authorization`, whole);
  if (!paid?.transfer) return;
  if (paid.transfer.to !== to.toLowerCase() || paid.transfer.units !== value) {
    say("as signed", `moved ${paid.transfer.units} to ${paid.transfer.to}`, whole);
  }
}

/** Whether a settle response says that the money did not and will not move. */
function saysFailed({ asked, status, body }: CallerResponse): boolean {
  return asked !== "verify" && status === 200 && body["status"] === "failed";
}

function saysConfirmed({ asked, body }: CallerResponse): boolean {
  return asked !== "verify" && (body["status"] === "confirmed" || body["success"] === true);
}

/** Whether a request was refused before a claim. */
function saysRefused({ asked, status, body }: CallerResponse): boolean {
  return asked === "settle" && status === 200 && body["success"] === false && !body["status"];
}

/**
 * Permitted statuses. 404 has a rule of its own; 408 is the response of a process that was frozen while
 * the request arrived.
 */
const knownStatuses = new Set([0, 200, 404, 408, 503]);

function auditAnswers(file: File, evidence: Evidence, say: Say): void {
  const { responses, paid } = file;
  const ids = new Set(responses.flatMap(({ body }) => textsOf(body["id"])));
  if (ids.size > 1) say("one settlement", `callers were given ${[...ids].join(", ")}`, file);
  for (const response of responses) {
    const words = wordsOf(response);
    // Another account's key is refused.
    if (response.asked === "pry") {
      if (![403, 404].includes(response.status)) say("records are the account's", words, file);
      continue;
    }
    if (saysFailed(response) && paid) say("failed is final", `told ${words}; paid`, file);
    if (saysConfirmed(response)) auditConfirmed(file, response, evidence, say);
    auditWordKept(file, response, evidence, say);
    if (saysRefused(response) && isKnownBefore(evidence, file, response)) {
      say("a claim is remembered", `told ${words} after an id was given`, file);
    }
    if (!knownStatuses.has(response.status)) say("no bug answers", `told ${words}`, file);
    if (response.status === 404) say("an id is remembered", `told ${words}`, file);
    if (response.status === 0 && !evidence.wasEnded) say("every caller is answered", words, file);
  }
}

function textsOf(value: unknown): string[] {
  return typeof value === "string" ? [value] : [];
}

function auditConfirmed(file: File, response: CallerResponse, evidence: Evidence, say: Say): void {
  const { body, atBlock } = response;
  const { confirmations = 1 } = evidence;
  const hash = String(body["transaction"]);
  if (isExcused(response, evidence)) return;
  if (file.paid?.transaction === hash) {
    const deepest = (atBlock ?? Number.POSITIVE_INFINITY) - confirmations + 1;
    if (file.paid.blockNumber <= deepest || evidence.reorganisedOut.has(hash)) return;
    const text = `told ${wordsOf(response)} at block ${atBlock}; in block ${file.paid.blockNumber}`;
    return say("deep enough", text, file);
  }
  const really = file.paid ? `paid in ${file.paid.transaction}` : "not paid";
  say("confirmed is paid", `told ${wordsOf(response)}; ${really}`, file);
}

/**
 * A response about a transaction that was reorganised out is excused where few confirmations are
 * required, unless it said that the transaction was final.
 */
function isExcused(
  { body }: CallerResponse,
  { reorganisedOut, confirmations = 1 }: Evidence,
): boolean {
  const isFinal = body["finalized"] === true || confirmations > finalDepth;
  return reorganisedOut.has(String(body["transaction"])) && !isFinal;
}

/** After an outcome was told, later responses tell the same, reorganisations apart. */
function auditWordKept(file: File, response: CallerResponse, evidence: Evidence, say: Say): void {
  const { status } = response.body;
  if (response.asked === "verify" || (status !== "confirmed" && status !== "failed")) return;
  if (isExcused(response, evidence)) return;
  const told = evidence.responses.indexOf(response) + 1;
  const other = file.responses.find(
    (later) =>
      later.asked !== "verify" &&
      later.askedAfter >= told &&
      later.body["status"] !== undefined &&
      later.body["status"] !== status,
  );
  if (other) say("a word is kept", `told ${wordsOf(response)}, later ${wordsOf(other)}`, file);
}

/** Whether a caller had the settlement's id before this request. */
function isKnownBefore(evidence: Evidence, file: File, response: CallerResponse): boolean {
  return evidence.responses
    .slice(0, response.askedAfter)
    .some((earlier) => earlier.payment === file.index && earlier.body["id"] !== undefined);
}

function auditLastWord(file: File, { ledger }: Evidence, say: Say): void {
  const { responses, paid, row } = file;
  const last = responses.filter(({ isLast, asked }) => isLast && asked !== "pry");
  for (const response of last) {
    const words = wordsOf(response);
    if (response.status !== 200) say("a last word", `told ${words}`, file);
    else if (response.asked === "verify") {
      if (response.body["isValid"] === true && file.entries.length > 0)
        say("a used one is not valid", `told ${words}`, file);
    } else if (row) {
      const wanted = paid ? "confirmed" : "failed";
      const isSo = response.body["status"] === wanted;
      if (!isSo) say("a last word", `told ${words}; the chain says ${wanted}`, file);
    } else if (paid && paid.blockNumber <= ledger.head - finalDepth) {
      // Never claimed: a third party paid it before the facilitator saw it. Some response must name
      // the transaction, unless the authorization had expired at the first request.
      const isNamed =
        JSON.stringify(response.body).includes(paid.transaction) ||
        response.body["errorReason"] === "authorization_expired";
      if (!isNamed) say("a payment is named", `told ${words}; paid in ${paid.transaction}`, file);
    }
  }
}

const settledFacts = ["transaction", "blockNumber", "blockHash", "logIndex", "settledBy"] as const;

function auditRow(file: File, { ledger, relayers }: Evidence, say: Say): void {
  const { row, paid } = file;
  if (!row) return;
  const wanted = paid ? "confirmed" : "failed";
  if (row.state !== wanted) {
    say("the store is the chain", `${row.id} is ${row.state}; the chain says ${wanted}`, file);
    return;
  }
  if (!paid) return;
  const settledBy = relayers.includes(paid.sender) ? "relayer" : "other";
  const expected = {
    transaction: paid.transaction,
    blockNumber: paid.blockNumber,
    blockHash: paid.blockHash,
    logIndex: paid.logIndex,
    settledBy,
  };
  for (const name of settledFacts) {
    if (row[name] === expected[name]) continue;
    const text = `${row.id}: ${name} is ${row[name]}, not ${expected[name]}`;
    say("the store is the chain", text, file);
  }
  const isFinal = paid.blockNumber <= ledger.head - finalDepth;
  if (isFinal && row.finalizedAt === null) say("final at last", `${row.id} is not final`, file);
  if (!isFinal && row.finalizedAt !== null) say("final is final", `${row.id} is too early`, file);
}

function auditProcess(evidence: Evidence, files: readonly File[], say: Say): void {
  const { restless, crashes, stored, probes } = evidence;
  for (const text of restless) say("nothing is stuck", text);
  for (const text of unrest(stored)) if (!restless.includes(text)) say("nothing is stuck", text);
  if (crashes > 0) say("it stays up", `the process ended by itself ${crashes} times`);
  for (const file of files) {
    if (probes.includes(file.index) && !file.paid) {
      const [response] = file.responses.toReversed();
      say("it still works", response ? `told ${wordsOf(response)}` : "not asked", file);
    }
  }
}

function auditWallets({ ledger, stored, foreign }: Evidence, say: Say): void {
  const isForeign = (hash: string) => foreign?.has(hash) === true;
  for (const [wallet, count] of ledger.counts) {
    const rows = stored.transactions.filter(({ lane }) => lane === wallet);
    const next = stored.nextNonces.get(wallet) ?? 0;
    const relayed = ledger.relayed.filter(({ from }) => from === wallet);
    const own = relayed.filter(({ hash }) => !isForeign(hash));
    // A third party's use of the wallet need not be known before the next transaction.
    const ownNext = own.reduce((max, { nonce }) => Math.max(max, nonce + 1), 0);
    if (next < ownNext || next > count)
      say("no gap", `${wallet}: next nonce ${next}, the chain has ${count}`);
    for (const { hash, nonce } of own) {
      const row = rows.find((one) => one.hash === hash);
      if (!row) say("stored before sent", `nonce ${nonce} of ${wallet}: ${hash} is not stored`);
      else if (row.state !== "mined") say("no gap", `nonce ${nonce}: ${hash} is ${row.state}`);
    }
    for (const { hash, nonce, state } of rows) {
      const isThere = ledger.relayed.some((one) => one.hash === hash);
      if (state === "mined" && !isThere) say("no gap", `nonce ${nonce}: ${hash} is in no block`);
    }
  }
  auditCarriers(stored, ledger, say);
}

/**
 * A settlement gets a new nonce only when the old one is certainly used by another transaction, or when
 * its batch was mined and has moved nothing: one payer's code has burned the gas of all.
 */
function auditCarriers({ settlements, transactions }: Stored, ledger: Ledger, say: Say): void {
  const { entries, relayed } = ledger;
  const inBlocks = new Set(relayed.map(({ hash }) => hash));
  const moving = new Set(entries.map(({ transaction }) => transaction));
  const isReverted = ({ settlementIds, hash }: Stored["transactions"][number]) =>
    settlementIds.length > 1 && inBlocks.has(hash ?? "0x") && !moving.has(hash ?? "0x");
  for (const { id } of settlements) {
    const carriers = transactions.filter(
      (transaction) =>
        transaction.settlementIds.includes(id) &&
        transaction.state === "mined" &&
        !isReverted(transaction),
    );
    const places = new Set(carriers.map(({ lane, nonce }) => `nonce ${nonce} of ${lane}`));
    if (places.size > 1) say("carried once", `${id} is carried by ${[...places].join(", ")}`);
  }
}

function auditMoney({ ledger, stored }: Evidence, files: readonly File[], say: Say): void {
  const moved = files.reduce((sum, { paid }) => sum + (paid?.transfer?.units ?? 0n), 0n);
  if (moved !== ledger.sellerUnits) {
    say("the seller has it", `${ledger.sellerUnits} units; payments moved ${moved}`);
  }
  const claimed = stored.settlements
    .filter(({ state }) => state === "confirmed")
    .reduce((sum, { amount }) => sum + BigInt(amount), 0n);
  const unclaimed = files
    .filter(({ row }) => row === undefined)
    .reduce((sum, { paid }) => sum + (paid?.transfer?.units ?? 0n), 0n);
  if (claimed + unclaimed !== ledger.sellerUnits) {
    const parts = `${claimed} confirmed, ${unclaimed} of others`;
    say("the books are the chain", `${ledger.sellerUnits} units; ${parts}`);
  }
}

function auditPayers({ payerUnits = new Map() }: Evidence, files: readonly File[], say: Say): void {
  const filesOf = Map.groupBy(files, ({ payment }) => payment.authorization.from);
  for (const [payer, units] of payerUnits) {
    const moved = filesOf
      .get(payer)
      ?.reduce((sum, { paid }) => sum + (paid?.transfer?.units ?? 0n), 0n);
    const expected = buyerUnits - (moved ?? 0n);
    if (units !== expected) say("the payer has the rest", `${payer}: ${units}, not ${expected}`);
  }
}
