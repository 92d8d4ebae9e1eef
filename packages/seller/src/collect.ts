/** Getting the money of one claimed payment: verify, then settle and wait, recorded step by step. */
import type { SettleResponse, VerifyResponse } from "@farthing/protocol";
import type { Lease, StoredAnswer } from "./grants.ts";
import {
  alreadySettled,
  answerAccountProblem,
  answerFault,
  answerUnpaid,
  ask,
  faultRetrySeconds,
  isExpired,
  isNonceUsed,
  later,
  outcomeUnknown,
  unchecked,
  untouched,
  whyInvalid,
} from "./open-answers.ts";
import type { Purchase, Surroundings } from "./sale.ts";
import { callMsMin, settleAndWait, settlementIdOf, type Settlement } from "./settle.ts";

/** What came of settling. */
export type Collected =
  | { readonly kind: "paid"; readonly receipt: SettleResponse }
  /** This payment opens nothing here; the answer says why. */
  | { readonly kind: "refused"; readonly response: Response }
  /** The outcome is not known yet. The grant stays as it is, and settling again is safe. */
  | { readonly kind: "open"; readonly response: Response };

/** Somebody else has the grant, because this process was not heard of for too long. */
export class LeaseLostError extends Error {
  constructor() {
    super("The lease on this payment has expired.");
    this.name = "LeaseLostError";
  }
}

/** Throws {@link LeaseLostError} when a call of a lease took no effect. */
export function checkHeld(isHeld: boolean): void {
  if (!isHeld) throw new LeaseLostError();
}

/** Asks whether the payment is good. Undefined when it is; else the answer, the claim released. */
export async function verify(
  at: Surroundings,
  purchase: Purchase,
  lease: Lease,
  deadlineMs: number,
): Promise<Response | undefined> {
  const outcome = await at.facilitator.verify(purchase.request, {
    timeoutMs: deadlineMs - at.clock.now(),
  });
  const isValid = outcome.kind === "verdict" && outcome.verdict.isValid;
  if (isValid && deadlineMs - at.clock.now() >= callMsMin) return undefined;
  try {
    const { url } = purchase.terms.resource;
    if (outcome.kind === "fault") return answerFault(at, url, outcome, { what: unchecked });
    if (outcome.kind === "account") return answerAccountProblem(at, url, outcome, {});
    if (isValid)
      return later("facilitator_unavailable", untouched, { retryAfterSeconds: faultRetrySeconds });
    if (isNonceUsed(outcome.verdict.invalidReason)) {
      return await findOut(at, purchase, outcome.verdict, deadlineMs);
    }
    return ask(at, purchase.terms, whyInvalid(outcome.verdict));
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
  purchase: Purchase,
  verdict: VerifyResponse,
  deadlineMs: number,
): Promise<Response> {
  const wait = { deadlineMs, onPending: async () => undefined };
  const { settled } = await settlePurchase(at, purchase, wait);
  if (settled.kind === "failed" && settled.receipt.transaction === "") {
    return ask(at, purchase.terms, whyInvalid(verdict));
  }
  return answerUnpaid(at, purchase, settled);
}

/**
 * Settles a payment that was verified, or whose settlement an earlier holder left open, and waits
 * for the outcome. An `answer` that was made before is kept with the grant before anything is sent.
 */
export async function collect(
  at: Surroundings,
  purchase: Purchase,
  lease: Lease,
  { deadlineMs, answer }: { readonly deadlineMs: number; readonly answer?: StoredAnswer },
): Promise<Collected> {
  if (lease.state === "paid" && lease.receipt) return { kind: "paid", receipt: lease.receipt };
  const isResumed = lease.state === "settling";
  if (!isResumed) checkHeld(await lease.settling(answer ? { answer } : {}));
  let pending = lease.receipt;
  const { settled, isReplay } = await settlePurchase(at, purchase, {
    deadlineMs,
    ...(pending ? { known: pending } : {}),
    onPending: async (receipt) => {
      pending = receipt;
      checkHeld(await lease.settling({ receipt }));
    },
  });
  // Somebody else presented the payment first, and it opens the response for him.
  const isForeign = isReplay && !isResumed;
  if (settled.kind === "confirmed" && !isForeign) {
    return { kind: "paid", receipt: settled.receipt };
  }
  if (isResumed && settled.kind === "failed") {
    const { receipt } = settled;
    const response = answerDoubtful(receipt);
    if (response) return { kind: "refused", response };
  }
  const isUnsent = settled.kind === "account" && !isResumed && !pending;
  const isOver = settled.kind === "failed" || isUnsent || isForeign;
  const response = answerUnpaid(at, purchase, settled, pending);
  if (isOver) await lease.release();
  return { kind: isOver ? "refused" : "open", response };
}

/**
 * What is doubtful about a refusal after a send without an answer: the refusal's cause may well be
 * our own transfer. Some facilitators look at the time first and at the nonce never. Undefined for
 * a failure that can be believed.
 */
function answerDoubtful(receipt: SettleResponse): Response | undefined {
  const { errorReason, transaction } = receipt;
  if (isNonceUsed(errorReason)) return alreadySettled(receipt);
  const isProven = transaction !== "" || settlementIdOf(receipt) !== undefined;
  return isExpired(errorReason) && !isProven ? outcomeUnknown(receipt) : undefined;
}

function settlePurchase(
  { facilitator, clock }: Surroundings,
  { request, offer, payment }: Purchase,
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
