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
 * without a receipt, which would be read as the proof of a payment. All other errors have no
 * challenge, which would make a buyer sign again.
 */
export async function toToolResult(response: Response): Promise<CallToolResult> {
  if (response.ok) {
    const result = CallToolResultSchema.parse(await response.json());
    return { ...result, _meta: { ...result._meta, ...metaOf(response.headers) } };
  }
  if (response.status === 402) {
    const required = decodeHeader(response.headers.get(headerNames.paymentRequired))?.value;
    if (isObject(required)) return refusal(required);
  }
  const said = parseJson(await response.text())?.value;
  const retryAfter = response.headers.get("Retry-After");
  const words = {
    ...(isObject(said) ? said : { error: "seller_error", retryable: response.status >= 500 }),
    ...(retryAfter === null ? {} : { retryAfterSeconds: Number(retryAfter) }),
  };
  return { ...refusal(words), ...defined({ _meta: metaOf(response.headers) }) };
}

/** Both places hold the same: clients without structured content read the text. */
function refusal(what: JsonObject): CallToolResult {
  return {
    isError: true,
    structuredContent: { ...what },
    content: [{ type: "text", text: JSON.stringify(what) }],
  };
}

function metaOf(headers: Headers): Record<string, unknown> | undefined {
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
