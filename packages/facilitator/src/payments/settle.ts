/** POST /settle: claims a payment and moves the money, once. */
import {
  isObject,
  member,
  parsePaymentRequest,
  refusal,
  type PaymentRequest,
  type SettleResponse,
} from "@farthing/protocol";
import type { FastifyReply, FastifyRequest } from "fastify";
import {
  isGasRefusal,
  type Presentation,
  type SettleCall,
  type Settlement,
  type SettleOptions,
  type SettleResult,
} from "@farthing/engine";
import { assert } from "@farthing/engine/base";
import {
  repeatResponse,
  refusedResponse,
  settleResponse,
  HttpProblem,
  refusedStatus,
  shapedCodes,
} from "../http/responses.ts";
import { admission, checkPayee, sellersMatter } from "../http/authenticate.ts";
import { readBooks } from "./books.ts";
import type { PaymentContext, SurfaceScope } from "./context.ts";
import { describePayments } from "./describe-surface.ts";
import { settleCallTermsOf } from "./exchange-call.ts";
import { respondToExtensions } from "./extension-responses.ts";
import { gasProblem, isPaying, keylessTerms } from "./keyless/terms.ts";
import { refundJunk } from "../http/limits.ts";
import { parsePrefer } from "../http/prefer.ts";
import { requireBody } from "../http/read-body.ts";
import { sendProblem } from "../http/send-problem.ts";
import { isServed, unitsMinOf, type Surface } from "../http/surface.ts";
import { faultMessage } from "./verify.ts";

/** `Prefer: respond-async` gets a response once the transfer is sent, or after this time. */
const respondAsyncMs = 500;

/**
 * The public surface responds once the transfer is sent, which takes milliseconds, or longer under
 * load. It waits because stock sellers repeat a pending settle only if it names its transaction;
 * without the repeat, the buyer has paid and is not served.
 */
export const broadcastWaitMs = 5_000;

/** Many proxies and clients give up after 30 s. */
const outcomeWaitMs = 25_000;

/** A repeat of a pending settle waits, so that the only retry of stock sellers succeeds. */
const repeatWaitMs = 10_000;

export function registerSettle({ server, context, surface, throttle }: SurfaceScope): void {
  server.post(`${surface.basePath}/settle`, {
    ...describePayments(surface).settle,
    onRequest: admission(context, surface, throttle),
    preHandler: [requireBody, respondToExtensions(context)],
    handler: async (request, reply) => {
      const parsed = parsePaymentRequest(request.body);
      if (!parsed.ok)
        return refusedResponse(parsed.refusal, networkNameOf(request.body), undefined, undefined);
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
      const { status, body } = await respondToResult(parsed.value, result, call);
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
      // Stock clients read such a body as "failed"; the reason says that it was not evaluated.
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
  context: PaymentContext,
  surface: Surface,
  paymentRequest: PaymentRequest,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
): Omit<SettleOptions, "exchange"> {
  const prefer = parsePrefer(request.headers["prefer"]);
  const isAsync =
    prefer.respondAsync || (surface.settle === "async" && prefer.waitMs === undefined);
  if (prefer.applied !== "") reply.header("Preference-Applied", prefer.applied);
  const asyncMs = prefer.respondAsync ? respondAsyncMs : broadcastWaitMs;
  const isPaid = isPaying(context, request.apiKey);
  const timeoutMs = isAsync ? asyncMs : (prefer.waitMs ?? outcomeWaitMs);
  return {
    served: isServed.bind(undefined, surface),
    marginSeconds: context.settleMarginSeconds,
    unitsMin: unitsMinOf(context, surface),
    keyId: request.apiKey?.id ?? null,
    owner: request.apiKey?.account ?? null,
    priority: request.apiKey ? "keyed" : "open",
    credits: isPaid ? context.creditsPerSettlement : 0,
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
 * For a payment of another exchange. The stock MCP wrapper returns its result whatever `success`
 * says, and the stock client throws for statuses other than 2xx.
 */
const anotherExchangeStatus = 409;

interface SettleReply {
  readonly status: 200 | typeof anotherExchangeStatus;
  readonly body: SettleResponse;
}

const evaluated = (body: SettleResponse): SettleReply => ({ status: 200, body });

async function respondToResult(
  { payment }: PaymentRequest,
  result: SettleResult,
  call: SettleCall,
): Promise<SettleReply> {
  const { networkName, authorization } = payment;
  switch (result.kind) {
    case "denied":
      throw denialProblem(result.code);
    case "refused":
      return {
        status: refusedStatus(result.refusal),
        body: refusedResponse(result.refusal, networkName, authorization.from, result.existing),
      };
    case "settlement": {
      const { settlement, isRepeat } = result;
      const presentation = await call.present(settlement, isRepeat);
      return respondWithPresentation(settlement, networkName, { isRepeat, presentation });
    }
    default:
      return result satisfies never;
  }
}

function respondWithPresentation(
  settlement: Settlement,
  networkName: string,
  asked: { readonly isRepeat: boolean; readonly presentation: Presentation },
): SettleReply {
  const { isRepeat, presentation } = asked;
  switch (presentation.kind) {
    case "whole": {
      const { id, ...rest } = settleResponse(settlement, networkName, {
        ...(isRepeat ? { replayed: true } : {}),
        ...(presentation.isOwnExchange ? { ownExchange: true } : {}),
      });
      return evaluated(presentation.hasId ? { id, ...rest } : rest);
    }
    case "facts":
      return {
        status: anotherExchangeStatus,
        body: repeatResponse(settlement, networkName, presentation.isPending),
      };
    case "refused": {
      const message = "This payment was settled before; it opens nothing again.";
      const why = refusal("nonce_already_used", message);
      return evaluated(refusedResponse(why, networkName, settlement.payer, settlement));
    }
    default:
      return presentation satisfies never;
  }
}

const denialMessages = {
  unauthorized: "The seller's API key is no longer valid; the seller needs another one.",
  seller_plan_inactive: sellersMatter,
  insufficient_facilitator_credits: sellersMatter,
} as const;

const errorCodeOfDenial: Readonly<Partial<Record<string, keyof typeof denialMessages>>> = {
  key_not_valid: "unauthorized",
  seller_plan_inactive: "seller_plan_inactive",
  insufficient_facilitator_credits: "insufficient_facilitator_credits",
};

export function denialProblem(denial: string): HttpProblem {
  const code = errorCodeOfDenial[denial];
  assert(code, `the denial ${denial} has a response`);
  return new HttpProblem(code, denialMessages[code]);
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
