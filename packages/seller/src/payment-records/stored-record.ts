/** Payment records as a store keeps them outside of the process: text and numbers, read with care. */
import { parseJson, parseSettleResponse, type SettleResponse } from "@farthing/protocol";
import type { StoredAnswer } from "./payment-records.ts";
import { recordFormat, type PaymentRecord, type StoredState } from "./record-transitions.ts";
import { openerIn } from "./proof.ts";

/** The values of a record by their names in {@link PaymentRecord}; what is not there is null or absent. */
export type StoredRecord = Readonly<Partial<Record<keyof PaymentRecord | "format", unknown>>>;

/**
 * Reads a record back. Earlier versions kept less: no format, no exchange key, nothing of the first
 * request. Throws for what this version does not know, which is then left alone.
 */
export function recordIn(stored: StoredRecord): PaymentRecord {
  const format = Number(stored.format ?? 1);
  if (format > recordFormat) {
    throw new Error(
      `A later version made this payment record (format ${format}): update this one.`,
    );
  }
  const { exchangeKey, holder } = stored;
  const receipt = receiptIn(stored.receipt);
  return {
    key: String(stored.key),
    fingerprint: String(stored.fingerprint),
    payload: String(stored.payload),
    state: stateIn(stored.state),
    opener: openerIn(stored.opener),
    ...(typeof exchangeKey === "string" ? { exchangeKey } : {}),
    ...(receipt ? { receipt } : {}),
    ...(typeof holder === "string" ? { holder } : {}),
    heldUntilMs: Number(stored.heldUntilMs ?? 0),
    ...(stored.dispensableFromMs == null
      ? {}
      : { dispensableFromMs: Number(stored.dispensableFromMs) }),
    answerUntilMs: Number(stored.answerUntilMs ?? 0),
    ...(stored.answerBytes == null ? {} : { answerBytes: Number(stored.answerBytes) }),
    readAtMs: Number(stored.readAtMs),
  };
}

function stateIn(state: unknown): StoredState {
  switch (state) {
    case "claimed":
    case "settling":
    case "paid":
    case "delivered":
      return state;
    default:
      throw new Error("The store keeps something else under the key of a payment record.");
  }
}

function receiptIn(receipt: unknown): SettleResponse | undefined {
  return typeof receipt === "string" ? parseSettleResponse(parseJson(receipt)?.value) : undefined;
}

/** Stands for the reader among the headers of a response; no header has such a name. */
const readerName = ":reader";

/** The headers of a response, and for whom it was made, as JSON. */
export function headersText({ headers, reader }: StoredAnswer): string {
  return JSON.stringify(reader === undefined ? headers : [...headers, [readerName, reader]]);
}

/** The response of which these are kept; undefined when one of them is not there. */
export function answerIn(
  status: unknown,
  headersJson: unknown,
  keptBody: Uint8Array | undefined,
): StoredAnswer | undefined {
  if (typeof status !== "number" || typeof headersJson !== "string" || !keptBody) return undefined;
  const list: unknown = parseJson(headersJson)?.value;
  if (!Array.isArray(list)) return undefined;
  const pairs = list.filter(isPair);
  const headers = pairs.filter(([name]) => name !== readerName);
  const reader = pairs.find(([name]) => name === readerName)?.[1];
  const body = new Uint8Array(keptBody);
  return { status, headers, body, ...(reader === undefined ? {} : { reader }) };
}

function isPair(value: unknown): value is readonly [string, string] {
  return (
    Array.isArray(value) && value.length === 2 && value.every((one) => typeof one === "string")
  );
}
