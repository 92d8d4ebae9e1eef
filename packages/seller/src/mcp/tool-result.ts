/** Responses of the exchange as results of a tool call: objects instead of headers. */
import {
  balanceHeaders,
  decodeHeader,
  defined,
  headerNames,
  isObject,
  parseJson,
  passHeaders,
  readReceipt,
  type JsonObject,
} from "@farthing/protocol";
import { CallToolResultSchema, type CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { balanceMetaKey, passMetaKey } from "./tool-request.ts";

/** The key of a result's `_meta` that holds the receipt. */
export const receiptMetaKey = "x402/payment-response";

/**
 * Converts a response of the exchange. A 402 becomes the challenge in both places where buyers look,
 * without the receipt of a payment that failed, which would be read as a proof of it. All other errors
 * have no challenge, which would make a buyer sign again.
 */
export async function toToolResult(response: Response): Promise<CallToolResult> {
  if (response.ok) {
    const result = CallToolResultSchema.parse(await response.json());
    return withMeta(result, metaOf(response.headers));
  }
  if (response.status === 402) {
    const required = decodeHeader(response.headers.get(headerNames.paymentRequired))?.value;
    // A refused call may have made a deposit.
    const isDeposited = readReceipt(response.headers)?.success === true;
    const meta = isDeposited ? metaOf(response.headers) : undefined;
    if (isObject(required)) return withMeta(refusal(required), meta);
  }
  const said = parseJson(await response.text())?.value;
  const retryAfter = response.headers.get("Retry-After");
  const words = {
    ...(isObject(said) ? said : { error: "seller_error", retryable: response.status >= 500 }),
    ...(retryAfter === null ? {} : { retryAfterSeconds: Number(retryAfter) }),
  };
  return withMeta(refusal(words), metaOf(response.headers));
}

/**
 * Converts a response that is no result of the tool. It says `isError`, because servers refuse any other
 * result that does not fit the output schema of the tool.
 */
export async function toToolNotice(response: Response): Promise<CallToolResult> {
  const said = parseJson(await response.text())?.value;
  return withMeta(refusal(isObject(said) ? said : {}), metaOf(response.headers));
}

export function withMeta(
  result: CallToolResult,
  meta: Record<string, unknown> | undefined,
): CallToolResult {
  return meta ? { ...result, _meta: { ...result._meta, ...meta } } : result;
}

/** Both places hold the same: clients without structured content read the text. */
function refusal(what: JsonObject): CallToolResult {
  return {
    isError: true,
    structuredContent: { ...what },
    content: [{ type: "text", text: JSON.stringify(what) }],
  };
}

/** Undefined where the response has neither a receipt nor what is left of a pass or a balance. */
export function metaOf(headers: Headers): Record<string, unknown> | undefined {
  const shown = (names: Readonly<Record<string, string>>) => {
    const entries = Object.entries(names).map(([name, header]) => [name, headers.get(header)]);
    const given = entries.filter(([, value]) => value !== null);
    return given.length > 0 ? Object.fromEntries(given) : undefined;
  };
  const meta = defined({
    [receiptMetaKey]: readReceipt(headers),
    [passMetaKey]: shown(passHeaders),
    [balanceMetaKey]: shown(balanceHeaders),
  });
  return Object.keys(meta).length > 0 ? meta : undefined;
}
