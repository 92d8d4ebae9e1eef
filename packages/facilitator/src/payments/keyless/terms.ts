/**
 * The limits of surfaces without keys, as the routes apply them: terms of a payment from the caller's
 * address and the gas price, the verdict of /verify, and what a caller is told.
 */
import {
  networkOfAddress,
  refusal,
  type ChainId,
  type PaymentRequest,
  type Refusal,
} from "@farthing/protocol";
import type { FastifyRequest } from "fastify";
import {
  type GasRefusal,
  hourMs,
  type KeylessTerms,
  authorizationKeyOf,
  secondsToRefill,
  type VerifiedPayment,
} from "@farthing/engine";
import type { KeylessLimits, KeylessQuestion } from "./store.ts";
import { HttpProblem } from "../../http/responses.ts";
import type { PaymentContext } from "../context.ts";
import type { Surface } from "../../http/surface.ts";

/** The window of a payer's cap: a day. */
const payerCapWindowMs = 24 * hourMs;

/** A network of callers: what one customer of a provider usually has, and not one address of many. */
const networkBits = { ipv4: 24, ipv6: 48 } as const;

/** The limits of a payment on a surface; none where callers show a key. */
export function keylessTerms(
  context: PaymentContext,
  surface: Pick<Surface, "auth">,
  request: FastifyRequest,
  { payment }: PaymentRequest,
): KeylessLimits {
  const { payerCapUnits, payerCountMax } = context.limits;
  if (surface.auth !== "none") return {};
  const gas = gasTerms(context, payment.network.chainId);
  const isLimited = payerCountMax !== null || gas !== null;
  return {
    payerCap: payerCapUnits === null ? null : { units: payerCapUnits, windowMs: payerCapWindowMs },
    ...(isLimited && {
      keyless: { callerNetwork: networkOfAddress(request.ip, networkBits), payerCountMax, gas },
    }),
  };
}

/** What the gas of purchases is charged to. */
export interface PurchaseBudget extends Pick<PaymentContext, "gasOf"> {
  readonly limits: Pick<PaymentContext["limits"], "keylessGasGwei">;
}

/** The gas budget as it applies to a buyer of credits, whose payments have no other limit. */
export function purchaseTerms(
  budget: PurchaseBudget,
  { ip }: FastifyRequest,
  chainId: ChainId,
): KeylessTerms | undefined {
  const gas = gasTerms(budget, chainId);
  if (gas === null) return undefined;
  return { callerNetwork: networkOfAddress(ip, networkBits), payerCountMax: null, gas };
}

function gasTerms({ limits, gasOf }: PurchaseBudget, chainId: ChainId): KeylessTerms["gas"] {
  const { keylessGasGwei: budgetGwei } = limits;
  return budgetGwei === null ? null : { budgetGwei, ...gasOf(chainId) };
}

/**
 * What the limits say of a payment that is in order: `/verify` must not call valid what `/settle` has
 * to refuse. Gives a refusal of the payment, or throws the problem of the budget.
 */
export async function checkLimits(
  context: PaymentContext,
  terms: KeylessLimits,
  verified: VerifiedPayment,
): Promise<Refusal | undefined> {
  if (terms.payerCap == null && terms.keyless === undefined) return undefined;
  const { to: payTo, value: amount } = verified.payment.authorization;
  const { payerHasCode } = verified;
  const question: KeylessQuestion = {
    ...authorizationKeyOf(verified),
    payTo,
    amount,
    payerHasCode,
    terms,
  };
  const { refusal: code, isTight } = await context.checkKeyless(question);
  switch (code) {
    case null:
      if (isTight) await context.noteKeyless(question);
      return undefined;
    case "payer_spend_cap_reached":
    case "payer_count_reached":
      return refusal(code);
    case "caller_gas_share_used":
    case "keyless_gas_exhausted":
      throw gasProblem(context, code);
    default:
      return code satisfies never;
  }
}

const gasMessages: Readonly<Record<GasRefusal, string>> = {
  keyless_gas_exhausted:
    "The gas that this facilitator spends per day without API keys is used up; nothing was evaluated and nothing moved. It refills every hour; sellers with an API key are not affected.",
  caller_gas_share_used:
    "The network from which this facilitator was asked has used its share of the gas that is spent per day without API keys; nothing was evaluated and nothing moved. It refills every hour; sellers with an API key are not affected.",
};

/** The answer when the budget has no room: come back when it refills, at the full hour. */
export function gasProblem(
  { clock }: Pick<PaymentContext, "clock">,
  code: GasRefusal,
): HttpProblem {
  return new HttpProblem(code, gasMessages[code], secondsToRefill(clock.nowMs()));
}
