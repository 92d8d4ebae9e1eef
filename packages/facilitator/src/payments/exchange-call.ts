/**
 * A request as an exchange sees it: who calls, which exchange the caller says it is, and whether the
 * response reached the connection.
 */
import { networkOfAddress, type PaymentRequest } from "@farthing/protocol";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { CallTerms, SettleCallTerms } from "@farthing/engine";
import { HttpProblem } from "../http/responses.ts";

/** Longest Idempotency-Key in characters: common clients send at most as many. */
const keyLengthMax = 255;

/** The call behind a request. */
export function callTermsOf(request: FastifyRequest, reply: FastifyReply): CallTerms {
  const { apiKey } = request;
  return {
    writer: request.id,
    caller: apiKey ? `account:${apiKey.account}` : `network:${networkOfAddress(request.ip)}`,
    delivered: whenDelivered(reply),
  };
}

/** The call behind a request to /settle. Throws 400 for an Idempotency-Key that is none. */
export function settleCallTermsOf(
  request: FastifyRequest,
  reply: FastifyReply,
  settle: { readonly request: PaymentRequest; readonly waitsForOutcome: boolean },
): SettleCallTerms {
  return {
    ...callTermsOf(request, reply),
    idempotencyKey: idempotencyKeyOf(request),
    // The requirements are the seller's; what the buyer wrote says nothing about the flow.
    isUpfront: settle.request.requirements.paymentFlow === "upfront",
    waitsForOutcome: settle.waitsForOutcome,
  };
}

function idempotencyKeyOf({ headers }: FastifyRequest): string | null {
  const text = headers["idempotency-key"];
  if (text === undefined) return null;
  if (typeof text === "string" && text.length <= keyLengthMax && /^[\x20-\x7e]+$/.test(text)) {
    return text;
  }
  throw new HttpProblem(
    "invalid_request",
    `Idempotency-Key must be 1 to ${keyLengthMax} printable ASCII characters.`,
  );
}

/** True once the response is written whole; false when the connection closed before that. */
function whenDelivered({ raw }: FastifyReply): Promise<boolean> {
  return new Promise((resolve) => {
    if (raw.destroyed) return resolve(raw.writableFinished);
    raw.once("finish", () => resolve(true));
    raw.once("close", () => resolve(raw.writableFinished));
  });
}

/**
 * Runs `undo` when the connection closed before anything of the response was written. What was
 * perhaps received counts as received.
 */
export function whenUnwritten({ raw }: FastifyReply, undo: () => void): void {
  const check = () => {
    if (!raw.headersSent) undo();
  };
  if (raw.destroyed) check();
  else raw.once("close", check);
}
