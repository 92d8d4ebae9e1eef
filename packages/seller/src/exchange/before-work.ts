/** Settlement before work. Also resumes every payment that is already under way. */
import { defined } from "@farthing/protocol";
import type { Member } from "../facilitator-order.ts";
import { settleClaim, verify } from "./settle-claim.ts";
import { complete, deliver, fromStored, responseFor, withholdByHook } from "./delivery.ts";
import type { Lease } from "../payment-records/rules/payment-records.ts";
import { checkHeld } from "./lost-lease.ts";
import {
  factsAfter,
  type ChargedRequest,
  type ExchangeDeps,
  type ExchangeResult,
} from "./paid-request.ts";

/** Settles, and then delivers the kept response or makes it. */
export async function serveAfterPayment(
  deps: ExchangeDeps,
  charged: ChargedRequest,
  lease: Lease,
  deadlineMs: number,
): Promise<ExchangeResult> {
  let verifiedBy: Member | undefined;
  if (lease.state === "claimed") {
    const verified = await verify(deps, charged, lease, deadlineMs);
    if ("response" in verified) return verified;
    verifiedBy = verified;
  }
  const claiming = { deadlineMs, ...defined({ verifiedBy }) };
  const collection = await settleClaim(deps, charged, lease, claiming);
  if (collection.kind !== "paid") return collection.result;
  const { receipt } = collection;
  const paid = { lease, receipt, facts: factsAfter(charged, receipt) };
  const response = responseFor(charged, lease.response);
  if (collection.isQueued) deps.background.watch(charged, receipt, deps.waitUntil);
  const withheld = await withholdByHook(deps, charged, paid);
  if (withheld) {
    if (lease.state !== "paid") checkHeld(await lease.paid(receipt));
    return withheld;
  }
  if (response) return complete(paid, fromStored(response, receipt));
  if (lease.state !== "paid") checkHeld(await lease.paid(receipt));
  return deliver(deps, charged, paid);
}
