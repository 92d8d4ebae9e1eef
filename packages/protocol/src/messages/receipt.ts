/** The receipt: the settle response in a header, under both versions' names. */
import { parseSettleResponse, type SettleResponse } from "./facilitator-messages.ts";
import { decodeHeader, encodeHeader, headerNames } from "../encoding/headers.ts";

/** Both receipt headers with the same value; stock clients read the first they find. */
export function receiptHeaders(receipt: SettleResponse): Record<string, string> {
  const value = encodeHeader(receipt);
  return { [headerNames.paymentResponse]: value, [headerNames.xPaymentResponse]: value };
}

export function readReceipt(headers: {
  get(name: string): string | null;
}): SettleResponse | undefined {
  for (const name of [headerNames.paymentResponse, headerNames.xPaymentResponse]) {
    const text = headers.get(name);
    const decoded = text === null ? undefined : decodeHeader(text);
    const receipt = decoded && parseSettleResponse(decoded.value);
    if (receipt) return receipt;
  }
  return undefined;
}
