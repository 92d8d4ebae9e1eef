/**
 * One paid request: the claim of its payment, which one request at a time holds, and then the work
 * in the order that the route asks for.
 *
 * Every way out answers one of four things: the content, an answer of the seller's code that
 * nobody was charged for, a 402 (no money moved and none will), or a 409 or 503 without a
 * challenge, because a challenge would make the buyer sign and pay again.
 */
import { statusOf, type SettleResponse } from "@farthing/protocol";
import { serveAfterSuccess } from "./after-success.ts";
import { say } from "../answers.ts";
import { serveAfterPayment } from "./before-work.ts";
import { giveBack, LeaseLostError, settlePurchase } from "./collect.ts";
import { answerFor, replay } from "./delivery.ts";
import type { Lease } from "../grants/grants.ts";
import {
  alreadyDelivered,
  ask,
  faultRetrySeconds,
  later,
  pendingRetrySeconds,
  storeFailed,
} from "./open-answers.ts";
import type { Sale, Surroundings } from "./sale.ts";

/**
 * Takes the sale from its payment to its answer. A store that fails leaves the outcome open, and
 * must not look like a payment that has failed.
 */
export async function exchange(at: Surroundings, sale: Sale): Promise<Response> {
  try {
    return await takeAndWork(at, sale);
  } catch (error) {
    return storeFailed(at, sale.terms.resource.url, error);
  } finally {
    // Not before: the request may need the room of what is over.
    at.continuations.closeDue();
  }
}

async function takeAndWork(at: Surroundings, sale: Sale): Promise<Response> {
  const { grants, clock } = at;
  const { url } = sale.terms.resource;
  const deadlineMs = clock.now() + at.waitMs;
  for (;;) {
    const take = await grants.take(sale.binding, sale.access);
    switch (take.kind) {
      case "taken":
        return work(at, sale, take.lease, deadlineMs);
      case "delivered": {
        const receipt = await newestReceipt(at, sale, take.receipt);
        const answer = sale.redeliver === "never" ? undefined : answerFor(sale, take.answer);
        at.emit({ type: "repeated", url, receipt, isKept: answer !== undefined });
        return answer ? replay(answer, receipt) : alreadyDelivered(receipt);
      }
      case "unproven":
        at.emit({ type: "conflict", url });
        return alreadyDelivered(take.receipt);
      case "bound":
        at.emit({ type: "conflict", url });
        return say(409, {
          error: "payment_bound_elsewhere",
          message: "This payment belongs to another request; one payment opens one response.",
          retryable: false,
        });
      case "full":
        at.emit({ type: "full", url });
        return later("busy", "Too many payments are under way. Yours was not taken.", {
          retryAfterSeconds: faultRetrySeconds,
        });
      case "busy": {
        const leftMs = deadlineMs - clock.now();
        if (leftMs > 0 && (await grants.wait(sale.binding.key, leftMs))) break;
        return stillBusy();
      }
    }
  }
}

/** Longest wait for the outcome of a settlement that was served when it was queued. */
const newestMsMax = 2_000;

/** The receipt as the repeat of a delivered payment gets it, with the outcome once there is one. */
async function newestReceipt(
  at: Surroundings,
  sale: Sale,
  known: SettleResponse,
): Promise<SettleResponse> {
  if (!sale.servesQueued || statusOf(known) !== "pending") return known;
  const { settled } = await settlePurchase(at, sale, {
    deadlineMs: at.clock.now() + newestMsMax,
    known,
    onPending: async () => undefined,
  });
  return "receipt" in settled ? settled.receipt : known;
}

/** Does one holder's work; whatever happens, the lease does not stay behind. */
async function work(
  at: Surroundings,
  sale: Sale,
  lease: Lease,
  deadlineMs: number,
): Promise<Response> {
  // What an earlier holder began has left the order behind: money first, then what is left to do.
  const isFresh = lease.state === "claimed";
  const serve = sale.order === "after-success" && isFresh ? serveAfterSuccess : serveAfterPayment;
  try {
    if (!isFresh || !sale.isFormer) return await serve(at, sale, lease, deadlineMs);
    await giveBack(lease);
    return ask(at, sale.terms);
  } catch (error) {
    if (!(error instanceof LeaseLostError)) throw error;
    at.emit({ type: "broken", url: sale.terms.resource.url, error });
    return stillBusy();
  } finally {
    // What cannot be given back now ends by itself.
    await lease.leave().catch(() => undefined);
  }
}

function stillBusy(): Response {
  return later("settlement_pending", "This payment is being worked on.", {
    retryAfterSeconds: pendingRetrySeconds,
  });
}
