/**
 * The request of a route that costs its usage. Model servers read JSON more loosely than it is
 * specified, so the gateway parses it once and forwards what it has understood: nothing can be a stream
 * to the upstream and none to the gateway, which then would not ask for its usage.
 */
import { isObject, member, parseJson } from "@farthing/protocol";

export interface UsageRequest {
  /** What the upstream gets. */
  readonly body: Uint8Array<ArrayBuffer>;
  /** Tokens of its texts, by estimate. */
  readonly inputEstimate: bigint;
}

/** What servers written in Python, Go and JavaScript read as no; they read the rest as yes. */
const falseTexts = new Set(["", "0", "false", "f", "no", "n", "off", "null", "none"]);

function isYes(value: unknown): boolean {
  if (typeof value === "string") return !falseTexts.has(value.trim().toLowerCase());
  return Boolean(value);
}

/**
 * Reads the body of a request. What is no JSON object, or is nested too deeply, is forwarded as it is:
 * an upstream that can read it reports a usage, or the request costs its reserve.
 */
export function readUsageRequest(body: Uint8Array<ArrayBuffer>): UsageRequest {
  const value = parseJson(new TextDecoder().decode(body))?.value;
  if (!isObject(value) || Array.isArray(value)) {
    return { body, inputEstimate: tokensOfBytes(body.byteLength) };
  }
  const stream = member(value, "stream");
  const isStream = isYes(stream);
  const asked = {
    ...value,
    ...(stream === undefined ? {} : { stream: isStream }),
    ...(isStream && needsAsking(value) ? { stream_options: withUsage(value) } : {}),
  };
  return { body: new TextEncoder().encode(JSON.stringify(asked)), inputEstimate: tokensIn(value) };
}

/**
 * Completions report the usage of a stream only if they are asked. Responses always do, and refuse the
 * question; where they have a `prompt`, it is an object that names a template.
 */
function needsAsking(value: Readonly<Record<string, unknown>>): boolean {
  if (member(value, "messages") !== undefined) return true;
  const prompt = member(value, "prompt");
  return typeof prompt === "string" || Array.isArray(prompt);
}

function withUsage(value: Readonly<Record<string, unknown>>): object {
  const given = member(value, "stream_options");
  return { ...(isObject(given) ? given : {}), include_usage: true };
}

/** The makers of models give about four characters of English for a token; many texts have fewer. */
const bytesPerToken = 4;

function tokensOfBytes(bytes: number): bigint {
  return BigInt(Math.ceil(bytes / bytesPerToken));
}

/** Estimates the tokens of a text, or of a list, as of calls of tools; at least one if there is any. */
export function tokensOfText(text: unknown): bigint {
  if (typeof text === "string") return tokensOfBytes(Buffer.byteLength(text));
  return Array.isArray(text) && text.length > 0 ? tokensIn(text) || 1n : 0n;
}

/** Members with encoded sound or files, which models do not read as text. */
const binaryMember = "data";
const isDataUrl = (text: string) => text.startsWith("data:");

/** Counts the texts of a value, and each number of a list, such as a prompt that is tokenized already. */
function tokensIn(value: object): bigint {
  let tokens = 0n;
  // A list instead of a recursion: strangers choose the depth.
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === "string" && !isDataUrl(next)) tokens += tokensOfText(next);
    else if (typeof next === "number") tokens += 1n;
    else if (Array.isArray(next)) for (const one of next) open.push(one);
    else if (isObject(next)) {
      for (const [name, one] of Object.entries(next)) {
        // Numbers outside lists are settings.
        if (name !== binaryMember && typeof one !== "number") open.push(one);
      }
    }
  }
  return tokens;
}

/** The content coding of a request that the gateway would have to decode; undefined when there is none. */
export function contentCodingOf(header: string | undefined): string | undefined {
  const coding = header?.trim().toLowerCase() ?? "";
  return coding === "" || coding === "identity" ? undefined : coding;
}
