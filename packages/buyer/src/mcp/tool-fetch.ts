/**
 * An MCP client as a `fetch`: a tool call is a POST of its arguments, a result that asks for money
 * a 402, the receipt in `_meta` a header.
 */
import {
  balanceHeaders,
  defined,
  decodeHeader,
  encodeHeader,
  headerNames,
  isObject,
  isPassToken,
  member,
  parseJson,
  passHeaders,
  receiptHeaders,
  parseSettleResponse,
  textMembers,
  type JsonObject,
} from "@farthing/protocol";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import {
  CallToolResultSchema,
  ErrorCode,
  McpError,
  type CallToolResult,
} from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod/v4";
import type { FetchFunction } from "../replayable-request.ts";

/** Not `callTool`, which validates a challenge against output schemas. */
export type ToolClient = Pick<Client, "request">;

const answerSchema = z.union([
  z.object({ result: CallToolResultSchema }),
  z.object({ failure: z.object({ code: z.number(), message: z.string(), data: z.unknown() }) }),
]);

/** The body of a response: a result, or the server's error. */
export type ToolResponse = z.infer<typeof answerSchema>;

/** Keys of `_meta` in x402's transport for MCP. */
const paymentMetaKey = "x402/payment";
const receiptMetaKey = "x402/payment-response";
/** Ours: the token of a call; the headers of a pass in a result. */
const passMetaKey = "x402/payment-pass";
/** Ours: what is left of a balance, and what a call has cost. */
const balanceMetaKey = "x402/payment-balance";

/** Error codes that ask for money: x402's first transport, and SEP-1036. */
const challengeCodes: ReadonlySet<number> = new Set([402, ErrorCode.UrlElicitationRequired]);

/** Codes of the client itself when there is no response. */
const ownCodes: ReadonlySet<number> = new Set([
  ErrorCode.ConnectionClosed,
  ErrorCode.RequestTimeout,
]);

/**
 * `base` is the address of the client's tools; tools of other servers, whose payments the same
 * ledger may hold, get a 409. Other addresses, such as a node's, go to `web`.
 */
export function toolFetch(
  client: ToolClient,
  base: string,
  web: FetchFunction,
  timeoutMs?: number,
): FetchFunction {
  return async (input, init = {}) => {
    const url = new URL(input);
    if (url.protocol !== "mcp:") return web(input, init);
    if (!url.href.startsWith(`${base}/`)) return answer(409, { failure: elsewhere }, {});
    const tool = decodeURIComponent(url.pathname.slice(url.pathname.lastIndexOf("/") + 1));
    const given: unknown = JSON.parse(await new Response(init.body ?? "{}").text());
    const sent = new Headers(init.headers);
    const meta = defined({
      [paymentMetaKey]: paymentIn(sent),
      [passMetaKey]: sent.get(passHeaders.token) ?? undefined,
    });
    const params = {
      name: tool,
      arguments: isObject(given) ? { ...given } : {},
      ...(Object.keys(meta).length > 0 && { _meta: meta }),
    };
    const options = defined({ signal: init.signal ?? undefined, timeout: timeoutMs });
    try {
      const call = { method: "tools/call" as const, params };
      return answerOf(await client.request(call, CallToolResultSchema, options));
    } catch (error) {
      // Without a response only the caller can find out whether the tool was paid.
      if (!(error instanceof McpError) || ownCodes.has(error.code)) throw error;
      return answerOfError(error);
    }
  };
}

const elsewhere: Extract<ToolResponse, { failure: unknown }>["failure"] = {
  code: ErrorCode.InvalidRequest,
  message: "This tool is not one of the server that the client is connected to.",
  data: undefined,
};

/** Payments of both versions travel as the object that the header encodes. */
function paymentIn(headers: Headers): unknown {
  const text = headers.get(headerNames.paymentSignature) ?? headers.get(headerNames.xPayment);
  return text === null ? undefined : decodeHeader(text)?.value;
}

function answerOf(result: CallToolResult): Response {
  const receipt = parseSettleResponse(result._meta?.[receiptMetaKey]);
  const headers = {
    ...(receipt && receiptHeaders(receipt)),
    ...passIn(result._meta?.[passMetaKey]),
    ...balanceIn(result._meta?.[balanceMetaKey]),
  };
  if (result.isError !== true) return answer(200, { result }, headers);
  const words = errorObjectsOf(result);
  const required = words.find(isChallenge);
  if (required) return answer(402, { result }, { ...headers, ...challengeHeader(required) });
  return answer(statusOf(words), { result }, { ...headers, ...retryHeader(words) });
}

/** Returns the headers of a pass; `Response` refuses what is none. */
function passIn(meta: unknown): Record<string, string> {
  if (!isObject(meta)) return {};
  const { token, remaining, expires } = textMembers(meta, "token", "remaining", "expires");
  return defined({
    [passHeaders.token]: isPassToken(token) ? token : undefined,
    [passHeaders.remaining]: /^\d{1,9}$/.test(remaining ?? "") ? remaining : undefined,
    [passHeaders.expires]: Number.isNaN(Date.parse(expires ?? "")) ? undefined : expires,
  });
}

function balanceIn(meta: unknown): Record<string, string> {
  if (!isObject(meta)) return {};
  const { remaining, cost } = textMembers(meta, "remaining", "cost");
  return defined({
    [balanceHeaders.remaining]: isUnits(remaining) ? remaining : undefined,
    [balanceHeaders.cost]: isUnits(cost) ? cost : undefined,
  });
}

/** Base units; 78 digits hold every amount of a chain. */
function isUnits(text: string | undefined): boolean {
  return /^\d{1,78}$/.test(text ?? "");
}

function answerOfError(error: McpError): Response {
  const { code, data } = error;
  // The SDK adds the code to the message again when the error is thrown on.
  const message = error.message.replace(/^MCP error -?\d+: /, "");
  const failure = { code, message, data };
  const nested = isObject(data) ? member(data, "x402") : undefined;
  const required = [data, nested].filter(isObject).find(isChallenge);
  if (challengeCodes.has(code) && required) {
    return answer(402, { failure }, challengeHeader(required));
  }
  return answer(code === (ErrorCode.InternalError as number) ? 500 : 400, { failure }, {});
}

/** The JSON of an error: structured content first, then the text. */
function errorObjectsOf({ structuredContent, content }: CallToolResult): JsonObject[] {
  const [first] = content;
  const text = first?.type === "text" ? parseJson(first.text)?.value : undefined;
  return [structuredContent, text].filter(isObject);
}

function isChallenge(words: JsonObject): boolean {
  return Array.isArray(member(words, "accepts")) && member(words, "x402Version") !== undefined;
}

/** The result may say whether a repeat helps; any other is the tool's own error. */
function statusOf(words: readonly JsonObject[]): number {
  const said = words.find((one) => typeof member(one, "retryable") === "boolean");
  if (said === undefined) return 422;
  return member(said, "retryable") === true ? 503 : 409;
}

function retryHeader(words: readonly JsonObject[]): Record<string, string> {
  const seconds = words.map((one) => member(one, "retryAfterSeconds")).find(Number.isSafeInteger);
  return typeof seconds === "number" && seconds >= 0 ? { "Retry-After": `${seconds}` } : {};
}

function challengeHeader(required: JsonObject): Record<string, string> {
  return { [headerNames.paymentRequired]: encodeHeader(required) };
}

export function readToolResponse(body: unknown): ToolResponse {
  return answerSchema.parse(body);
}

function answer(status: number, body: ToolResponse, headers: Record<string, string>): Response {
  return Response.json(body, { status, headers });
}
