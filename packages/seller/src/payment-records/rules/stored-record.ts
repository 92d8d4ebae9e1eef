/** Payment records as stores outside of the process keep them: text and numbers, read with care. */
import { defined, parseJson, parseSettleResponse, type SettleResponse } from "@farthing/protocol";
import type { StoredResponse } from "./payment-records.ts";
import {
  recordFormat,
  storedStates,
  type PaymentRecord,
  type StoredState,
} from "./record-transitions.ts";
import { openerIn } from "./proof.ts";

/** Columns in a SQLite file and fields in a Redis hash, which has no dispensable records. */
export const storedNames: Readonly<Record<string, { column?: string; field?: string }>> = {
  format: { column: "format", field: "v" },
  fingerprint: { column: "fingerprint", field: "f" },
  payload: { column: "payload", field: "p" },
  state: { column: "state", field: "s" },
  exchangeKey: { column: "exchange", field: "k" },
  facilitator: { column: "facilitator", field: "fc" },
  receipt: { column: "receipt", field: "r" },
  holder: { column: "holder", field: "h" },
  heldUntilMs: { column: "held_until_ms", field: "u" },
  responseUntilMs: { column: "answer_until_ms", field: "t" },
  expiresAtMs: { column: "expires_at_ms", field: "e" },
  dispensableFromMs: { column: "dispensable_from_ms" },
  opener: { column: "opener" },
  token: { field: "ot" },
  authorization: { field: "oa" },
  cookie: { field: "oc" },
  isOpened: { field: "os" },
};

/** Parses a stored record. Throws for a later version, whose record is left alone. */
export function recordIn(stored: Readonly<Record<string, unknown>>): PaymentRecord {
  const format = Number(stored["format"] ?? 1);
  if (format > recordFormat) {
    throw new Error(
      `A later version made this payment record (format ${format}): update this one.`,
    );
  }
  return {
    key: String(stored["key"]),
    fingerprint: String(stored["fingerprint"]),
    payload: String(stored["payload"]),
    state: stateIn(stored["state"]),
    opener: openerIn(stored["opener"]),
    exchangeKey: textIn(stored["exchangeKey"]),
    facilitator: textIn(stored["facilitator"]),
    receipt: receiptIn(stored["receipt"]),
    holder: textIn(stored["holder"]),
    heldUntilMs: Number(stored["heldUntilMs"] ?? 0),
    dispensableFromMs: Number(stored["dispensableFromMs"] ?? 0),
    responseUntilMs: Number(stored["responseUntilMs"] ?? 0),
    responseBytes: Number(stored["responseBytes"] ?? 0),
    readAtMs: Number(stored["readAtMs"]),
  };
}

function textIn(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function stateIn(state: unknown): StoredState {
  const known = storedStates.find((one) => one === state);
  if (known) return known;
  throw new Error("The store keeps something else under the key of a payment record.");
}

function receiptIn(receipt: unknown): SettleResponse | null {
  const value = typeof receipt === "string" ? parseJson(receipt)?.value : undefined;
  return parseSettleResponse(value) ?? null;
}

/** Stands for the audience among the stored headers of a response; no header has such a name. */
const audienceName = ":reader";

/** Serializes the headers and the audience of a response as JSON. */
export function headersText({ headers, reader }: StoredResponse): string {
  return JSON.stringify(reader === undefined ? headers : [...headers, [audienceName, reader]]);
}

/** Parses a stored response; undefined when a part of it is missing. */
export function responseIn(
  status: unknown,
  headersJson: unknown,
  keptBody: Uint8Array | undefined,
): StoredResponse | undefined {
  if (typeof status !== "number" || typeof headersJson !== "string" || !keptBody) return undefined;
  const list: unknown = parseJson(headersJson)?.value;
  if (!Array.isArray(list)) return undefined;
  const pairs = list.filter(isPair);
  const headers = pairs.filter(([name]) => name !== audienceName);
  const reader = pairs.find(([name]) => name === audienceName)?.[1];
  const body = new Uint8Array(keptBody);
  return { status, headers, body, ...defined({ reader }) };
}

function isPair(value: unknown): value is readonly [string, string] {
  return (
    Array.isArray(value) && value.length === 2 && value.every((one) => typeof one === "string")
  );
}
