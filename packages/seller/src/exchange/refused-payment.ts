/** The receipt of a refused payment: x402's HTTP transport shows one beside the new challenge. */
import { defined, headerNames, type Payment } from "@farthing/protocol";
import { addReceipt, type ChallengeTerms } from "../responses.ts";
import type { ExchangeResult } from "./paid-request.ts";

/** `payment` is undefined where the header could not be read. */
export function withRefusal<R extends ExchangeResult>(
  result: R,
  { offers: [offer] }: ChallengeTerms,
  payment?: Payment,
): R {
  const { response, outcome } = result;
  if (response.status !== 402 || response.headers.has(headerNames.paymentResponse)) return result;
  const reason = outcome.type === "challenged" ? outcome.reason : undefined;
  addReceipt(response.headers, {
    success: false,
    errorReason: reason ?? "payment_invalid",
    transaction: "",
    network: payment?.networkName ?? offer?.network.id ?? "",
    ...defined({ payer: payment?.authorization.from }),
  });
  return result;
}
