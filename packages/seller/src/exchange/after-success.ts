/**
 * Settlement after success: verify, work, and settle only for a response of 2xx or a redirect, which
 * is kept first and delivered once the transfer is confirmed. In between the payer can empty their
 * wallet or cancel, and the seller has then worked for nothing: work that is expensive or changes
 * anything should be sold before work.
 */
import { defined } from "@farthing/protocol";
import { content, errorResponse, uncharged } from "../responses.ts";
import { settleClaim, verify } from "./settle-claim.ts";
import {
  cancelBody,
  complete,
  isRedirect,
  isSold,
  makeWithin,
  retrySeconds,
  toStored,
  withholdByHook,
  type Made,
} from "./delivery.ts";
import type { PaidRequest } from "../events.ts";
import type { Lease } from "../payment-records/rules/payment-records.ts";
import { maxMeasuredErrorMs, evaluationTime } from "../facilitator-time.ts";
import { checkHeld, releaseClaim } from "./lost-lease.ts";
import { ask } from "./open-responses.ts";
import {
  factsAfter,
  factsBefore,
  type ChargedRequest,
  type ExchangeDeps,
  type ExchangeResult,
} from "./paid-request.ts";
import { minSettleMs } from "./settle.ts";

/** Serves a claimed payment for which nothing was sent yet. */
export async function serveAfterSuccess(
  deps: ExchangeDeps,
  charged: ChargedRequest,
  lease: Lease,
  deadlineMs: number,
): Promise<ExchangeResult> {
  const verified = await verify(deps, charged, lease, deadlineMs);
  if ("response" in verified) return verified;
  // Afterwards, when the facilitator has just named its time.
  const late = refuseLate(deps, charged);
  if (late) {
    await releaseClaim(lease);
    return late;
  }
  const startedAtMs = deps.clock.now();
  const made = await makeInTime(deps, charged, factsBefore(charged));
  if ("outcome" in made) {
    await releaseClaim(lease);
    return made;
  }
  const stored = toStored(made, charged);
  const collection = await settleClaim(deps, charged, lease, {
    // The work has its own limit, so its time is not taken from the settlement.
    deadlineMs: deadlineMs + deps.clock.now() - startedAtMs,
    verifiedBy: verified,
    ...defined({ response: stored }),
  });
  if (collection.kind === "paid") {
    const { receipt } = collection;
    if (collection.isQueued) deps.background.watch(charged, receipt, deps.waitUntil);
    const paid = { lease, receipt, facts: factsAfter(charged, receipt) };
    const withheld = await withholdByHook(deps, charged, paid);
    if (withheld) {
      checkHeld(await lease.paid(receipt));
      cancelBody(made);
      return withheld;
    }
    return complete(paid, content(made.response, made.body, receipt));
  }
  cancelBody(made);
  if (collection.kind === "open") deps.background.poll(charged, deps.waitUntil);
  return collection.result;
}

/** Refuses an authorization that would end before the work is done and settled. */
function refuseLate(deps: ExchangeDeps, { binding, terms, workMs }: ChargedRequest) {
  const leftMs = binding.validBeforeMs - evaluationTime(deps).nowMs;
  if (leftMs >= workMs + minSettleMs) return undefined;
  // The facilitator has just found it valid, so it is this clock that is wrong.
  if (leftMs < -maxMeasuredErrorMs) return undefined;
  const message = "The authorization ends before the answer could be made and settled.";
  return ask(terms, { error: "authorization_expired", message });
}

/** Runs the work; returns its response, or the result for a buyer who is not charged. */
export async function makeInTime(
  deps: ExchangeDeps,
  charged: Pick<ChargedRequest, "serve" | "isStreamed" | "workMs" | "redirects">,
  payment: PaidRequest,
): Promise<Made | ExchangeResult> {
  const end = (response: Response, status: number, error?: unknown): ExchangeResult => {
    const outcome = { type: "uncharged", payment, status, ...defined({ error }) } as const;
    return { response, outcome };
  };
  const fail = (status: number, error: unknown): ExchangeResult => {
    const message =
      "The seller could not make the answer, and nothing was charged. Repeat the request with the " +
      (payment.pass
        ? "same pass if you still want it."
        : "same payment if you still want it, or let the payment end unused.");
    const body = { error: "not_charged", message, retryable: true } as const;
    return end(errorResponse(status, body, { retryAfterSeconds: retrySeconds }), status, error);
  };
  let made: Made | undefined;
  try {
    made = await makeWithin(charged, payment, deps.records.answerBytesMax, charged.workMs);
  } catch (error) {
    return fail(statusOf(error), error);
  }
  if (!made) return fail(504, new Error(`The answer was not made within ${charged.workMs} ms.`));
  if (isSold(made.response, charged)) return made;
  const { status } = made.response;
  if (!isRedirect(made.response)) return end(uncharged(made.response, made.body), status);
  cancelBody(made);
  const error = new Error(`The answer was a redirect (${status}), which this route withholds.`);
  const body = { error: "not_charged", message: withheld, retryable: false } as const;
  return end(errorResponse(502, body), status, error);
}

const withheld =
  "The answer was a redirect, which is not handed out here, and nothing was charged. Tell the seller.";

/** Returns the status that an error asks for, as in web frameworks; 500 when it asks for none. */
function statusOf(error: unknown): number {
  if (typeof error !== "object" || error === null) return 500;
  const status: unknown = "statusCode" in error ? error.statusCode : undefined;
  return typeof status === "number" && status >= 500 && status <= 599 ? status : 500;
}
