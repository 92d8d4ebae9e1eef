/** POST /verify: evaluates a payment and moves nothing. */
import { isChannelRequest, parsePaymentRequest } from "@farthing/protocol";
import { type AdmissionCaller, authorizationKeyOf } from "@farthing/engine";
import { Fault } from "@farthing/engine/base";
import type { RequestKey } from "../http/access/request-key.ts";
import {
  invalidResponse,
  refusedStatus,
  validResponse,
  verifyNotEvaluated,
} from "@farthing/engine/x402";
import { HttpProblem, shapedCodes } from "../http/messages/responses.ts";
import { admission, checkPayee, checkPlan } from "../http/access/authenticate.ts";
import { verifyChannel } from "./channels/verify-channel.ts";
import type { SurfaceScope } from "./context.ts";
import { describePayments } from "./describe-surface.ts";
import { whenUnwritten } from "./exchange-call.ts";
import { respondToExtensions } from "./extension-responses.ts";
import { checkLimits, keylessTerms } from "./keyless/terms.ts";
import { refundJunk } from "../http/access/limits.ts";
import { requireBody } from "../http/server/read-body.ts";
import { sendProblem } from "../http/server/send-problem.ts";
import { isServed, unitsMinOf } from "../http/access/surface.ts";

export function registerVerify({ server, context, surface, throttle }: SurfaceScope): void {
  const options = {
    served: isServed.bind(undefined, surface),
    // Sellers serve by this response, so a payment that `/settle` would refuse is not valid.
    marginSeconds: context.settleMarginSeconds,
  };
  server.post(`${surface.basePath}/verify`, {
    ...describePayments(surface).verify,
    onRequest: admission(context, surface, throttle),
    preHandler: [requireBody, respondToExtensions(context)],
    handler: async (request, reply) => {
      if (isChannelRequest(request.body)) return verifyChannel(context, surface, request);
      const parsed = parsePaymentRequest(request.body);
      if (!parsed.ok) return invalidResponse(parsed.refusal, undefined);
      checkPayee(request.apiKey, parsed.value);
      const payer = parsed.value.payment.authorization.from;
      const [verified, problem] = await Promise.all([
        context.verifier.verifyUnclaimed(parsed.value, {
          ...options,
          unitsMin: unitsMinOf(context, surface),
        }),
        checkPlan(context, request.apiKey).then(noProblem, asError),
      ]);
      let isOpen = true;
      const undo = async () => {
        if (isOpen) await context.exchanges.cancel(authorizationKeyOf(parsed.value));
        isOpen = false;
      };
      if (!verified.ok) {
        if (problem) throw problem;
        refundJunk(request, verified.refusal);
        return reply.send(invalidResponse(verified.refusal, payer));
      }
      whenUnwritten(reply, () => void undo());
      const terms = keylessTerms(context, request, parsed.value);
      const limited =
        problem ??
        (await context.refuseIdentifier(verified.value).catch(asError)) ??
        (await checkLimits(context, terms, verified.value).catch(asError)) ??
        (await context.admit(verified.value, callerOf(request.apiKey)).catch(asError));
      if (limited) await undo();
      if (limited instanceof Error) throw limited;
      if (limited) return reply.code(refusedStatus(limited)).send(invalidResponse(limited, payer));
      return reply.send(validResponse(payer));
    },
    errorHandler: (error, request, reply) => {
      const isOther =
        (error instanceof HttpProblem && !shapedCodes.has(error.code)) ||
        (error instanceof Fault && error.code === "too_many_exchanges");
      if (isOther || "statusCode" in error) server.errorHandler(error, request, reply);
      else sendProblem(context, request, reply, error, verifyNotEvaluated);
    },
  });
}

const noProblem = () => undefined;

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

function callerOf(apiKey: RequestKey | null): AdmissionCaller {
  return { owner: apiKey?.account ?? null, priority: apiKey ? "keyed" : "open" };
}
