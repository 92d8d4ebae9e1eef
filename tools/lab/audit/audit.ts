/**
 * The audit of a run: compares the chain, the facilitator's database and the responses of all
 * callers. It knows the facilitator's promises, not its implementation.
 */
import { countToldAfterRecovery, isLostFailure, listUnstored } from "./audit-losses.ts";
import { auditMoney, auditPayers } from "./audit-money.ts";
import { listNotRepriced } from "./audit-prices.ts";
import { auditSends } from "./audit-sends.ts";
import { auditWallets } from "./audit-wallets.ts";
import { auditToldHashes } from "./audit-told-hashes.ts";
import { wordsOf, type CallerResponse } from "./caller-response.ts";
import { finalDepth, pairOf, type LedgerEntry } from "./chain-ledger.ts";
import type { Evidence, Violation } from "./evidence.ts";
import { unrest, type StoredSettlement } from "./stored-rows.ts";
import type { SignedPayment } from "../token-calls/token-calls.ts";

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
    auditRecovery(file, evidence, say);
  }
  for (const { transaction } of listUnstored(evidence.ledger, evidence.stored, evidence.relayers)) {
    say("what a wallet sent is stored", `${transaction} is not`);
  }
  auditProcess(evidence, files, say);
  auditWallets(evidence, say);
  const { submissions = [], foreign = new Set(), swept = new Set() } = evidence;
  // A nonce whose transaction was lost is taken again, and its bytes are gone.
  const resent = hasLost(evidence) ? [] : auditSends(submissions, { foreign, swept });
  for (const text of resent) say("the same bytes first", text);
  auditPrices(evidence, say);
  if (evidence.hasAllReplies) {
    for (const { payment, text } of auditToldHashes(evidence.responses, submissions)) {
      violations.push({ rule: "a named hash is known", payment, text });
    }
  }
  auditMoney(evidence, files, say);
  auditPayers(evidence, files, say);
  return violations;
}

function auditPrices({ lastStep, seenBlocks = [], ledger, ...evidence }: Evidence, say: Say) {
  if (!lastStep) return;
  const { submissions = [], foreign } = evidence;
  const own = submissions.filter(({ hash }) => foreign?.has(hash) !== true);
  const mined = new Set(ledger.relayed.map(({ hash }) => hash));
  for (const text of listNotRepriced(own, mined, lastStep, seenBlocks)) {
    say("priced again at once", text);
  }
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

function auditChain({ entries, paid, payment, ...file }: File, say: Say): void {
  const whole = { entries, paid, payment, ...file };
  const { to, value } = payment.authorization;
  if (entries.length > 1) say("used once", `${entries.length} logs of one authorization`, whole);
  if (!paid?.transfer) return;
  if (paid.transfer.to !== to.toLowerCase() || paid.transfer.units !== value) {
    say("as signed", `moved ${paid.transfer.units} to ${paid.transfer.to}`, whole);
  }
}

function hasLost({ losses = [] }: Evidence): boolean {
  return losses.length > 0;
}

/** A success that is found again is told to one caller; the others get a conflict. */
function isConflict(evidence: Evidence, { status }: CallerResponse): boolean {
  return hasLost(evidence) && status === 409;
}

/** A conflict that names the success. */
function isToldOnce(evidence: Evidence, response: CallerResponse): boolean {
  return isConflict(evidence, response) && response.body["errorReason"] === "already_settled";
}

/** Blocks after which every node and process knows that a payment is paid. */
const paidKnownAfterBlocks = 6;

/** Whether a payment that has long been paid is refused without the word that it is. */
function isToldToSignAgain({ paid }: File, response: CallerResponse): boolean {
  const { body, atBlock = 0 } = response;
  if (!paid || atBlock < paid.blockNumber + paidKnownAfterBlocks) return false;
  return saysRefused(response) && body["errorReason"] !== "already_settled";
}

/** Whether a settle response says that the money did not and will not move. */
function saysFailed({ asked, status, body }: CallerResponse): boolean {
  return asked !== "verify" && status === 200 && body["status"] === "failed";
}

/** Whether a third party has made a payment after this response: until it expires everyone can. */
function isPaidAfterwards({ paid }: File, { atBlock }: CallerResponse, { relayers }: Evidence) {
  if (!paid || atBlock === undefined || relayers.includes(paid.sender)) return false;
  return paid.blockNumber > atBlock;
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
    if (isOutOfTime(file.payment, response)) say("the chain's time decides", words, file);
    if (
      saysFailed(response) &&
      paid &&
      !isLostFailure(evidence, response) &&
      !isPaidAfterwards(file, response, evidence)
    )
      say("failed is final", `told ${words}; paid`, file);
    if (saysConfirmed(response)) auditConfirmed(file, response, evidence, say);
    auditWordKept(file, response, evidence, say);
    if (isToldToSignAgain(file, response)) say("paid is paid", `told ${words}; paid`, file);
    if (saysRefused(response) && !hasLost(evidence) && isKnownBefore(evidence, file, response)) {
      say("a claim is remembered", `told ${words} after an id was given`, file);
    }
    if (!knownStatuses.has(response.status) && !isConflict(evidence, response))
      say("no bug answers", `told ${words}`, file);
    // Until a process knows of the loss; the last word is about a settlement that was found.
    if (response.status === 404 && !hasLost(evidence))
      say("an id is remembered", `told ${words}`, file);
    if (response.status === 0 && !evidence.wasEnded) say("every caller is answered", words, file);
  }
}

/**
 * Seconds between what the chain's newest block says and by what a service may judge: a node that lags,
 * blocks that a leader misses, and the time that a transaction needs.
 */
const timeMarginSeconds = 45;

/** Whether a definite refusal names an expiry or a beginning that the chain's time contradicts. */
function isOutOfTime({ authorization }: SignedPayment, { body, chainTime }: CallerResponse) {
  if (chainTime === undefined) return false;
  const reason = body["errorReason"] ?? body["invalidReason"];
  const left = Number(authorization.validBefore) - chainTime;
  const past = chainTime - Number(authorization.validAfter);
  return (
    (reason === "authorization_expired" && left > timeMarginSeconds) ||
    (reason === "authorization_not_yet_valid" && past > timeMarginSeconds)
  );
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
  if (isExcused(response, evidence) || isLostFailure(evidence, response)) return;
  if (status === "failed" && isPaidAfterwards(file, response, evidence)) return;
  const told = evidence.responses.indexOf(response) + 1;
  const other = file.responses.find(
    (later) =>
      later.asked !== "verify" &&
      later.askedAfter >= told &&
      later.body["status"] !== undefined &&
      // Lost and found again, a payment is pending until its block is found.
      !(hasLost(evidence) && later.body["status"] === "pending") &&
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

/** What no transfer shows cannot be found again: an id that the database lost is unknown then. */
function isLostUnpaid(evidence: Evidence, { row, paid }: File, response: CallerResponse): boolean {
  const isUnknown = response.asked === "look" && response.status === 404;
  return isUnknown && hasLost(evidence) && row === undefined && paid === undefined;
}

function auditLastWord(file: File, evidence: Evidence, say: Say): void {
  const { ledger } = evidence;
  const { responses, paid, row } = file;
  const last = responses.filter(({ isLast, asked }) => isLast && asked !== "pry");
  for (const response of last) {
    const words = wordsOf(response);
    if (isToldOnce(evidence, response) || isLostUnpaid(evidence, file, response)) continue;
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

function auditRow(file: File, evidence: Evidence, say: Say): void {
  const { ledger, relayers } = evidence;
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

/** Who was told before a loss is lost as well, so that a success is told once from then on. */
function auditRecovery({ row, responses, ...file }: File, evidence: Evidence, say: Say): void {
  const times = countToldAfterRecovery(row, responses, evidence.losses ?? []);
  const whole = { row, responses, ...file };
  if (times > 1) say("success is told once after a loss", `told ${times} times`, whole);
}

function auditProcess(evidence: Evidence, files: readonly File[], say: Say): void {
  const { restless, crashes, stored, probes } = evidence;
  for (const text of restless) say("nothing is stuck", text);
  if (evidence.confirmedWhileSlow === 0) {
    say("slow is not down", "no payment was told as confirmed while the nodes were slow");
  }
  for (const text of evidence.brokenSteps ?? []) say("every step is the model's", text);
  for (const text of evidence.falselyReady ?? []) say("ready is able to write", text);
  for (const text of unrest(stored)) if (!restless.includes(text)) say("nothing is stuck", text);
  if (crashes > 0) say("it stays up", `the process ended by itself ${crashes} times`);
  for (const file of files) {
    if (probes.includes(file.index) && !file.paid) {
      const [response] = file.responses.toReversed();
      if (isPausedAfterRevert(file, response, evidence)) continue;
      say("it still works", response ? `told ${wordsOf(response)}` : "not asked", file);
    }
  }
}

/** Whether a payer is refused for a while because their transaction has reverted, by whatever fault. */
function isPausedAfterRevert(
  { payment }: File,
  response: CallerResponse | undefined,
  { stored }: Evidence,
): boolean {
  if (response?.body["errorReason"] !== "payer_paused") return false;
  const payer = payment.authorization.from.toLowerCase();
  return stored.settlements.some(
    (row) => row.payer.toLowerCase() === payer && row.failure === "transaction_reverted",
  );
}
