/** POST /settle: claims a payment and moves the money, once. */
import {
  isChannelRequest,
  isObject,
  member,
  parsePaymentRequest,
  type PaymentRequest,
} from "@farthing/protocol";
import type { FastifyReply, FastifyRequest } from "fastify";
import { isGasRefusal, type SettleOptions } from "@farthing/engine";
import { refusedResponse, respondToSettle, settleNotEvaluated } from "@farthing/engine/x402";
import { HttpProblem, shapedCodes } from "../http/messages/responses.ts";
import { admission, checkPayee } from "../http/access/authenticate.ts";
import { readBooks } from "./books.ts";
import { settleChannel } from "./channels/settle-channel.ts";
import type { PaymentContext, SurfaceScope } from "./context.ts";
import { describePayments } from "./describe-surface.ts";
import { settleCallTermsOf } from "./exchange-call.ts";
import { respondToExtensions } from "./extension-responses.ts";
import { gasProblem, isPaying, keylessTerms } from "./keyless/terms.ts";
import { refundJunk } from "../http/access/limits.ts";
import { denialProblem, outcomeWaitMs } from "./settle-terms.ts";
import { parsePrefer } from "../http/messages/prefer.ts";
import { requireBody } from "../http/server/read-body.ts";
import { sendProblem } from "../http/server/send-problem.ts";
import { isServed, type Surface } from "../http/access/surface.ts";

/** `Prefer: respond-async` gets a response once the transfer is sent, or after this time. */
const respondAsyncMs = 500;

/**
 * A caller that gets the id at once gets it when the transfer is sent, so that the response names a
 * transaction. That takes milliseconds, or longer under load.
 */
export const broadcastWaitMs = 5_000;

/** A repeat of a pending settle waits, so that the only retry of stock sellers succeeds. */
const repeatWaitMs = 10_000;

export function registerSettle({ server, context, surface, throttle }: SurfaceScope): void {
  server.post(`${surface.basePath}/settle`, {
    ...describePayments(surface).settle,
    onRequest: admission(context, surface, throttle),
    preHandler: [requireBody, respondToExtensions(context)],
    handler: async (request, reply) => {
      if (isChannelRequest(request.body)) {
        return settleChannel({ context, surface, request, reply });
      }
      const parsed = parsePaymentRequest(request.body);
      if (!parsed.ok)
        return refusedResponse(parsed.refusal, networkNameOf(request.body), undefined);
      checkPayee(request.apiKey, parsed.value);
      const options = settleOptions(context, surface, parsed.value, { request, reply });
      const waitsForOutcome = options.goal === "outcome";
      const terms = { request: parsed.value, waitsForOutcome };
      const call = context.exchanges.beginSettle(settleCallTermsOf(request, reply, terms));
      const result = await context.settle(parsed.value, { ...options, exchange: call });
      if (result.kind === "refused") refundJunk(request, result.refusal);
      if (result.kind === "denied" && isGasRefusal(result.code)) {
        throw gasProblem(context, result.code);
      }
      if (result.kind === "denied") throw denialProblem(result.code, context.fee());
      const { status, body } = await respondToSettle(parsed.value, result, call);
      const attested =
        body.success && result.kind === "settlement"
          ? context.attestor.extensionsOf(result.settlement)
          : {};
      return reply.code(status).send({ ...body, ...attested });
    },
    errorHandler: (error, request, reply) => {
      const isOther = error instanceof HttpProblem && !shapedCodes.has(error.code);
      if (isOther || "statusCode" in error) {
        return server.errorHandler(error, request, reply);
      }
      const shape = settleNotEvaluated(networkNameOf(request.body));
      return sendProblem(context, request, reply, error, shape);
    },
  });
}

function settleOptions(
  context: PaymentContext,
  surface: Surface,
  paymentRequest: PaymentRequest,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
): Omit<SettleOptions, "exchange"> {
  const prefer = parsePrefer(request.headers["prefer"]);
  const getsIdAtOnce =
    surface.settle === "async" && prefer.waitMs === undefined && !isOfficial(request.body);
  const isAsync = prefer.respondAsync || getsIdAtOnce;
  if (prefer.applied !== "") reply.header("Preference-Applied", prefer.applied);
  const asyncMs = prefer.respondAsync ? respondAsyncMs : broadcastWaitMs;
  const isPaid = isPaying(context, request.apiKey);
  const timeoutMs = isAsync ? asyncMs : (prefer.waitMs ?? outcomeWaitMs);
  return {
    served: isServed.bind(undefined, surface),
    marginSeconds: context.settleMarginSeconds,
    // What /verify found valid some minutes ago is settled, although the amount has risen since.
    unitsMin: surface.auth === "none" ? context.limits.unitsMinRecently() : 0n,
    keyId: request.apiKey?.id ?? null,
    owner: request.apiKey?.account ?? null,
    priority: request.apiKey ? "keyed" : "open",
    credits: isPaid ? context.fee() : 0,
    requestId: request.id,
    terms: {
      ...(isPaid
        ? { freeCredits: context.freeCredits }
        : keylessTerms(context, request, paymentRequest)),
      ...(request.apiKey && { books: readBooks(request, paymentRequest) }),
    },
    goal: isAsync ? "broadcast" : "outcome",
    timeoutMs,
    // A requested wait, or none, also applies to a repeat.
    repeatTimeoutMs: prefer.respondAsync
      ? 0
      : Math.max(prefer.waitMs ?? 0, isAsync ? repeatWaitMs : timeoutMs),
  };
}

/**
 * The official software sends its version beside the payment and takes the response for the
 * outcome; callers of the service description send the two objects alone, and poll.
 */
function isOfficial(body: unknown): boolean {
  return isObject(body) && member(body, "x402Version") !== undefined;
}

/** Longer network names are not repeated to callers that send unreadable requests. */
const maxNetworkName = 64;

/** Returns the network of an unreadable request, because clients require the member. */
function networkNameOf(body: unknown): string {
  if (!isObject(body)) return "";
  for (const key of ["paymentRequirements", "paymentPayload"]) {
    const part = member(body, key);
    const name = isObject(part) ? member(part, "network") : undefined;
    if (typeof name === "string" && name.length <= maxNetworkName) return name;
  }
  return "";
}
