/** Grants as a store keeps them outside of the process: as text and bytes, read back with care. */
import { parseJson, parseSettleResponse, type SettleResponse } from "@farthing/protocol";
import type { Binding, PaymentRecordState, StoredAnswer } from "./payment-records.ts";
import type { Found } from "./held-lease.ts";

/** What is read back, whatever the store. Anything but text, a number and bytes is absent. */
export interface StoredGrant {
  readonly exchangeKey: unknown;
  readonly fingerprint: unknown;
  readonly payload: unknown;
  readonly state: unknown;
  /** JSON. */
  readonly receipt: unknown;
  readonly answerStatus: unknown;
  /** JSON. */
  readonly answerHeaders: unknown;
  readonly answerBody: Uint8Array | undefined;
}

/** Whether the grant belongs to this request and payload. */
export function isBoundTo(stored: StoredGrant, binding: Binding): boolean {
  return stored.fingerprint === binding.fingerprint && stored.payload === binding.payload;
}

/** The state, receipt and answer for the next holder. */
export function foundIn(stored: StoredGrant): Found {
  const receipt = receiptIn(stored);
  const answer = answerIn(stored);
  return {
    ...foundNew(stored.exchangeKey),
    state: stateIn(stored),
    ...(receipt ? { receipt } : {}),
    ...(answer ? { answer } : {}),
  };
}

/** A record that nobody has worked on. */
export function foundNew(exchangeKey: unknown): Found {
  return { state: "claimed", ...(typeof exchangeKey === "string" ? { exchangeKey } : {}) };
}

function stateIn({ state }: StoredGrant): PaymentRecordState {
  return state === "settling" || state === "paid" ? state : "claimed";
}

/** The receipt, when one is kept. */
export function receiptIn({ receipt }: StoredGrant): SettleResponse | undefined {
  return typeof receipt === "string" ? parseSettleResponse(parseJson(receipt)?.value) : undefined;
}

/** Stands for the reader among an answer's headers; no header has such a name. */
const readerName = ":reader";

/** An answer's headers, and for whom it was made, as JSON. */
export function headersText({ headers, reader }: StoredAnswer): string {
  return JSON.stringify(reader === undefined ? headers : [...headers, [readerName, reader]]);
}

/** The answer, when one is kept. */
export function answerIn(stored: StoredGrant): StoredAnswer | undefined {
  const { answerStatus: status, answerHeaders, answerBody } = stored;
  if (typeof status !== "number" || typeof answerHeaders !== "string" || !answerBody) {
    return undefined;
  }
  const list: unknown = parseJson(answerHeaders)?.value;
  if (!Array.isArray(list)) return undefined;
  const pairs = list.filter(isPair);
  const headers = pairs.filter(([name]) => name !== readerName);
  const reader = pairs.find(([name]) => name === readerName)?.[1];
  const body = new Uint8Array(answerBody);
  return { status, headers, body, ...(reader === undefined ? {} : { reader }) };
}

function isPair(value: unknown): value is readonly [string, string] {
  return (
    Array.isArray(value) && value.length === 2 && value.every((one) => typeof one === "string")
  );
}
