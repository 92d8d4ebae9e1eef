/** POST /verify: evaluates a payment and moves nothing. */
import { isChannelRequest } from "@farthing/protocol";
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
import { checkPayee, checkPlan } from "../http/access/authenticate.ts";
import { verifyChannel } from "./channels/verify-channel.ts";
import type { PaymentContext } from "./context.ts";
import { respondToExtensions } from "./extension-responses.ts";
import { checkLimits, keylessTerms } from "./keyless/terms.ts";
import type { PaymentAnswer, PaymentCall } from "./payment-call.ts";
import type { PaymentRoute } from "./payment-route.ts";
import { refundJunk } from "../http/access/limits.ts";
import { isServed, unitsMinOf, type Surface } from "../http/access/surface.ts";

export const verifyRoute: PaymentRoute = { name: "verify", answer: verify, shapeOf };

async function verify(
  context: PaymentContext,
  surface: Surface,
  call: PaymentCall,
): Promise<PaymentAnswer> {
  await respondToExtensions(context, call);
  const { request, asked } = call;
  if (isChannelRequest(asked.body)) {
    return { status: 200, body: await verifyChannel(context, surface, call) };
  }
  const { parsed } = asked;
  if (!parsed.ok) return { status: 200, body: invalidResponse(parsed.refusal, undefined) };
  checkPayee(request.apiKey, parsed.value);
  const payer = parsed.value.payment.authorization.from;
  const [verified, problem] = await Promise.all([
    context.verifier.verifyUnclaimed(parsed.value, {
      served: isServed.bind(undefined, surface),
      // Sellers serve by this response, so a payment that `/settle` would refuse is not valid.
      marginSeconds: context.settleMarginSeconds,
      unitsMin: unitsMinOf(context, surface),
      reading: asked.reading,
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
    return { status: 200, body: invalidResponse(verified.refusal, payer) };
  }
  call.whenUnwritten(() => void undo());
  const terms = keylessTerms(context, request, parsed.value);
  const limited =
    problem ??
    (await context.refuseIdentifier(verified.value).catch(asError)) ??
    (await checkLimits(context, terms, verified.value).catch(asError)) ??
    (await context.admit(verified.value, callerOf(request.apiKey)).catch(asError));
  if (limited) await undo();
  if (limited instanceof Error) throw limited;
  if (limited) return { status: refusedStatus(limited), body: invalidResponse(limited, payer) };
  return { status: 200, body: validResponse(payer) };
}

function shapeOf(error: Error): object {
  const isOther =
    (error instanceof HttpProblem && !shapedCodes.has(error.code)) ||
    (error instanceof Fault && error.code === "too_many_exchanges");
  return isOther ? {} : verifyNotEvaluated;
}

const noProblem = () => undefined;

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

function callerOf(apiKey: RequestKey | null): AdmissionCaller {
  return { owner: apiKey?.account ?? null, priority: apiKey ? "keyed" : "open" };
}
