/**
 * One paid request, in the only safe order: claim, verify, settle, wait for confirmation, and then
 * the seller's content, once.
 *
 * Every way out answers one of three things: the content, a 402 (no money moved and none will), or
 * a 409 or 503 without a challenge, because a challenge would make the buyer sign and pay again.
 */
import {
  x402ReasonOf,
  type Payment,
  type Requirements,
  type SettleResponse,
  type VerifyResponse,
} from "@farthing/protocol";
import { challenge, say, type ChallengeTerms } from "./answers.ts";
import type { Clock } from "./clock.ts";
import { deliver, replay, type Serve } from "./delivery.ts";
import type { EventListener, PaidRequest } from "./events.ts";
import type { AccountProblem, Facilitator, FacilitatorRequest, Fault } from "./facilitator.ts";
import type { Binding, GrantStore, Lease } from "./grants.ts";
import {
  callMsMin,
  settleAndWait,
  settlementIdOf,
  type Settled,
  type Settlement,
} from "./settle.ts";

/** What an exchange works with. */
export interface Surroundings {
  readonly facilitator: Facilitator;
  readonly grants: GrantStore;
  readonly clock: Clock;
  /** The whole time from the request to the start of the content, in milliseconds. */
  readonly waitMs: number;
  readonly emit: EventListener;
}

/** One request with a payment that matches the route's offer. */
export interface Sale {
  readonly payment: Payment;
  readonly offer: Requirements;
  readonly binding: Binding;
  readonly request: FacilitatorRequest;
  readonly terms: ChallengeTerms;
  readonly serve: Serve;
  /** Whether the content goes out as it is made, unbuffered and never again. */
  readonly isStreamed: boolean;
}

/** Seconds after which a repeat is worth it: one block, for a settlement under way. */
const pendingRetrySeconds = 2;
/** The same for a facilitator that is down. */
const faultRetrySeconds = 5;
/** The same for a seller who has to top up or renew a key: people are slower. */
const accountRetrySeconds = 60;

/** Takes the sale from its payment to its answer. */
export async function exchange(at: Surroundings, sale: Sale): Promise<Response> {
  const { grants, clock } = at;
  const deadlineMs = clock.now() + at.waitMs;
  for (;;) {
    const take = await grants.take(sale.binding);
    switch (take.kind) {
      case "taken":
        return work(at, sale, take.lease, deadlineMs);
      case "delivered":
        return take.answer ? replay(take.answer, take.receipt) : alreadyDelivered(take.receipt);
      case "bound":
        return say(409, {
          error: "payment_bound_elsewhere",
          message: "This payment belongs to another request; one payment opens one response.",
          retryable: false,
        });
      case "full":
        return later("busy", "Too many payments are under way. Yours was not taken.", {
          retryAfterSeconds: faultRetrySeconds,
        });
      case "busy": {
        const leftMs = deadlineMs - clock.now();
        if (leftMs > 0 && (await grants.wait(sale.binding.key, leftMs))) break;
        return later("settlement_pending", "This payment is being worked on.", {
          retryAfterSeconds: pendingRetrySeconds,
        });
      }
    }
  }
}

/** Does one holder's work; whatever happens, the lease does not stay behind. */
async function work(
  at: Surroundings,
  sale: Sale,
  lease: Lease,
  deadlineMs: number,
): Promise<Response> {
  try {
    const paid = await collect(at, sale, lease, deadlineMs);
    if (paid instanceof Response) return paid;
    return await deliver(at, sale, { lease, receipt: paid, facts: factsOf(sale, paid) });
  } finally {
    await lease.leave();
  }
}

/** Gets the money: the receipt of the confirmed transfer, or the answer that there is none yet. */
async function collect(
  at: Surroundings,
  sale: Sale,
  lease: Lease,
  deadlineMs: number,
): Promise<SettleResponse | Response> {
  if (lease.state === "paid" && lease.receipt) return lease.receipt;
  const isResumed = lease.state === "settling";
  if (!isResumed) {
    const unverified = await verify(at, sale, lease, deadlineMs);
    if (unverified) return unverified;
    await lease.settling();
  }
  let pending = lease.receipt;
  const { settled, isReplay } = await settleSale(at, sale, {
    deadlineMs,
    ...(pending ? { known: pending } : {}),
    onPending: (receipt) => {
      pending = receipt;
      return lease.settling(receipt);
    },
  });
  // Somebody else presented the payment first, and it opens the response for him.
  const isForeign = isReplay && !isResumed;
  if (settled.kind === "confirmed" && !isForeign) {
    await lease.paid(settled.receipt);
    return settled.receipt;
  }
  if (isResumed && settled.kind === "failed" && isNonceUsed(settled.receipt.errorReason)) {
    // After a send without an answer this may well be our own transfer: it stays unknown.
    return alreadySettled(settled.receipt);
  }
  const isUnsent = settled.kind === "account" && !isResumed && !pending;
  if (settled.kind === "failed" || isUnsent || isForeign) await lease.release();
  return answerUnpaid(at, sale, settled, pending);
}

/** Asks whether the payment is good. Undefined when it is; else the answer, the claim released. */
async function verify(
  at: Surroundings,
  sale: Sale,
  lease: Lease,
  deadlineMs: number,
): Promise<Response | undefined> {
  const outcome = await at.facilitator.verify(sale.request, {
    timeoutMs: deadlineMs - at.clock.now(),
  });
  const isValid = outcome.kind === "verdict" && outcome.verdict.isValid;
  if (isValid && deadlineMs - at.clock.now() >= callMsMin) return undefined;
  try {
    const { url } = sale.terms.resource;
    if (outcome.kind === "fault") return answerFault(at, url, outcome, { what: unchecked });
    if (outcome.kind === "account") return answerAccountProblem(at, url, outcome, {});
    if (isValid)
      return later("facilitator_unavailable", untouched, { retryAfterSeconds: faultRetrySeconds });
    if (isNonceUsed(outcome.verdict.invalidReason)) {
      return await findOut(at, sale, outcome.verdict, deadlineMs);
    }
    return challenge(sale.terms, whyInvalid(outcome.verdict));
  } finally {
    // Not before the answer is known: until then, repeats of the payment wait.
    await lease.release();
  }
}

/**
 * The payment is used, and not by a grant of ours: perhaps before this process started. Settling
 * it again moves nothing, and tells what became of it. The content stays closed: whoever it was
 * opened for may have it already.
 */
async function findOut(
  at: Surroundings,
  sale: Sale,
  verdict: VerifyResponse,
  deadlineMs: number,
): Promise<Response> {
  const { settled } = await settleSale(at, sale, { deadlineMs, onPending: async () => undefined });
  if (settled.kind === "failed" && settled.receipt.transaction === "") {
    return challenge(sale.terms, whyInvalid(verdict));
  }
  return answerUnpaid(at, sale, settled);
}

function settleSale(
  { facilitator, clock }: Surroundings,
  { request, offer, payment }: Sale,
  wait: {
    readonly deadlineMs: number;
    readonly known?: SettleResponse;
    readonly onPending: (receipt: SettleResponse) => Promise<void>;
  },
): Promise<Settlement> {
  const { network } = offer;
  const { networkName } = payment;
  const payer = payment.authorization.from;
  const about = { request, network, networkName, payer };
  return settleAndWait({ facilitator, clock }, { ...about, ...wait });
}

/** The answer to a payment that opened nothing. */
function answerUnpaid(
  at: Surroundings,
  sale: Sale,
  settled: Settled,
  pending?: SettleResponse,
): Response {
  const { url } = sale.terms.resource;
  const receipt = pending ? { receipt: pending } : {};
  if (settled.kind === "fault") return answerFault(at, url, settled, receipt);
  if (settled.kind === "account") return answerAccountProblem(at, url, settled, receipt);
  if (settled.kind === "failed") return answerFailed(at, sale, settled.receipt);
  if (settled.kind === "confirmed") return alreadySettled(settled.receipt);
  return later("settlement_pending", "The transfer is under way.", {
    receipt: settled.receipt,
    retryAfterSeconds: pendingRetrySeconds,
  });
}

function answerFailed(at: Surroundings, sale: Sale, receipt: SettleResponse): Response {
  at.emit({ type: "failed", url: sale.terms.resource.url, receipt });
  const { errorReason, errorMessage, transaction } = receipt;
  // Used, with the hash that used it: the money moved, so this must not ask for more.
  if (isNonceUsed(errorReason) && transaction !== "") return alreadySettled(receipt);
  const why = { error: errorReason ?? "settlement_failed", ...message(errorMessage) };
  return challenge(sale.terms, why, receipt);
}

function answerFault(
  at: Surroundings,
  url: string,
  fault: Fault,
  { what = unknown, ...receipt }: { what?: string; receipt?: SettleResponse },
): Response {
  at.emit({ type: "facilitator_fault", url, fault });
  const retryAfterSeconds = fault.retryAfterSeconds ?? faultRetrySeconds;
  return later("facilitator_unavailable", what, { ...receipt, retryAfterSeconds });
}

/** Says nothing of credits or plans to the buyer, and nothing of a failed payment: neither is his. */
function answerAccountProblem(
  at: Surroundings,
  url: string,
  problem: AccountProblem,
  receipt: { receipt?: SettleResponse },
): Response {
  at.emit({ type: "account_problem", url, problem });
  const what = receipt.receipt ? "The transfer is under way." : untouched;
  return later("seller_account_problem", what, {
    ...receipt,
    retryAfterSeconds: accountRetrySeconds,
  });
}

const unknown = "What became of the payment is not known yet.";
const unchecked = "The payment could not be checked yet. It was not taken.";
const untouched = "The seller cannot take payments at the moment. Yours was not taken.";

function later(
  error: "busy" | "settlement_pending" | "facilitator_unavailable" | "seller_account_problem",
  what: string,
  more: { readonly receipt?: SettleResponse; readonly retryAfterSeconds: number },
): Response {
  const message = `${what} Repeat the request with the same payment; do not sign a new one.`;
  return say(503, { error, message, retryable: true }, more);
}

function alreadyDelivered(receipt: SettleResponse): Response {
  const message = "This payment has opened its one response, which is not kept any more.";
  return say(409, { error: "already_delivered", message, retryable: false }, { receipt });
}

function alreadySettled(receipt: SettleResponse): Response {
  const message =
    "This payment was used before, and this server does not know for which request. " +
    "If you did not get your content, show the seller the receipt in this answer's headers.";
  return say(409, { error: "already_settled", message, retryable: false }, { receipt });
}

const nonceUsedReasons = new Set(["nonce_already_used", x402ReasonOf("nonce_already_used")]);

function isNonceUsed(reason: string | undefined): boolean {
  return reason !== undefined && nonceUsedReasons.has(reason);
}

function whyInvalid({ invalidReason, invalidMessage }: VerifyResponse) {
  return { error: invalidReason ?? "payment_invalid", ...message(invalidMessage) };
}

function message(text: string | undefined): { message?: string } {
  return text === undefined ? {} : { message: text };
}

function factsOf({ payment, offer }: Sale, receipt: SettleResponse): PaidRequest {
  const settlementId = settlementIdOf(receipt);
  return {
    payer: payment.authorization.from,
    amount: offer.amount.toString(),
    network: offer.network.id,
    transaction: receipt.transaction,
    ...(settlementId === undefined ? {} : { settlementId }),
  };
}
