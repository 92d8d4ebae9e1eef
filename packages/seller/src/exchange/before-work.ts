/**
 * The order in which nobody works unpaid: verify, settle, wait for confirmation, and then the
 * seller's content, once. Also what every request does that finds a payment already under way.
 */
import { checkHeld, collect, verify } from "./collect.ts";
import { answerFor, deliver, handOutKept } from "./delivery.ts";
import type { Lease } from "../grants/grants.ts";
import { factsAfter, type Sale, type Surroundings } from "./sale.ts";

/** Gets the money, and then hands out what was made for it, or makes it. */
export async function serveAfterPayment(
  at: Surroundings,
  sale: Sale,
  lease: Lease,
  deadlineMs: number,
): Promise<Response> {
  if (lease.state === "claimed") {
    const unverified = await verify(at, sale, lease, deadlineMs);
    if (unverified) return unverified;
  }
  const collected = await collect(at, sale, lease, { deadlineMs });
  if (collected.kind !== "paid") return collected.response;
  const { receipt } = collected;
  const paid = { lease, receipt, facts: factsAfter(sale, receipt) };
  const answer = answerFor(sale, lease.answer);
  if (collected.isQueued) at.continuations.watch(sale, receipt);
  if (answer) return handOutKept(at, sale, paid, answer);
  if (lease.state !== "paid") checkHeld(await lease.paid(receipt));
  return deliver(at, sale, paid);
}
