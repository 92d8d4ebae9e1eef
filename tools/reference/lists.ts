/** Lists for programs: what is promised, and what each code of an error means and asks for. */
import { problemTable } from "@farthing/facilitator";
import { gatewayErrors, isRetryable } from "@farthing/gateway";
import { errorCodes, refusal, refusalCodes, x402ReasonOf } from "@farthing/protocol";
import { responseCodes } from "@farthing/seller/testing/response-codes";
import { samePaymentCanSucceed } from "./refusal-retries.ts";
import { errorMeanings } from "./error-rows.ts";
import { guarantees } from "./guarantees.ts";

const json = (value: unknown) => `${JSON.stringify(value, undefined, 2)}\n`;

/** By their file in docs/public, which the site serves at its root. */
export const lists: Readonly<Record<string, () => string>> = {
  "guarantees.json": () => json({ guarantees }),
  "errors.json": () =>
    json({ refusals: refusals(), errors: errors(), seller: ofSeller(), gateway: ofGateway() }),
};

/**
 * Reasons why a payment is refused, in a 402 and in the responses of `/verify` and `/settle`. `retryable`:
 * the same signed payment can succeed later.
 */
function refusals() {
  return refusalCodes.map((code) => ({
    code,
    otherName: x402ReasonOf(code),
    retryable: samePaymentCanSucceed[code],
    meaning: refusal(code).message,
    page: `/reference/troubleshooting#${code}`,
  }));
}

/** The member `error` of responses that evaluated no payment. */
function errors() {
  return errorCodes.map((code) => {
    const { status, retryable } = problemTable[code];
    return {
      code,
      status,
      retryable,
      meaning: errorMeanings[code],
      page: `/reference/troubleshooting#${code}`,
    };
  });
}

/**
 * The member `error` of a seller's responses that ask for no payment. Where `retryable` depends on the case,
 * the body of the response says it.
 */
function ofSeller() {
  return Object.entries(responseCodes).map(([code, { statuses, retryable, meaning }]) => ({
    code,
    statuses,
    retryable,
    meaning,
  }));
}

/** The member `error` of the gateway's own responses, which evaluated no payment. */
function ofGateway() {
  return Object.entries(gatewayErrors).map(([code, { statuses, meaning }]) => ({
    code,
    statuses,
    retryable: statuses.some(isRetryable),
    meaning,
    page: "/reference/gateway#errors",
  }));
}
