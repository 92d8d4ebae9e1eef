/**
 * Finds the channel that a 402 offers. Small on purpose: it runs for every 402, and what it does not
 * find needs none of the code for channels.
 */
import {
  channelScheme,
  decodeHeader,
  headerNames,
  isObject,
  member,
  objectMembers,
  type JsonObject,
} from "@farthing/protocol";

/** Entries of a challenge before any check. */
export interface OfferedChannels {
  readonly entries: readonly JsonObject[];
  /** Whether the challenge can be paid in another way as well. */
  readonly hasOthers: boolean;
  readonly resource?: JsonObject;
  readonly extensions?: JsonObject;
  readonly error?: string;
}

/** Reads the header alone, which every seller of version 2 sends; the body is left as it is. */
export function readOfferedChannels({ headers }: Response): OfferedChannels | undefined {
  const value = decodeHeader(headers.get(headerNames.paymentRequired))?.value;
  const accepts = isObject(value) ? member(value, "accepts") : undefined;
  if (!isObject(value) || member(value, "x402Version") !== 2) return undefined;
  if (!Array.isArray(accepts)) return undefined;
  const all = accepts.filter(isObject);
  const entries = all.filter((entry) => member(entry, "scheme") === channelScheme);
  if (entries.length === 0) return undefined;
  const error = member(value, "error");
  return {
    entries,
    hasOthers: entries.length < all.length,
    ...objectMembers(value, "resource", "extensions"),
    ...(typeof error === "string" ? { error } : {}),
  };
}
