/**
 * The order in which nobody works unpaid: verify, settle, wait for confirmation, and then the
 * seller's content, once. Also what every request does that finds a payment already under way.
 */
import { collect, verify } from "./collect.ts";
import { answerFor, deliver, handOutKept } from "./delivery.ts";
import type { Lease } from "../payment-records/payment-records.ts";
import { checkHeld } from "./lost-lease.ts";
import {
  factsAfter,
  type ChargedRequest,
  type ExchangeDeps,
  type ExchangeResult,
} from "./paid-request.ts";

/** Gets the money, and then hands out what was made for it, or makes it. */
export async function serveAfterPayment(
  deps: ExchangeDeps,
  charged: ChargedRequest,
  lease: Lease,
  deadlineMs: number,
): Promise<ExchangeResult> {
  if (lease.state === "claimed") {
    const unverified = await verify(deps, charged, lease, deadlineMs);
    if (unverified) return unverified;
  }
  const collected = await collect(deps, charged, lease, { deadlineMs });
  if (collected.kind !== "paid") return collected.result;
  const { receipt } = collected;
  const paid = { lease, receipt, facts: factsAfter(charged, receipt) };
  const answer = answerFor(charged, lease.answer);
  if (collected.isQueued) deps.background.watch(charged, receipt);
  if (answer) return handOutKept(paid, answer);
  if (lease.state !== "paid") checkHeld(await lease.paid(receipt));
  return deliver(deps, charged, paid);
}
