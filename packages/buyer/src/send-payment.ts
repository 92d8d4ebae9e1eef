/**
 * Sends one signed payment until its outcome is known or it has expired. Every send is the same
 * header and the same body, byte for byte; nothing here can sign.
 */
import type { Hex, SettleResponse } from "@farthing/protocol";
import * as Hash from "ox/Hash";
import {
  readPaidResponse,
  rows,
  type ResponseKind,
  type ResponseReading,
  type ExpectedReceipt,
  type KnownState,
} from "./read-paid-response.ts";
import {
  LedgerMoveError,
  type KeptAnswer,
  type Ledger,
  type LedgerTransition,
  type LedgerRecord,
  type SignedPayment,
} from "./ledger/ledger.ts";
import { readAtMost, type FetchFunction, type ReplayableRequest } from "./replayable-request.ts";
import type { Runtime } from "./runtime.ts";

/** Waits before a resend, the last one repeated: long enough for a block, short for a person. */
export const backoffSeconds = [1, 2, 4, 8] as const;

/**
 * Sends of one payment in one call: a payment lives for 300 s, in which the waits leave room for
 * 40. Also holds when the clock is set back meanwhile.
 */
export const sendsMax = 64;

/** Bodies up to this size are awaited whole, so that a cut connection is noticed and met. */
export const wholeBodyBytesMax = 1024 * 1024;

/** The part of a ledger that sending writes to. */
export type SendingLedger = Pick<Ledger, "find" | "move">;

/** What sending needs. */
export interface SendingTools {
  readonly fetch: FetchFunction;
  readonly ledger: SendingLedger;
  readonly runtime: Runtime;
  /** How long one send may take until its answer is there, in milliseconds. */
  readonly answerTimeoutMs: number;
}

/** One signed payment on its way. */
export interface SendingOrder {
  readonly request: ReplayableRequest;
  readonly record: LedgerRecord;
  readonly signed: SignedPayment;
  readonly expected: ExpectedReceipt;
}

/** What is known of the money; `settled` is never taken back. */
export interface Knowledge {
  readonly state: KnownState;
  readonly transaction?: Hex;
  readonly receipt?: SettleResponse;
}

/** How sending ended. */
export interface Delivery extends Knowledge {
  /** The last answer; absent when there was none. */
  readonly response?: Response;
  /** What the last send brought. */
  readonly reading: ResponseReading;
  /** Why there is no answer. */
  readonly cause?: unknown;
  /** The caller's signal ended it. */
  readonly isInterrupted: boolean;
  /** How long the seller asks to wait, when that is longer than the payment lives. */
  readonly retryAfterSeconds?: number;
}

interface Attempt {
  /** Absent when no answer came, or its content was cut off. */
  readonly response?: Response;
  readonly reading: ResponseReading;
  /** SHA-256 of the content; absent when it is not awaited whole. */
  readonly bodyHash?: Hex;
  readonly cause?: unknown;
}

/** Sends, and sends again as {@link rows} says. Rejects only when the ledger fails. */
export async function sendPayment(tools: SendingTools, order: SendingOrder): Promise<Delivery> {
  const { runtime } = tools;
  const { signal } = order.request;
  const seen = new Map<ResponseKind, number>();
  let known: Knowledge = startingKnowledge(order.record);
  for (let sends = 0; ; sends++) {
    const sending = attempt(tools, order);
    // The record says "sent" while the answer is still out; a crash in between loses nothing.
    if (sends === 0) await noteSent(tools.ledger, order.record);
    const result = await sending;
    known = learn(known, result.reading);
    await noteKnown(tools, order, known, result);
    const end = (isInterrupted: boolean): Delivery => ({ ...known, ...result, isInterrupted });
    if (signal?.aborted) return end(true);
    const kind = result.response === undefined ? "no_answer" : result.reading.kind;
    const count = (seen.get(kind) ?? 0) + 1;
    seen.set(kind, count);
    if (count > rows[kind].resendsMax || sends + 1 >= sendsMax) return end(false);
    const asked = retryAfterSeconds(result.response, runtime.now());
    const waitMs = 1000 * Math.max(asked ?? 0, backoffOf(sends));
    if (runtime.now() + waitMs >= order.signed.validBefore * 1000) {
      return { ...end(false), ...(asked === undefined ? {} : { retryAfterSeconds: asked }) };
    }
    // The body that nobody will read gives its connection back.
    result.response?.body?.cancel().catch(() => {});
    try {
      await runtime.sleep(waitMs, signal);
    } catch (cause) {
      return { ...known, reading: { kind: "no_answer" }, cause, isInterrupted: true };
    }
  }
}

function startingKnowledge(record: LedgerRecord): Knowledge {
  const { state, transaction } = record;
  return {
    state: state === "settled" ? "settled" : "ambiguous",
    ...(transaction === undefined ? {} : { transaction }),
  };
}

function learn(known: Knowledge, reading: ResponseReading): Knowledge {
  if (known.state === "settled") return known;
  const transaction = reading.transaction ?? known.transaction;
  const receipt = reading.receipt ?? known.receipt;
  return {
    state: rows[reading.kind].state,
    ...(transaction === undefined ? {} : { transaction }),
    ...(receipt === undefined ? {} : { receipt }),
  };
}

async function noteSent(ledger: SendingLedger, { requestId, signed }: LedgerRecord): Promise<void> {
  const record = await ledger.find(requestId);
  if (record?.state === "signed") await note(ledger, requestId, { state: "sent" }, signed?.nonce);
}

/** Another process may send the same payment and note first; the further state counts then. */
async function note(
  ledger: SendingLedger,
  requestId: string,
  move: LedgerTransition,
  ofNonce: Hex | undefined,
): Promise<void> {
  try {
    await ledger.move(requestId, { ...move, ofNonce });
  } catch (error) {
    if (!(error instanceof LedgerMoveError)) throw error;
  }
}

async function noteKnown(
  tools: SendingTools,
  order: SendingOrder,
  known: Knowledge,
  last: Attempt,
) {
  const { requestId } = order.record;
  const record = await tools.ledger.find(requestId);
  if (record === undefined || record.state === "settled") return;
  const isSettled = known.state === "settled";
  const move: LedgerTransition = {
    ...(isSettled
      ? { state: "settled", evidence: "receipt", settledAt: tools.runtime.now() }
      : { state: "ambiguous" }),
    ...(known.transaction === undefined ? {} : { transaction: known.transaction }),
    ...(last.response === undefined ? {} : { answer: keptAnswer(last.response, last, known) }),
  };
  await note(tools.ledger, requestId, move, order.signed.nonce);
}

function keptAnswer(
  { status }: Response,
  { bodyHash, reading }: Attempt,
  { receipt }: Knowledge,
): KeptAnswer {
  return {
    status,
    ...(reading.saysUncharged === true ? { saysUncharged: true } : {}),
    ...(bodyHash === undefined ? {} : { bodyHash }),
    ...(receipt === undefined ? {} : { receipt }),
  };
}

function backoffOf(sends: number): number {
  return backoffSeconds[Math.min(sends, backoffSeconds.length - 1)] ?? 0;
}

/** Reads `Retry-After`, seconds or a date; undefined when it is neither. */
export function retryAfterSeconds(
  response: Response | undefined,
  nowMs: number,
): number | undefined {
  const text = response?.headers.get("Retry-After")?.trim();
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  // Only the form of RFC 9110: Date.parse takes "-5" for a year.
  const date = text.endsWith(" GMT") ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - nowMs) / 1000));
}

/** One send. Never rejects: a broken connection is an outcome like any other. */
async function attempt(tools: SendingTools, order: SendingOrder): Promise<Attempt> {
  const { request, signed, expected } = order;
  const limit = new AbortController();
  const timer = setTimeout(
    () => limit.abort(new DOMException("The seller took too long to answer.", "TimeoutError")),
    tools.answerTimeoutMs,
  );
  const signals = [limit.signal, ...(request.signal ? [request.signal] : [])];
  try {
    const response = await request.send(tools.fetch, {
      header: [signed.headerName, signed.headerValue],
      url: signed.url,
      // A redirect would carry the payment to an address that nobody has checked.
      redirect: "manual",
      signal: AbortSignal.any(signals),
    });
    const reading = await readPaidResponse(response, expected);
    const { cut, ...whole } = await readWhole(response);
    // What the headers said about the money stays true although the content is lost.
    return cut === undefined ? { response, reading, ...whole } : { reading, cause: cut.cause };
  } catch (cause) {
    return { reading: { kind: "no_answer" }, cause };
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Reads a copy of a body of known, moderate length: its hash, or why the connection broke. Neither
 * for a longer one, which is left to the caller.
 */
async function readWhole(
  response: Response,
): Promise<{ readonly bodyHash?: Hex; readonly cut?: { readonly cause: unknown } }> {
  const length = Number(response.headers.get("Content-Length") ?? "NaN");
  if (!(length <= wholeBodyBytesMax) || response.body === null) return {};
  const { body } = response.clone();
  if (body === null) return {};
  try {
    // The length is that on the wire; unpacked, a kilobyte can be a megabyte.
    const bytes = await readAtMost(body, wholeBodyBytesMax);
    return bytes === undefined ? {} : { bodyHash: Hash.sha256(bytes, { as: "Hex" }) };
  } catch (cause) {
    return { cut: { cause } };
  }
}
