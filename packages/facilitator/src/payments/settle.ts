/** POST /settle: claims a payment and moves the money, once. */
import { isChannelRequest, type PaymentRequest } from "@farthing/protocol";
import { isGasRefusal, type SettleOptions } from "@farthing/engine";
import { refusedResponse, respondToSettle, settleNotEvaluated } from "@farthing/engine/x402";
import { HttpProblem, shapedCodes } from "../http/messages/responses.ts";
import { checkPayee } from "../http/access/authenticate.ts";
import { readBooks } from "./books.ts";
import { settleChannel } from "./channels/settle-channel.ts";
import type { PaymentContext } from "./context.ts";
import { settleCallTermsOf } from "./exchange-call.ts";
import { respondToExtensions } from "./extension-responses.ts";
import { gasProblem, isPaying, keylessTerms } from "./keyless/terms.ts";
import type { PaymentAnswer, PaymentCall } from "./payment-call.ts";
import type { PaymentRoute } from "./payment-route.ts";
import { refundJunk } from "../http/access/limits.ts";
import { denialProblem, outcomeWaitMs } from "./settle-terms.ts";
import { parsePrefer } from "../http/messages/prefer.ts";
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

export const settleRoute: PaymentRoute = { name: "settle", answer: settle, shapeOf };

async function settle(
  context: PaymentContext,
  surface: Surface,
  call: PaymentCall,
): Promise<PaymentAnswer> {
  await respondToExtensions(context, call);
  const { request, asked } = call;
  if (isChannelRequest(asked.body)) {
    return { status: 200, body: await settleChannel({ context, surface, request, asked }) };
  }
  const { parsed, networkName } = asked;
  if (!parsed.ok) {
    return { status: 200, body: refusedResponse(parsed.refusal, networkName, undefined) };
  }
  checkPayee(request.apiKey, parsed.value);
  const options = settleOptions(context, surface, parsed.value, call);
  const waitsForOutcome = options.goal === "outcome";
  const terms = { request: parsed.value, waitsForOutcome };
  const exchange = context.exchanges.beginSettle(settleCallTermsOf(call, terms));
  const result = await context.settle(parsed.value, { ...options, exchange });
  if (result.kind === "refused") refundJunk(request, result.refusal);
  if (result.kind === "denied" && isGasRefusal(result.code)) {
    throw gasProblem(context, result.code);
  }
  if (result.kind === "denied") throw denialProblem(result.code, context.fee());
  const { status, body } = await respondToSettle(parsed.value, result, exchange);
  const attested =
    body.success && result.kind === "settlement"
      ? context.attestor.extensionsOf(result.settlement)
      : {};
  return { status, body: { ...body, ...attested } };
}

function shapeOf(error: Error, networkName: string): object {
  const isOther = error instanceof HttpProblem && !shapedCodes.has(error.code);
  return isOther ? {} : settleNotEvaluated(networkName);
}

function settleOptions(
  context: PaymentContext,
  surface: Surface,
  paymentRequest: PaymentRequest,
  { request, head, asked }: PaymentCall,
): Omit<SettleOptions, "exchange"> {
  const prefer = parsePrefer(request.headers["prefer"]);
  const getsIdAtOnce =
    surface.settle === "async" && prefer.waitMs === undefined && !asked.isOfficial;
  const isAsync = prefer.respondAsync || getsIdAtOnce;
  if (prefer.applied !== "") head.header("Preference-Applied", prefer.applied);
  const asyncMs = prefer.respondAsync ? respondAsyncMs : broadcastWaitMs;
  const isPaid = isPaying(context, request.apiKey);
  const timeoutMs = isAsync ? asyncMs : (prefer.waitMs ?? outcomeWaitMs);
  return {
    served: isServed.bind(undefined, surface),
    marginSeconds: context.settleMarginSeconds,
    reading: asked.reading,
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
