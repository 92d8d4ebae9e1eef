/**
 * The exchange of one paid request: one request at a time holds the payment's lease and works. It
 * ends in the content, an uncharged response of the seller's code, a 402 (no money moved and none
 * will), or a 409 or 503 without a challenge, which would make the buyer sign and pay again.
 */
import { statusOf, type SettleResponse } from "@farthing/protocol";
import { serveAfterSuccess } from "./after-success.ts";
import { errorResponse } from "../responses.ts";
import { serveAfterPayment } from "./before-work.ts";
import { settleMatched } from "./settle-claim.ts";
import { responseFor, replay } from "./delivery.ts";
import type { Lease } from "../payment-records/rules/payment-records.ts";
import { isRefunded } from "../payment-records/rules/refunds.ts";
import { LeaseLostError, releaseClaim } from "./lost-lease.ts";
import { createTopUp } from "./open-balance.ts";
import { noteFinality, refuseUnknownFinality } from "./await-final.ts";
import { refuseWithoutRoom, withPass } from "./open-pass.ts";
import {
  alreadyDelivered,
  ask,
  later,
  laterUntaken,
  pendingRetrySeconds,
  refunded,
  storeFailed,
  undecided,
} from "./open-responses.ts";
import type { ChargedRequest, ExchangeDeps, ExchangeResult } from "./paid-request.ts";

/** A store that fails leaves the outcome open; that must not look like a failed payment. */
export async function exchange(deps: ExchangeDeps, charged: ChargedRequest) {
  try {
    const { balance } = charged;
    const topUp = balance && createTopUp(deps, charged, balance);
    const refused =
      (await refuseUnknownFinality(deps, charged)) ??
      (await refuseWithoutRoom(deps, charged)) ??
      (await topUp?.refuse());
    if (refused) return refused;
    const result = await takeAndWork(deps, { ...charged, ...(topUp && { serve: topUp.serve }) });
    noteFinality(deps, charged, result);
    return await (topUp ? topUp.show(result) : withPass(deps, charged, result));
  } catch (error) {
    return storeFailed(error);
  } finally {
    // Afterwards only: the request may need the room of expired records.
    deps.background.closeDue(deps.waitUntil);
  }
}

async function takeAndWork(deps: ExchangeDeps, charged: ChargedRequest): Promise<ExchangeResult> {
  const { records, clock } = deps;
  const deadlineMs = clock.now() + deps.waitMs;
  for (;;) {
    const acquired = await records.acquire(charged.binding, charged.access);
    switch (acquired.kind) {
      case "acquired":
        return work(deps, charged, acquired.lease, deadlineMs);
      case "delivered": {
        if (isRefunded(acquired.receipt)) {
          const { receipt } = acquired;
          return { response: refunded(receipt), outcome: { type: "conflict" }, receipt };
        }
        const receipt = await newestReceipt(deps, charged, acquired.receipt);
        const kept =
          charged.redeliver === "never" ? undefined : responseFor(charged, acquired.response);
        const response = kept ? replay(kept, receipt) : alreadyDelivered(receipt);
        const isKept = kept !== undefined;
        return { response, outcome: { type: "repeated", receipt, isKept }, receipt };
      }
      case "unproven": {
        const { kind: _kind, ...known } = acquired;
        const response = alreadyDelivered(known.receipt);
        return { response, outcome: { type: "conflict" }, ...known };
      }
      case "bound": {
        const response = errorResponse(409, {
          error: "payment_bound_elsewhere",
          message: "This payment belongs to another request; one payment opens one response.",
          retryable: false,
        });
        return { response, outcome: { type: "conflict" } };
      }
      case "full": {
        const response = laterUntaken(
          "busy",
          "Too many payments are under way. Yours was not taken.",
        );
        return { response, outcome: { type: "full" } };
      }
      case "busy": {
        const leftMs = deadlineMs - clock.now();
        if (leftMs > 0 && (await records.wait(charged.binding.key, leftMs))) break;
        return undecided(stillBusy());
      }
    }
  }
}

/** Longest wait for the outcome of a settlement that was served when queued. */
const maxNewestMs = 2_000;

/** Returns the receipt for a repeat, with the outcome once there is one. */
async function newestReceipt(deps: ExchangeDeps, charged: ChargedRequest, known: SettleResponse) {
  if (!charged.servesQueued || statusOf(known) !== "pending") return known;
  // Only one facilitator serves what is queued.
  const [member] = deps.facilitators;
  const { settled } = await settleMatched(deps, member, charged, {
    deadlineMs: deps.clock.now() + maxNewestMs,
    known,
    onPending: async () => undefined,
  });
  return "receipt" in settled ? settled.receipt : known;
}

async function work(deps: ExchangeDeps, charged: ChargedRequest, lease: Lease, deadlineMs: number) {
  // An earlier holder's work continues with the money, whatever the settlement timing.
  const isFresh = lease.state === "claimed";
  const serve =
    charged.settlementTiming === "after-success" && isFresh ? serveAfterSuccess : serveAfterPayment;
  try {
    if (!isFresh || !charged.acceptsPreviousTerms)
      return await serve(deps, charged, lease, deadlineMs);
    await releaseClaim(lease);
    return ask(charged.terms);
  } catch (error) {
    if (!(error instanceof LeaseLostError)) throw error;
    return { response: stillBusy(), outcome: { type: "broken" as const, error } };
  } finally {
    // A lease that cannot be ended now expires.
    await lease.unlock().catch(() => undefined);
  }
}

function stillBusy(): Response {
  return later("settlement_pending", "This payment is being worked on.", {
    retryAfterSeconds: pendingRetrySeconds,
  });
}
