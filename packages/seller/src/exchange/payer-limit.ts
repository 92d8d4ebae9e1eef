/**
 * The limit of requests by one payer. It counts only a payer who is proven, by a verified payment or
 * by the token of a pass or balance: anybody can write another's address into a payment.
 */
import { errorResponse } from "../responses.ts";
import type { PaidRequest } from "../events.ts";
import type { ExchangeDeps, ExchangeResult } from "./paid-request.ts";

/** Counts a request, or refuses it where its payer has made too many; then nothing is taken. */
export function refuseOverLimit(
  { rateLimit, clock }: ExchangeDeps,
  payment: PaidRequest,
): ExchangeResult | undefined {
  if (!rateLimit) return undefined;
  const { perPayer, counts } = rateLimit;
  const waitMs = counts.take(payment.payer, perPayer, clock.now());
  if (waitMs === 0) return undefined;
  const retryAfterSeconds = Math.ceil(waitMs / 1000);
  const most = perPayer === 1 ? "1 request" : `${perPayer} requests`;
  const shown = payment.pass ? "pass" : payment.balance ? "balance" : "payment";
  const message =
    `One payer can make ${most} a minute here. Nothing was taken. Repeat the request ` +
    `with the same ${shown} in ${retryAfterSeconds} s${shown === "payment" ? "; do not sign a new one." : "."}`;
  const body = { error: "rate_limited", message, retryable: true } as const;
  const response = errorResponse(429, body, { retryAfterSeconds });
  return { response, outcome: { type: "limited", payment } };
}
