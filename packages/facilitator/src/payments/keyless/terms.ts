/**
 * The limits of surfaces without keys, as the routes apply them: the terms of a payment from the
 * caller's address and the gas price, and the check of /verify.
 */
import {
  networkOfAddress,
  refusal,
  type Address,
  type ChainId,
  type PaymentRequest,
  type Refusal,
} from "@farthing/protocol";
import {
  type GasRefusal,
  hourMs,
  type KeylessTerms,
  authorizationKeyOf,
  secondsToRefill,
  type VerifiedPayment,
} from "@farthing/engine";
import type { KeylessLimits, KeylessQuestion } from "./store.ts";
import { HttpProblem } from "../../http/messages/responses.ts";
import type { PaymentContext } from "../context.ts";
import type { CallerRequest } from "../../http/access/caller.ts";
import type { RequestKey } from "../../http/access/request-key.ts";

/** The window of a payer's cap: a day. */
const payerCapWindowMs = 24 * hourMs;

/** The network of a caller: the range that one customer of a provider usually has. */
const networkBits = { ipv4: 24, ipv6: 48 } as const;

/** Whether the caller's settlements cost credits, where the operator sells any. */
export function isPaying(
  { areTestKeysFree }: Pick<PaymentContext, "areTestKeysFree">,
  key: RequestKey | null,
): boolean {
  return key !== null && !(areTestKeysFree && key.mode === "test");
}

/** Returns the limits of a payment; none for callers whose key pays. */
export function keylessTerms(
  context: PaymentContext,
  request: CallerRequest,
  { payment }: PaymentRequest,
): KeylessLimits {
  const { payerCapUnits, payerCountMax } = context.limits;
  if (isPaying(context, request.apiKey)) return {};
  const gas = gasTerms(context, payment.network.chainId);
  const isLimited = payerCountMax !== null || gas !== null;
  return {
    payerCap: payerCapUnits === null ? null : { units: payerCapUnits, windowMs: payerCapWindowMs },
    ...(isLimited && {
      keyless: { callerNetwork: networkOfAddress(request.ip, networkBits), payerCountMax, gas },
    }),
  };
}

export interface PurchaseBudget extends Pick<PaymentContext, "gasOf"> {
  readonly limits: Pick<PaymentContext["limits"], "keylessGasGwei">;
}

/** The gas budget as it applies to a buyer of credits, whose payments have no other limit. */
export function purchaseTerms(
  budget: PurchaseBudget,
  { ip }: Pick<CallerRequest, "ip">,
  chainId: ChainId,
): KeylessTerms | undefined {
  const gas = gasTerms(budget, chainId);
  if (gas === null) return undefined;
  return { callerNetwork: networkOfAddress(ip, networkBits), payerCountMax: null, gas };
}

/**
 * What a call that was not sent keeps of the budget, in the gas of payments. It has spent no gas, but a
 * node's time: fifty of them count as one payment, so that the budget bounds them as well.
 */
const paymentsPerUnsent = 1 / 50;

/**
 * Counts the gas of a call that is no settlement for callers whose key does not pay. Throws when the budget
 * is used up. `payments` is its gas, in that of one payment. What it returns is for a call that was not sent.
 */
export async function payForCall(
  context: PaymentContext,
  { ip }: Pick<CallerRequest, "ip">,
  call: { readonly chainId: ChainId; readonly payTo: Address; readonly payments: number },
): Promise<() => Promise<void>> {
  const { chainId, payTo, payments } = call;
  const gas = gasTerms(context, chainId);
  if (gas === null) return async () => undefined;
  const gwei = Math.ceil(gas.plainGwei * payments);
  const callerNetwork = networkOfAddress(ip, networkBits);
  const paid = { chainId, payTo, callerNetwork, gas, gwei };
  const charged = await context.chargeKeylessCall(paid);
  if ("refusal" in charged) throw gasProblem(context, charged.refusal);
  const unspent = gwei - Math.ceil(gas.plainGwei * paymentsPerUnsent);
  return () => context.returnKeylessCall({ ...paid, gwei: unspent }, charged.half);
}

function gasTerms({ limits, gasOf }: PurchaseBudget, chainId: ChainId): KeylessTerms["gas"] {
  const budgetGwei = limits.keylessGasGwei(chainId);
  return budgetGwei === null ? null : { budgetGwei, ...gasOf(chainId) };
}

/**
 * Checks a valid payment, because `/verify` must not accept what `/settle` has to refuse. Returns a
 * refusal of the payment, or throws when the budget is used up.
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

/** Creates the response when the budget is used up; it refills at the full hour. */
export function gasProblem(
  { clock }: Pick<PaymentContext, "clock">,
  code: GasRefusal,
): HttpProblem {
  return new HttpProblem(code, gasMessages[code], secondsToRefill(clock.nowMs()));
}
