/** The call behind a request: its caller, its exchange, and whether the response was delivered. */
import { networkOfAddress, type PaymentRequest } from "@farthing/protocol";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { CallTerms, SettleCallTerms } from "@farthing/engine";
import { HttpProblem } from "../http/messages/responses.ts";

/** Common clients send at most as many characters. */
const maxKeyLength = 255;

export function callTermsOf(request: FastifyRequest, reply: FastifyReply): CallTerms {
  const { apiKey } = request;
  return {
    writer: request.id,
    caller: apiKey ? `account:${apiKey.account}` : `network:${networkOfAddress(request.ip)}`,
    delivered: whenDelivered(reply),
  };
}

/** Throws 400 for an invalid Idempotency-Key. */
export function settleCallTermsOf(
  request: FastifyRequest,
  reply: FastifyReply,
  settle: { readonly request: PaymentRequest; readonly waitsForOutcome: boolean },
): SettleCallTerms {
  return {
    ...callTermsOf(request, reply),
    idempotencyKey: idempotencyKeyOf(request),
    // Only the seller's requirements decide the flow, not the buyer's payload.
    isUpfront: settle.request.requirements.paymentFlow === "upfront",
    waitsForOutcome: settle.waitsForOutcome,
  };
}

function idempotencyKeyOf({ headers }: FastifyRequest): string | null {
  const text = headers["idempotency-key"];
  if (text === undefined) return null;
  if (typeof text === "string" && text.length <= maxKeyLength && /^[\x20-\x7e]+$/.test(text)) {
    return text;
  }
  throw new HttpProblem(
    "invalid_request",
    `Idempotency-Key must be 1 to ${maxKeyLength} printable ASCII characters.`,
  );
}

/** Resolves to true once the response is written, or false if the connection closed before. */
function whenDelivered({ raw }: FastifyReply): Promise<boolean> {
  return new Promise((resolve) => {
    if (raw.destroyed) return resolve(raw.writableFinished);
    raw.once("finish", () => resolve(true));
    raw.once("close", () => resolve(raw.writableFinished));
  });
}

/** Runs `undo` when the connection closed before the first byte of the response. */
export function whenUnwritten({ raw }: FastifyReply, undo: () => void): void {
  const check = () => {
    if (!raw.headersSent) undo();
  };
  if (raw.destroyed) check();
  else raw.once("close", check);
}
