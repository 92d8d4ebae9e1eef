/** The tool `inspect_url`: what would be paid, to whom, and which checks pass. Signs nothing. */
import { defined, type JsonObject, formatUsdc } from "@farthing/protocol";
import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { EvaluatedOffer } from "../offer/choose-offer.ts";
import { OpenCall } from "./calls.ts";
import { requestOf, requestShape } from "./request-input.ts";
import { refuseError, toolResult } from "./tool-result.ts";
import type { Quotation } from "../offer/quote.ts";
import { quoteText } from "../offer/read-challenge.ts";
import type { PayingFetch } from "../wrap-fetch.ts";

/** A challenge has one for each network and version. */
const offersShownMax = 8;

export function addInspectUrl(server: McpServer, pay: PayingFetch, allowsLocal: boolean): void {
  server.registerTool(
    "inspect_url",
    {
      description:
        "Asks a URL for its price and pays nothing: sends the request without payment and says what would be paid, to whom, and which checks it passes. A URL that is free answers, and does its work.",
      inputSchema: requestShape,
      annotations: { readOnlyHint: true, openWorldHint: true },
    },
    async (input, { signal }) => {
      const call = new OpenCall(signal);
      try {
        const answer = await pay.quote(...requestOf(input, allowsLocal, call.signal));
        if (answer.isRequired) {
          return toolResult({ status: answer.status, ...quotationFields(answer.quotation) });
        }
        const { status, headers, body } = answer.response;
        void body?.cancel().catch(() => undefined);
        const contentType = quoteText(headers.get("Content-Type") ?? "");
        return toolResult({ status, isPaymentRequired: false, contentType });
      } catch (error) {
        return refuseError(error);
      } finally {
        call.pause();
      }
    },
  );
}

function quotationFields(quotation: Quotation): JsonObject {
  const { offers, place, chosen, refusal, complaints } = quotation;
  const quote = chosen?.quote;
  return {
    isPaymentRequired: true,
    wouldPay: quote
      ? {
          amount: quote.amountUnits.toString(),
          amountUsdc: quote.amountUsdc,
          asset: quote.asset,
          payTo: quote.payTo,
          network: quote.network.id,
          needsApproval: quote.checks.some(({ verdict }) => verdict === "ask"),
        }
      : null,
    ...defined({ refusal }),
    checks: place,
    offers: offers.slice(0, offersShownMax).map(offerFields),
    ...(complaints.length === 0 ? {} : { complaints }),
  };
}

function offerFields({ offer, isPayable, checks }: EvaluatedOffer): JsonObject {
  const { requirements } = offer;
  if (!requirements) return { isPayable, checks };
  const { version, network, asset, payTo, amount } = requirements;
  return {
    isPayable,
    version,
    network: network.id,
    asset,
    payTo,
    amount: amount.toString(),
    amountUsdc: formatUsdc(amount),
    checks,
  };
}
