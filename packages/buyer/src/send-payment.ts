/** Sends one signed payment, always the same bytes, until its outcome is known or it expires. */
import { defined, type Hex, type SettleResponse } from "@farthing/protocol";
import * as Hash from "ox/Hash";
import {
  readPaidResponse,
  responseRules,
  type ResponseKind,
  type ResponseReading,
  type ExpectedReceipt,
  type KnownState,
} from "./read-paid-response.ts";
import {
  LedgerTransitionError,
  type KeptResponse,
  type Ledger,
  type LedgerTransition,
  type LedgerRecord,
  type SignedPayment,
} from "./ledger/ledger.ts";
import { readGiven } from "./passes.ts";
import { readAtMost, type FetchFunction, type ReplayableRequest } from "./replayable-request.ts";
import type { Runtime } from "./runtime.ts";

/** The last one repeats: long enough for a block, short for a person. */
export const backoffSeconds: readonly number[] = [1, 2, 4, 8];
const backoffSecondsMax = 8;

/** The waits of 300 s leave room for 40 sends; this holds also when the clock is set back. */
export const sendsMax = 64;

/** Bodies up to this size are awaited whole, so that a cut connection is noticed. */
export const wholeBodyBytesMax = 1024 * 1024;

export type SendingLedger = Pick<Ledger, "find" | "transition">;

export interface SendingTools {
  readonly fetch: FetchFunction;
  readonly ledger: SendingLedger;
  readonly runtime: Runtime;
  /** From one send until its response. */
  readonly answerTimeoutMs: number;
  readonly emit?: (event: ResendingEvent) => void;
}

/** No outcome is known yet, so the same payment is sent again after `waitSeconds`. */
export interface ResendingEvent {
  readonly type: "resending";
  readonly requestId: string;
  readonly waitSeconds: number;
  /** `pending` when the seller says that the transfer is under way. */
  readonly state: KnownState;
  /** Absent when there was no response. */
  readonly status?: number;
  /** The seller's reason, safe to print. */
  readonly reason?: string;
}

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

export interface Delivery extends Knowledge, Attempt {
  /** The caller's signal ended it. */
  readonly isInterrupted: boolean;
  /** The seller's wait, when it is longer than the payment lives. */
  readonly retryAfterSeconds?: number;
}

interface Attempt {
  /** Absent when there was no response, or its content was cut off. */
  readonly response?: Response;
  readonly reading: ResponseReading;
  /** SHA-256 of the content; absent when it is not awaited whole. */
  readonly bodyHash?: Hex;
  /** Why there is no response. */
  readonly cause?: unknown;
}

/** Resends as the table says. Rejects only when the ledger fails. */
export async function sendPayment(tools: SendingTools, order: SendingOrder): Promise<Delivery> {
  const { runtime } = tools;
  const { signal } = order.request;
  const seen = new Map<ResponseKind, number>();
  const { state, transaction } = order.record;
  let known: Knowledge = {
    state: state === "settled" ? state : "ambiguous",
    ...defined({ transaction }),
  };
  for (let sends = 0; ; sends++) {
    const sending = attempt(tools, order);
    // The record says "sent" while the response is out; a crash in between loses nothing.
    if (sends === 0) await recordSent(tools.ledger, order.record);
    const result = await sending;
    known = learn(known, result.reading);
    await recordKnowledge(tools, order, known, result);
    const end = (isInterrupted: boolean): Delivery => ({ ...known, ...result, isInterrupted });
    if (signal?.aborted) return end(true);
    const kind = result.response === undefined ? "no_answer" : result.reading.kind;
    const count = (seen.get(kind) ?? 0) + 1;
    seen.set(kind, count);
    if (count > responseRules[kind].resendsMax || sends + 1 >= sendsMax) return end(false);
    const asked = retryAfterSeconds(result.response, runtime.now());
    const waitMs = 1000 * Math.max(asked ?? 0, backoffSeconds[sends] ?? backoffSecondsMax);
    if (runtime.now() + waitMs >= order.signed.validBefore * 1000) {
      return { ...end(false), ...defined({ retryAfterSeconds: asked }) };
    }
    tools.emit?.(resending(order, known, result, waitMs));
    // Unread bodies hold their connection.
    result.response?.body?.cancel().catch(() => {});
    try {
      await runtime.sleep(waitMs, signal);
    } catch (cause) {
      return { ...known, reading: { kind: "no_answer" }, cause, isInterrupted: true };
    }
  }
}

function resending(
  { record: { requestId } }: SendingOrder,
  { state }: Knowledge,
  { response, reading: { reason } }: Attempt,
  waitMs: number,
): ResendingEvent {
  const waitSeconds = Math.ceil(waitMs / 1000);
  const { status } = response ?? {};
  return { type: "resending", requestId, waitSeconds, state, ...defined({ status, reason }) };
}

function learn(known: Knowledge, reading: ResponseReading): Knowledge {
  if (known.state === "settled") return known;
  const { kind, transaction = known.transaction, receipt = known.receipt } = reading;
  return { state: responseRules[kind].state, ...defined({ transaction, receipt }) };
}

async function recordSent(ledger: SendingLedger, { requestId, signed }: LedgerRecord) {
  const record = await ledger.find(requestId);
  if (record?.state !== "signed") return;
  await recordTransition(ledger, requestId, { state: "sent", ofNonce: signed?.nonce });
}

/** Another process may record first; the further state counts. */
export async function recordTransition(
  ledger: SendingLedger,
  requestId: string,
  transition: LedgerTransition,
): Promise<void> {
  try {
    await ledger.transition(requestId, transition);
  } catch (error) {
    if (!(error instanceof LedgerTransitionError)) throw error;
  }
}

async function recordKnowledge(
  { ledger, runtime }: SendingTools,
  { record: { requestId }, signed }: SendingOrder,
  { state, transaction, receipt }: Knowledge,
  { response, bodyHash, reading }: Attempt,
) {
  const record = await ledger.find(requestId);
  if (record === undefined || record.state === "settled") return;
  const { saysUncharged } = reading;
  const answer: KeptResponse | undefined = response && {
    status: response.status,
    ...defined({ saysUncharged, bodyHash, receipt }),
    ...readGiven(response),
  };
  await recordTransition(ledger, requestId, {
    ...(state === "settled"
      ? { state, evidence: "receipt", settledAt: runtime.now() }
      : { state: "ambiguous" }),
    ...defined({ transaction, answer }),
    ofNonce: signed.nonce,
  });
}

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

/** Never rejects: a broken connection is an outcome like any other. */
async function attempt(tools: SendingTools, order: SendingOrder): Promise<Attempt> {
  const { request, signed, expected } = order;
  const limit = new AbortController();
  const timer = setTimeout(
    () => limit.abort(new DOMException("The seller took too long to respond.", "TimeoutError")),
    tools.answerTimeoutMs,
  );
  const signals = [limit.signal, ...(request.signal ? [request.signal] : [])];
  try {
    const response = await request.send(tools.fetch, {
      header: [signed.headerName, signed.headerValue],
      url: signed.url,
      // A redirect would carry the payment to an unchecked address.
      redirect: "manual",
      signal: AbortSignal.any(signals),
    });
    const reading = await readPaidResponse(response, expected);
    const { cut, ...whole } = await readWhole(response);
    // What the headers said about the money stays true without the content.
    return cut === undefined ? { response, reading, ...whole } : { reading, cause: cut.cause };
  } catch (cause) {
    return { reading: { kind: "no_answer" }, cause };
  } finally {
    clearTimeout(timer);
  }
}

/** Reads a copy of a body of moderate length: its hash, or why the connection broke. */
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
    return defined({ bodyHash: bytes && Hash.sha256(bytes, { as: "Hex" }) });
  } catch (cause) {
    return { cut: { cause } };
  }
}
