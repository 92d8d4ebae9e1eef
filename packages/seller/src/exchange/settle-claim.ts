/** Settles one claimed payment: verify, settle and wait, with a record of each step. */
import {
  defined,
  member,
  paymentIdentifierName,
  refusal,
  type SettleResponse,
} from "@farthing/protocol";
import { sha256OfText } from "../sha256.ts";
import { reasonOf } from "../responses.ts";
import { runHooks } from "../extensions/hooks.ts";
import {
  memberNamed,
  noteResult,
  othersOf,
  verifyInOrder,
  type FacilitatorOrder,
  type Member,
  type Verified,
} from "../facilitator-order.ts";
import { evaluationTime } from "../facilitator-time.ts";
import { minOverMs } from "../payment-records/retention.ts";
import type { Lease, StoredResponse } from "../payment-records/rules/payment-records.ts";
import { openerOf } from "../payment-records/rules/proof.ts";
import { checkHeld, releaseClaim } from "./lost-lease.ts";
import {
  accountProblemResult,
  alreadySettled,
  ask,
  facilitatorMissing,
  identifierConflict,
  identifierTaken,
  isCanceled,
  isExpired,
  isNonceUsed,
  laterUntaken,
  outcomeUnknown,
  stillOpen,
  uncheckedResult,
  undecided,
  unpaidResult,
  untouched,
  whyInvalid,
} from "./open-responses.ts";
import {
  factsBefore,
  type ExchangeDeps,
  type ExchangeResult,
  type MatchedPayment,
} from "./paid-request.ts";
import { refuseOverLimit } from "./payer-limit.ts";
import {
  minCallMs,
  settleAndWait,
  settlementIdOf,
  type Settlement,
  type Settling,
} from "./settle.ts";

export type Collection =
  | {
      readonly kind: "paid";
      readonly receipt: SettleResponse;
      /** The engine has stored the settlement, and it is not confirmed yet. */
      readonly isQueued?: boolean;
    }
  /** This payment opens nothing here. */
  | { readonly kind: "refused"; readonly result: ExchangeResult }
  /** The outcome is unknown. The record stays as it is, and settling again is safe. */
  | { readonly kind: "open"; readonly result: ExchangeResult };

/**
 * Verifies a payment. Returns the facilitator that found it valid, which is the one to settle it;
 * else releases the claim and returns the result for the buyer.
 */
export async function verify(
  deps: ExchangeDeps,
  matched: MatchedPayment,
  lease: Lease,
  deadlineMs: number,
): Promise<ExchangeResult | Member> {
  const untimely = checkTime(deps, matched);
  if (untimely) {
    await releaseClaim(lease);
    return ask(matched.terms, untimely);
  }
  const refused = await refuseByHook(deps, matched, lease, "beforeVerify");
  if (refused) return refused;
  const asked = await askToVerify(deps, matched, deps.facilitators, deadlineMs);
  const { member, outcome } = asked;
  const isValid = outcome.kind === "verdict" && outcome.verdict.isValid;
  if (isValid) deps.wallets.remember(matched.payment);
  const isInTime = isValid && deadlineMs - deps.clock.now() >= minCallMs;
  const limited = isInTime ? refuseOverLimit(deps, factsBefore(matched)) : undefined;
  if (limited) {
    await releaseClaim(lease);
    return limited;
  }
  // Only now: a forged payment must not take the identifier of another one.
  const isNamed = isInTime && (await takeIdentifier(deps, matched));
  if (isNamed) return (await refuseByHook(deps, matched, lease, "afterVerify")) ?? member;
  const response = isInTime
    ? identifierTaken()
    : await unverifiedResult(deps, matched, asked, deadlineMs);
  // Released last, so that repeats of the payment wait for the result.
  await releaseClaim(lease);
  return response;
}

function askToVerify(
  { clock, emit }: ExchangeDeps,
  { request, terms }: MatchedPayment,
  members: FacilitatorOrder,
  deadlineMs: number,
): Promise<Verified> {
  return verifyInOrder(members, request, {
    clock,
    deadlineMs,
    onSkipped: (_skipped, failure, { name: next = "another" }) =>
      emit({ type: "facilitator_skipped", url: terms.resource.url, failure, next }),
  });
}

/** Whether the buyer's identifier, where there is one, stands for this payment. */
async function takeIdentifier({ records }: ExchangeDeps, matched: MatchedPayment) {
  const { identifier, payment, binding } = matched;
  if (identifier === undefined) return true;
  // As at the facilitator: of one payer, to one payee.
  const { from, to } = payment.authorization;
  const parts = [paymentIdentifierName, from.toLowerCase(), to.toLowerCase(), identifier];
  return records.identify(await sha256OfText(JSON.stringify(parts)), binding);
}

/** Asks the extensions before the money moves. A refusal, or a hook that fails, takes no payment. */
async function refuseByHook(
  deps: ExchangeDeps,
  matched: MatchedPayment,
  lease: Lease,
  name: "beforeVerify" | "afterVerify" | "beforeSettle",
): Promise<ExchangeResult | undefined> {
  let refused: ExchangeResult | undefined;
  try {
    const message = await runHooks(deps.extensions, name, matched, factsBefore(matched));
    if (message === undefined) return undefined;
    refused = ask(matched.terms, { error: "extension_refused", message });
  } catch (error) {
    refused = { response: laterUntaken("busy", untouched), outcome: { type: "broken", error } };
  }
  await releaseClaim(lease);
  return refused;
}

/** Refuses an authorization that is certainly not valid now, without a call. */
function checkTime(
  deps: ExchangeDeps,
  { payment: { authorization }, binding: { validBeforeMs } }: MatchedPayment,
): { readonly error: string; readonly message: string } | undefined {
  const { nowMs, maxErrorMs } = evaluationTime(deps);
  if (validBeforeMs + maxErrorMs <= nowMs) return reasonOf(refusal("authorization_expired"));
  const isEarly = authorization.validAfter * 1000n > BigInt(nowMs + maxErrorMs);
  return isEarly ? reasonOf(refusal("authorization_not_yet_valid")) : undefined;
}

async function unverifiedResult(
  deps: ExchangeDeps,
  matched: MatchedPayment,
  { member, outcome }: Verified,
  deadlineMs: number,
): Promise<ExchangeResult> {
  if (outcome.kind === "fault") return uncheckedResult(outcome);
  if (outcome.kind === "account") return accountProblemResult(outcome, {});
  const { verdict } = outcome;
  if (verdict.isValid) return undecided(laterUntaken("facilitator_unavailable", untouched));
  if (verdict.invalidReason === identifierConflict) return identifierTaken();
  return isNonceUsed(verdict.invalidReason)
    ? resolveOutcome(deps, member, matched, deadlineMs)
    : ask(matched.terms, whyInvalid(verdict));
}

/**
 * Resolves a used payment without a record, perhaps from before this process started. Settling it
 * again moves nothing and returns the outcome. The content stays closed: another request may have
 * received it.
 */
async function resolveOutcome(
  deps: ExchangeDeps,
  member: Member,
  matched: MatchedPayment,
  deadlineMs: number,
) {
  // Without an exchange key, because this record must not take a success as its own.
  const wait = { deadlineMs, onPending: async () => undefined };
  const { settled } = await settleMatched(deps, member, matched, wait);
  const isAmbiguous =
    settled.kind === "failed" && !isProven(settled.receipt) && !isCanceled(settled.receipt);
  // Whatever prevents a transfer now, the token has reported an earlier one.
  if (isAmbiguous) return alreadySettled(settled.receipt);
  return unpaidResult(matched, settled);
}

export interface Claiming {
  readonly deadlineMs: number;
  /** Kept before anything is sent. */
  readonly response?: StoredResponse;
  /** The facilitator that found the payment valid; absent where an earlier request sent it. */
  readonly verifiedBy?: Member;
}

/** Settles a payment and waits. A payment that was sent before stays with its facilitator. */
export async function settleClaim(
  deps: ExchangeDeps,
  matched: MatchedPayment,
  lease: Lease,
  claiming: Claiming,
): Promise<Collection> {
  if (lease.state === "paid" && lease.receipt) return { kind: "paid", receipt: lease.receipt };
  const isResumed = lease.state === "settling";
  const member = claiming.verifiedBy ?? memberNamed(deps.facilitators, lease.facilitator);
  if (!member) return { kind: "open", result: facilitatorMissing(lease) };
  const refused = isResumed ? undefined : await refuseByHook(deps, matched, lease, "beforeSettle");
  if (refused) return { kind: "refused", result: refused };
  const { response } = claiming;
  if (!isResumed)
    checkHeld(await lease.settling({ ...stepTo(deps, member), ...defined({ response }) }));
  const { exchangeKey } = lease;
  const sent = await sendInOrder(deps, matched, lease, { ...claiming, member });
  const { settled, isForeign, isUnsent, pending } = sent;
  // Another exchange presented the payment first, and it opens the response there. Records of
  // earlier versions have no key, so their first result is unknown.
  const isOthers = isForeign && !(isResumed && exchangeKey === undefined);
  const isConfirmed = settled.kind === "confirmed";
  const isQueued = matched.servesQueued && settled.kind === "pending" && isProven(settled.receipt);
  if ((isConfirmed || isQueued) && !isOthers) {
    return { kind: "paid", receipt: settled.receipt, isQueued };
  }
  if (isResumed && settled.kind === "failed") {
    const ambiguous = ambiguousResult(deps, matched, settled.receipt);
    if (ambiguous) return ambiguous;
  }
  // A lost call, or one that a proxy answered, may still have moved the money.
  const isReleased = isUnsent && !isResumed && !pending;
  const isOver = settled.kind === "failed" || isReleased || isOthers;
  const result = unpaidResult(matched, settled, pending);
  if (isOver) await releaseClaim(lease);
  else {
    const isUnavailable = "certainty" in settled && settled.certainty === "unavailable";
    if (isUnavailable && !isResumed && !pending) await lease.settling({ isDispensable: true });
    deps.background.closeLater(matched);
  }
  return { kind: isOver ? "refused" : "open", result };
}

/** Names the facilitator in the record. Earlier versions would ask their first one. */
function stepTo({ facilitators }: ExchangeDeps, { name }: Member) {
  const isFirst = facilitators[0].name === name;
  return defined({ facilitator: name, isForLaterVersions: isFirst ? undefined : true });
}

/**
 * Sends a payment to the facilitator that verified it. Only where that one certainly has not taken
 * it, which it says itself or no connection was opened, the next one verifies and settles it.
 */
async function sendInOrder(
  deps: ExchangeDeps,
  matched: MatchedPayment,
  lease: Lease,
  { deadlineMs, member: first }: Claiming & { readonly member: Member },
) {
  const { exchangeKey } = lease;
  const isResumed = lease.state === "settling";
  const tried = new Set([first]);
  let pending = lease.receipt;
  for (let member = first; ;) {
    const others = isResumed ? undefined : othersOf(deps.facilitators, tried);
    const settlement = await settleMatched(deps, member, matched, {
      deadlineMs,
      isHeld: isUnprovable(matched),
      hasOther: others !== undefined,
      endsQueued: matched.servesQueued,
      ...defined({ exchangeKey, known: pending }),
      onPending: async (receipt) => {
        pending = receipt;
        checkHeld(await lease.settling({ receipt }));
      },
    });
    const { settled, isUntaken } = settlement;
    const isUnsent = settlement.isUnsent || (isUntaken && tried.size > 1);
    noteResult(member, settled, "settle", deps.clock.now());
    const end = { ...settlement, isUnsent, pending };
    const isPassedOn =
      isUntaken && !pending && (settled.kind === "fault" || settled.kind === "account");
    if (!others || !isPassedOn) return end;
    const { member: next, outcome } = await askToVerify(deps, matched, others, deadlineMs);
    // The record still names a facilitator that has not taken the payment, so it may be forgotten.
    if (outcome.kind !== "verdict" || !outcome.verdict.isValid) return { ...end, isUnsent: true };
    const { url } = matched.terms.resource;
    deps.emit({ type: "facilitator_skipped", url, failure: settled, next: next.name ?? "another" });
    checkHeld(await lease.settling(stepTo(deps, next)));
    tried.add(next);
    member = next;
  }
}

/** Whether no later request could prove that it comes from the same buyer. */
function isUnprovable({ access: { proof, rule } }: MatchedPayment): boolean {
  return rule !== "anyone" && Object.keys(openerOf(proof)).length === 0;
}

/** Handles a failure after a lost call, which may have caused it. Undefined if reliable. */
function ambiguousResult(
  deps: ExchangeDeps,
  matched: MatchedPayment,
  receipt: SettleResponse,
): Collection | undefined {
  const { errorReason } = receipt;
  if (isNonceUsed(errorReason)) return { kind: "refused", result: alreadySettled(receipt) };
  if (isProven(receipt)) return undefined;
  const isOver = evaluationTime(deps).nowMs >= matched.binding.validBeforeMs + minOverMs;
  const isLookedUp = hasLookedItUp(receipt);
  if (isOver && isLookedUp) return undefined;
  return isOver || (!isLookedUp && isExpired(errorReason))
    ? { kind: "refused", result: outcomeUnknown(receipt) }
    : { kind: "open", result: stillOpen() };
}

/** Whether a failure names a transaction or a settlement. */
function isProven(receipt: SettleResponse): boolean {
  return receipt.transaction !== "" || settlementIdOf(receipt) !== undefined;
}

/**
 * Whether a refusal comes from Farthing's own facilitator. It looks up the settlement before it
 * refuses, and asks the token about the nonce before it reports an authorization as expired. Other
 * facilitators check the time first and the nonce never.
 */
function hasLookedItUp({ extra }: SettleResponse): boolean {
  return extra !== undefined && typeof member(extra, "x402Reason") === "string";
}

export function settleMatched(
  { clock }: ExchangeDeps,
  { client: facilitator }: Member,
  { request, offer: { network }, payment, books }: MatchedPayment,
  wait: Omit<Settling, "request" | "network" | "networkName" | "payer" | "books">,
): Promise<Settlement> {
  const { networkName } = payment;
  const payer = payment.authorization.from;
  return settleAndWait(
    { facilitator, clock },
    { request, network, networkName, payer, books, ...wait },
  );
}
