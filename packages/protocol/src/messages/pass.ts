/** Passes: what one payment buys for later requests, and the headers that show it. */
import { isObject, member } from "../encoding/json.ts";

export const passHeaders = {
  /** The token: in the request, and in the first response to the payment. */
  token: "PAYMENT-PASS",
  /** Uses that are left, as decimal digits. */
  remaining: "X-Pass-Remaining",
  /** The end of the pass, as an ISO 8601 time in UTC. */
  expires: "X-Pass-Expires",
} as const;

/** What one payment buys: `extra.pass` of a challenge's entry. */
export interface PassTerms {
  /** Requests that the payment opens, the paid one among them. */
  readonly uses: number;
  readonly validForSeconds: number;
}

/** Reads `extra.pass` of an entry; undefined where the entry sells no pass. */
export function parsePassTerms(entry: unknown): PassTerms | undefined {
  const extra = isObject(entry) ? member(entry, "extra") : undefined;
  const pass = isObject(extra) ? member(extra, "pass") : undefined;
  if (!isObject(pass)) return undefined;
  const uses = member(pass, "uses");
  const validForSeconds = member(pass, "validForSeconds");
  return isCount(uses) && isCount(validForSeconds) ? { uses, validForSeconds } : undefined;
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0;
}

/** A token as sellers write it: visible ASCII, which a header carries unchanged. */
export function isPassToken(text: unknown): text is string {
  return typeof text === "string" && /^[\x21-\x7e]{16,256}$/.test(text);
}
