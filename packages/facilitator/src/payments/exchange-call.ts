/** The call behind a request: its caller, its exchange, and whether the response was delivered. */
import { networkOfAddress, type PaymentRequest } from "@farthing/protocol";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { CallTerms, SettleCallTerms } from "@farthing/engine";
import type { CallerRequest } from "../http/access/caller.ts";
import { HttpProblem } from "../http/messages/responses.ts";
import { readAsked, type PaymentCall } from "./payment-call.ts";

/** Common clients send at most as many characters. */
const maxKeyLength = 255;

/** A request of this process as a call. */
export function callOf(request: FastifyRequest, reply: FastifyReply): PaymentCall {
  return {
    request,
    head: reply,
    asked: readAsked(request.body),
    delivered: () => whenDelivered(reply),
    whenUnwritten: (undo) => whenUnwritten(reply, undo),
  };
}

export function callTermsOf(request: CallerRequest, delivered: Promise<boolean>): CallTerms {
  const { apiKey } = request;
  return {
    writer: request.id,
    caller: apiKey ? `account:${apiKey.account}` : `network:${networkOfAddress(request.ip)}`,
    delivered,
  };
}

/** Throws 400 for an invalid Idempotency-Key. */
export function settleCallTermsOf(
  call: PaymentCall,
  settle: { readonly request: PaymentRequest; readonly waitsForOutcome: boolean },
): SettleCallTerms {
  return {
    ...callTermsOf(call.request, call.delivered()),
    idempotencyKey: idempotencyKeyOf(call.request),
    // Only the seller's requirements decide the flow, not the buyer's payload.
    isUpfront: settle.request.requirements.paymentFlow === "upfront",
    waitsForOutcome: settle.waitsForOutcome,
  };
}

function idempotencyKeyOf({ headers }: CallerRequest): string | null {
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
export function whenDelivered({ raw }: FastifyReply): Promise<boolean> {
  return new Promise((resolve) => {
    if (raw.destroyed) return resolve(raw.writableFinished);
    raw.once("finish", () => resolve(true));
    raw.once("close", () => resolve(raw.writableFinished));
  });
}

/** Runs `undo` when the connection closed before the first byte of the response. */
function whenUnwritten({ raw }: FastifyReply, undo: () => void): void {
  const check = () => {
    if (!raw.headersSent) undo();
  };
  if (raw.destroyed) check();
  else raw.once("close", check);
}
