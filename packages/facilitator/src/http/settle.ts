/** POST /settle: claims a payment and moves the money, once. */
import {
  isObject,
  member,
  parsePaymentRequest,
  refusal,
  type PaymentRequest,
} from "@farthing/protocol";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { SettleOptions, SettleResult } from "../settlement/settle.ts";
import { answerRefused, answerSettle, HttpProblem } from "./answer.ts";
import { admission, checkPayee } from "./authenticate.ts";
import type { HttpContext } from "./context.ts";
import { describePayments } from "./describe-surface.ts";
import { tellExtensions } from "./extension-responses.ts";
import type { Throttle } from "./limits.ts";
import { parsePrefer } from "./prefer.ts";
import { sendProblem } from "./send-problem.ts";
import { isServed, type Surface } from "./surface.ts";
import { faultMessage } from "./verify.ts";

/** Who asks for it with `Prefer: respond-async` is answered once the transfer is sent, or after this long. */
const respondAsyncMs = 500;

/**
 * The public face answers once the transfer is sent, a few milliseconds after it was asked. On a
 * busy day it waits for that: stock sellers repeat a pending settle at once, but only one that names
 * its transaction, and a buyer whose seller does not repeat has paid and is not served.
 */
const broadcastWaitMs = 5_000;

/** A synchronous settle answers below the 30 s at which many proxies and clients give up. */
const outcomeWaitMs = 25_000;

/** A repeat of a pending settle waits: the one automatic retry of stock sellers then succeeds. */
const repeatWaitMs = 10_000;

/** The trailing window of a payer's cap: a day. */
const payerCapWindowMs = 24 * 60 * 60 * 1000;

/** Adds the route to a surface. */
export function registerSettle(
  server: FastifyInstance,
  context: HttpContext,
  surface: Surface,
  throttle: Throttle,
): void {
  server.post(`${surface.basePath}/settle`, {
    ...describePayments(surface).settle,
    onRequest: admission(context, surface, throttle),
    preHandler: tellExtensions(context),
    handler: async (request, reply) => {
      const parsed = parsePaymentRequest(request.body);
      if (!parsed.ok)
        return answerRefused(parsed.refusal, networkNameOf(request.body), undefined, undefined);
      checkPayee(request.apiKey, parsed.value);
      const options = settleOptions(context, surface, request, reply);
      const result = await context.settle(parsed.value, options);
      return reply.send(answerResult(context, parsed.value, result));
    },
    errorHandler: (error, request, reply) => {
      const isOther = error instanceof HttpProblem && error.code !== "service_unavailable";
      if (isOther || "statusCode" in error) {
        return server.errorHandler(error, request, reply);
      }
      // Stock clients take a shaped body as "failed"; the reason says that it was not judged.
      const network = networkNameOf(request.body);
      const reason = { errorReason: "service_unavailable", errorMessage: faultMessage };
      return sendProblem(context, request, reply, error, {
        success: false,
        ...reason,
        transaction: "",
        network,
        extra: { x402Reason: "unexpected_settle_error" },
      });
    },
  });
}

function settleOptions(
  context: HttpContext,
  surface: Surface,
  request: FastifyRequest,
  reply: FastifyReply,
): SettleOptions {
  const prefer = parsePrefer(request.headers["prefer"]);
  const isAsync =
    prefer.respondAsync || (surface.settle === "async" && prefer.waitMs === undefined);
  if (prefer.applied !== "") reply.header("Preference-Applied", prefer.applied);
  const { payerCapUnits } = context.limits;
  const isCapped = surface.auth === "none" && payerCapUnits !== null;
  const asyncMs = prefer.respondAsync ? respondAsyncMs : broadcastWaitMs;
  const timeoutMs = isAsync ? asyncMs : (prefer.waitMs ?? outcomeWaitMs);
  return {
    served: isServed.bind(undefined, surface),
    marginSeconds: context.settleMarginSeconds,
    keyId: request.apiKey?.id ?? null,
    account: request.apiKey?.account ?? null,
    price: request.apiKey ? context.creditsPerSettlement : 0,
    requestId: request.id,
    payerCap: isCapped ? { units: payerCapUnits, windowMs: payerCapWindowMs } : null,
    goal: isAsync ? "broadcast" : "outcome",
    timeoutMs,
    // Who asked for a longer wait, or for none, gets that for a repeat as well.
    repeatTimeoutMs: prefer.respondAsync
      ? 0
      : Math.max(prefer.waitMs ?? 0, isAsync ? repeatWaitMs : timeoutMs),
  };
}

function answerResult(context: HttpContext, { payment }: PaymentRequest, result: SettleResult) {
  const { networkName, authorization } = payment;
  switch (result.kind) {
    case "denied":
      throw new HttpProblem(
        result.code,
        deniedMessages[result.code] ?? "The account cannot settle.",
      );
    case "refused":
      return answerRefused(result.refusal, networkName, authorization.from, result.existing);
    case "settlement": {
      const { settlement, isRepeat } = result;
      const isRefusedRepeat = isRepeat && context.repeatAfterSuccess === "refuse";
      if (isRefusedRepeat && settlement.state === "confirmed") {
        const why = refusal(
          "nonce_already_used",
          "This payment was settled before; it opens nothing again.",
        );
        return answerRefused(why, networkName, authorization.from, settlement);
      }
      return answerSettle(settlement, networkName, isRepeat);
    }
    default:
      return result satisfies never;
  }
}

/** None of these says anything about the buyer's payment, and none may be passed on as if it did. */
const deniedMessages: Readonly<Partial<Record<string, string>>> = {
  unauthorized: "The API key is no longer valid; create another one.",
  seller_plan_inactive:
    "The seller's plan is inactive; the payment was not judged and nothing moved. Ask the operator.",
  insufficient_facilitator_credits:
    "The seller's credits are used up; the payment was not judged and nothing moved. Top up.",
};

/** Longest network name that is repeated back to a caller who sent something unreadable. */
const networkNameMax = 64;

/** The network a request names, for answers to what cannot be parsed: clients require the field. */
function networkNameOf(body: unknown): string {
  if (!isObject(body)) return "";
  for (const key of ["paymentRequirements", "paymentPayload"]) {
    const part = member(body, key);
    const name = isObject(part) ? member(part, "network") : undefined;
    if (typeof name === "string" && name.length <= networkNameMax) return name;
  }
  return "";
}
