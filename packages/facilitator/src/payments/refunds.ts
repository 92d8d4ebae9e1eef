/** POST /v1/refunds: returns money of a final payment to its payer, signed by its payee. */
import {
  isSameAddress,
  networkOfChain,
  parseRefund,
  xdc,
  type SettleResponse,
  type SignedRefund,
} from "@farthing/protocol";
import { Type } from "typebox";
import { isGasRefusal, type RefundOptions, type Settlement } from "@farthing/engine";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { checkMode, checkPlan, type admission } from "../http/access/authenticate.ts";
import { described } from "../http/openapi/openapi.ts";
import { parsePrefer } from "../http/messages/prefer.ts";
import { requireBody } from "../http/server/read-body.ts";
import { refusedResponse, settleResponse } from "@farthing/engine/x402";
import { HttpProblem } from "../http/messages/responses.ts";
import { problems } from "../http/messages/schemas.ts";
import { accountOf } from "../http/access/session.ts";
import type { PaymentContext } from "./context.ts";
import { gasProblem, purchaseTerms, type PurchaseBudget } from "./keyless/terms.ts";
import { RefundBody, RefundResponseBody } from "./schemas.ts";
import { broadcastWaitMs } from "./settle.ts";
import { denialProblem } from "./settle-terms.ts";

export type RefundContext = Pick<
  PaymentContext,
  | "areTestKeysFree"
  | "clock"
  | "fee"
  | "findSettlement"
  | "freeCredits"
  | "networks"
  | "planOf"
  | "refund"
  | "settleMarginSeconds"
> &
  PurchaseBudget & {
    readonly limits: Pick<PaymentContext["limits"], "unitsMin" | "unitsMinRecently">;
  };

/** Requires that the server authenticates by an API key or a session. */
export function registerRefunds(
  server: Pick<FastifyInstance, "post">,
  context: RefundContext,
  onRequest: ReturnType<typeof admission>[] = [],
): void {
  server.post("/v1/refunds", {
    ...described({
      operationId: "refund",
      tags: ["Payments"],
      summary: "Refund a payment",
      description:
        "Relays an authorization from the payment's payee to its payer, for no gas. Answers once the transfer is sent; `Prefer: wait=N` waits for the outcome, 30 seconds at most. The same refund again is the same settlement.",
      security: [{ apiKey: [] }, { session: [] }],
      headers: Type.Object({
        prefer: Type.Optional(Type.String({ description: "`wait=N`" })),
      }),
      body: RefundBody,
      response: {
        200: RefundResponseBody,
        ...problems(
          "unauthorized",
          "foreign_origin",
          "role_not_allowed",
          "insufficient_facilitator_credits",
          "seller_plan_inactive",
          "not_found",
          "queue_full",
          "gas_price_too_high",
          "no_wallet",
          "reverted_gas_exhausted",
          "caller_gas_share_used",
          "keyless_gas_exhausted",
        ),
      },
    }),
    config: { permission: "refund", takesKeys: true },
    onRequest,
    preHandler: requireBody,
    handler: async (request) => {
      const parsed = parseRefund(request.body);
      if (!parsed.ok) return refusedResponse(parsed.refusal, "", undefined);
      return refund(context, request, parsed.value);
    },
  });
}

async function refund(
  context: RefundContext,
  request: FastifyRequest,
  signed: SignedRefund,
): Promise<SettleResponse & { readonly refundOf: string }> {
  const account = accountOf(request);
  const { settlementId: refundOf, authorization } = signed;
  const payment = await context.findSettlement(refundOf);
  if (!payment || !isSameAddress(payment.payTo, account)) throw noPayment();
  checkMode(request.apiKey, networkOfChain(payment.chainId));
  await checkPlan(context, { account });
  const result = await context.refund(signed, refundOptions(context, request, payment));
  const network = networkOfChain(payment.chainId).id;
  switch (result.kind) {
    case "unknown":
      throw noPayment();
    case "denied":
      if (result.code === "refunds_not_ready") throw updateRunning();
      if (isGasRefusal(result.code)) throw gasProblem(context, result.code);
      throw denialProblem(result.code, context.fee());
    case "refused": {
      const payer = authorization.from;
      return { ...refusedResponse(result.refusal, network, payer, result), refundOf };
    }
    case "settlement": {
      const flags = result.isRepeat ? ({ replayed: true } as const) : {};
      return { ...settleResponse(result.settlement, network, flags), refundOf };
    }
    default:
      return result satisfies never;
  }
}

function noPayment(): HttpProblem {
  return new HttpProblem("not_found", "There is no such settlement of this account.");
}

/** Processes of an earlier version would treat the refund as a payment. */
function updateRunning(): HttpProblem {
  const message =
    "The service is being updated and cannot take refunds yet; nothing was claimed, try again in a few minutes with the same refund.";
  return new HttpProblem("service_unavailable", message);
}

/** A refund costs what a settlement costs; of the limits without a price only that of gas applies. */
function refundOptions(
  context: RefundContext,
  request: FastifyRequest,
  { payTo, chainId }: Settlement,
): RefundOptions {
  const { waitMs } = parsePrefer(request.headers["prefer"]);
  const isFree = context.areTestKeysFree && chainId !== xdc.chainId;
  return {
    served: (version, network) =>
      version === 2 && context.networks.some((one) => one.network.chainId === network.chainId),
    marginSeconds: context.settleMarginSeconds,
    unitsMin: context.limits.unitsMinRecently(),
    payee: payTo,
    owner: payTo,
    keyId: request.apiKey?.id ?? null,
    priority: request.apiKey ? "keyed" : "open",
    credits: isFree ? 0 : context.fee(),
    requestId: request.id,
    terms: isFree
      ? { keyless: purchaseTerms(context, request, chainId) }
      : { freeCredits: context.freeCredits },
    goal: waitMs === undefined ? "broadcast" : "outcome",
    timeoutMs: waitMs ?? broadcastWaitMs,
    repeatTimeoutMs: waitMs ?? 0,
  };
}
