/** Getting the money of one claimed payment: verify, then settle and wait, recorded step by step. */
import { member, refusal, type SettleResponse } from "@farthing/protocol";
import { reasonOf } from "../responses.ts";
import type { VerifyOutcome } from "../facilitator.ts";
import { overMsMin } from "../payment-records/retention.ts";
import type { Lease, StoredResponse } from "../payment-records/payment-records.ts";
import { openerOf } from "../payment-records/proof.ts";
import { checkHeld, releaseClaim } from "./lost-lease.ts";
import {
  alreadySettled,
  accountProblemResult,
  faultResult,
  unpaidResult,
  ask,
  faultRetrySeconds,
  isCanceled,
  isExpired,
  isNonceUsed,
  later,
  outcomeUnknown,
  stillOpen,
  unchecked,
  untouched,
  whyInvalid,
} from "./open-responses.ts";
import {
  undecided,
  type ExchangeDeps,
  type ExchangeResult,
  type MatchedPayment,
} from "./paid-request.ts";
import {
  callMsMin,
  settleAndWait,
  settlementIdOf,
  type Settled,
  type Settlement,
} from "./settle.ts";

/** What came of settling. */
export type Collection =
  | {
      readonly kind: "paid";
      readonly receipt: SettleResponse;
      /** The engine has stored the settlement, and it is not confirmed yet. */
      readonly isQueued?: boolean;
    }
  /** This payment opens nothing here; the response says why. */
  | { readonly kind: "refused"; readonly result: ExchangeResult }
  /** The outcome is not known yet. The record stays as it is, and settling again is safe. */
  | { readonly kind: "open"; readonly result: ExchangeResult };

/** Asks whether the payment is good. Undefined when it is; else the answer, the claim released. */
export async function verify(
  deps: ExchangeDeps,
  matched: MatchedPayment,
  lease: Lease,
  deadlineMs: number,
): Promise<ExchangeResult | undefined> {
  const untimely = checkTime(deps, matched);
  if (untimely) {
    await releaseClaim(lease);
    return ask(matched.terms, untimely);
  }
  const outcome = await deps.facilitator.verify(matched.request, {
    timeoutMs: deadlineMs - deps.clock.now(),
  });
  const isValid = outcome.kind === "verdict" && outcome.verdict.isValid;
  if (isValid) deps.wallets.remember(matched.payment);
  if (isValid && deadlineMs - deps.clock.now() >= callMsMin) return undefined;
  const response = await unverifiedResult(deps, matched, outcome, deadlineMs);
  // Not before the answer is known: until then, repeats of the payment wait.
  await releaseClaim(lease);
  return response;
}

/**
 * How far this server's clock may be wrong, in milliseconds, before it refuses good payments by
 * itself: within it the facilitator judges, by the clock of the chain.
 */
const clockErrorMsMax = 90_000;

/** Refuses an authorization that is certainly not valid now, before anybody is asked about it. */
function checkTime(
  { clock }: ExchangeDeps,
  { payment: { authorization }, binding: { validBeforeMs } }: MatchedPayment,
): { readonly error: string; readonly message: string } | undefined {
  const nowMs = clock.now();
  if (validBeforeMs + clockErrorMsMax <= nowMs) return reasonOf(refusal("authorization_expired"));
  const isEarly = authorization.validAfter * 1000n > BigInt(nowMs + clockErrorMsMax);
  return isEarly ? reasonOf(refusal("authorization_not_yet_valid")) : undefined;
}

async function unverifiedResult(
  deps: ExchangeDeps,
  matched: MatchedPayment,
  outcome: VerifyOutcome,
  deadlineMs: number,
): Promise<ExchangeResult> {
  if (outcome.kind === "fault") return faultResult(outcome, { what: unchecked });
  if (outcome.kind === "account") return accountProblemResult(outcome, {});
  const { verdict } = outcome;
  if (verdict.isValid) {
    const more = { retryAfterSeconds: faultRetrySeconds };
    return undecided(later("facilitator_unavailable", untouched, more));
  }
  return isNonceUsed(verdict.invalidReason)
    ? resolveOutcome(deps, matched, deadlineMs)
    : ask(matched.terms, whyInvalid(verdict));
}

/**
 * The payment is used, and not by a record of ours: perhaps before this process started. Settling
 * it again moves nothing, and tells what became of it. The content stays closed: whoever it was
 * opened for may have it already.
 */
async function resolveOutcome(
  deps: ExchangeDeps,
  matched: MatchedPayment,
  deadlineMs: number,
): Promise<ExchangeResult> {
  // Under no name: this record has claimed nothing, and takes no success for its own.
  const wait = { deadlineMs, onPending: async () => undefined };
  const { settled } = await settleMatched(deps, matched, wait);
  const isAmbiguous =
    settled.kind === "failed" && !isProven(settled.receipt) && !isCanceled(settled.receipt);
  // Whatever is in the way of a transfer now, the token has said that there was one.
  if (isAmbiguous) return alreadySettled(settled.receipt);
  return unpaidResult(matched, settled);
}

/**
 * Settles a payment that was verified, or whose settlement an earlier holder left open, and waits
 * for the outcome. An `answer` that was made before is kept with the record before anything is sent.
 */
export async function settleClaim(
  deps: ExchangeDeps,
  matched: MatchedPayment,
  lease: Lease,
  { deadlineMs, response }: { readonly deadlineMs: number; readonly response?: StoredResponse },
): Promise<Collection> {
  if (lease.state === "paid" && lease.receipt) return { kind: "paid", receipt: lease.receipt };
  const isResumed = lease.state === "settling";
  if (!isResumed) checkHeld(await lease.settling(response ? { response } : {}));
  const { exchangeKey } = lease;
  let pending = lease.receipt;
  const { settled, isForeign, isUnsent } = await settleMatched(deps, matched, {
    deadlineMs,
    isHeld: isUnprovable(matched),
    endsQueued: matched.servesQueued,
    ...(exchangeKey === undefined ? {} : { exchangeKey }),
    ...(pending ? { known: pending } : {}),
    onPending: async (receipt) => {
      pending = receipt;
      checkHeld(await lease.settling({ receipt }));
    },
  });
  // Another exchange presented the payment first, and it opens the response there. A record of an
  // earlier version has no name: what its first call was told is not known any more.
  const isOthers = isForeign && !(isResumed && exchangeKey === undefined);
  if (settled.kind === "confirmed" && !isOthers) {
    return { kind: "paid", receipt: settled.receipt };
  }
  if (
    matched.servesQueued &&
    settled.kind === "pending" &&
    !isOthers &&
    isProven(settled.receipt)
  ) {
    return { kind: "paid", receipt: settled.receipt, isQueued: true };
  }
  if (isResumed && settled.kind === "failed") {
    const ambiguous = ambiguousResult(deps, matched, settled.receipt);
    if (ambiguous) return ambiguous;
  }
  // A call that was lost, or answered by a proxy, may still have moved the money.
  const isReleased = isUnsent && !isResumed && !pending;
  const isOver = settled.kind === "failed" || isReleased || isOthers;
  const result = unpaidResult(matched, settled, pending);
  if (isOver) await releaseClaim(lease);
  else if (isUnavailable(settled) && !isResumed && !pending) {
    await lease.settling({ isDispensable: true });
  }
  if (!isOver) deps.background.closeLater(matched);
  return { kind: isOver ? "refused" : "open", result };
}

/** Whether the facilitator itself says that it can do nothing at the moment. */
function isUnavailable(settled: Settled): boolean {
  return "certainty" in settled && settled.certainty === "unavailable";
}

/** Whether no later request could prove that it comes from the same buyer. */
function isUnprovable({ access: { proof, rule } }: MatchedPayment): boolean {
  return rule !== "anyone" && Object.keys(openerOf(proof)).length === 0;
}

/**
 * What is doubtful about a refusal after a send without an answer: its cause may well be our own
 * transfer, which has used the nonce and emptied the wallet, and the first call may even be still
 * on its way. Undefined for a failure that can be believed.
 */
function ambiguousResult(
  deps: ExchangeDeps,
  matched: MatchedPayment,
  receipt: SettleResponse,
): Collection | undefined {
  const { errorReason } = receipt;
  if (isNonceUsed(errorReason)) {
    return { kind: "refused", result: alreadySettled(receipt) };
  }
  if (isProven(receipt)) return undefined;
  const isOver = deps.clock.now() >= matched.binding.validBeforeMs + overMsMin;
  if (hasLookedItUp(receipt)) {
    return isOver ? undefined : { kind: "open", result: stillOpen() };
  }
  return isOver || isExpired(errorReason)
    ? { kind: "refused", result: outcomeUnknown(receipt) }
    : { kind: "open", result: stillOpen() };
}

/** Whether a failure names what has failed: a transaction, or a settlement in its book. */
function isProven(receipt: SettleResponse): boolean {
  return receipt.transaction !== "" || settlementIdOf(receipt) !== undefined;
}

/**
 * Whether a refusal comes from Farthing's own facilitator, which names it in both ways: it refuses
 * nothing before it has looked into its book, and no authorization as expired before it has asked
 * the token whether it was used. Other facilitators look at the time first and at the nonce never.
 */
function hasLookedItUp({ extra }: SettleResponse): boolean {
  return extra !== undefined && typeof member(extra, "x402Reason") === "string";
}

/** Settles a matched payment and waits for the outcome. */
export function settleMatched(
  { facilitator, clock }: ExchangeDeps,
  { request, offer, payment }: MatchedPayment,
  wait: {
    readonly deadlineMs: number;
    readonly exchangeKey?: string;
    readonly isHeld?: boolean;
    readonly endsQueued?: boolean;
    readonly isInBackground?: boolean;
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
