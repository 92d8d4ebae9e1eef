/** One call of /settle as an exchange: what its response says, and who else may report the success. */
import type { Clock } from "../base/clock.ts";
import type { ClaimingCall, Settlement } from "../model/settlement.ts";
import {
  lastingWriters,
  type ExchangeFacts,
  type ExchangeQuestion,
  type SuccessTelling,
} from "../storage/exchange-store.ts";
import type { Presentation, RepeatPolicy, SettleCall, SettleCallTerms } from "./exchange-calls.ts";
import { writingMs, type OwnCalls } from "./claiming-calls.ts";

/** What a call works with. */
export interface SettleCallDeps {
  readonly policy: RepeatPolicy;
  readonly clock: Clock;
  readonly ownCalls: OwnCalls;
  findFacts(question: ExchangeQuestion): Promise<ExchangeFacts>;
  takeSuccess(telling: SuccessTelling): Promise<boolean>;
  /** The same; gives it back by itself when the response was not written whole. */
  take(telling: SuccessTelling, delivered: Promise<boolean>): Promise<boolean>;
  release(telling: SuccessTelling): Promise<void>;
}

/**
 * A seller that polls begins within so many milliseconds after it was told "pending": until then no
 * repeat takes the success, or both would be told it.
 */
const pollBeginsMs = 1_500;

/**
 * A claiming call that does not wait for the outcome is answered within five seconds. One that has
 * not ended after this many milliseconds died with its process.
 */
const claimingCallMsMax = 6_000;

/** Pauses between two looks at what the call of another process came to, in milliseconds. */
const lookAgainMs = 250;

/** Longest wait of a repeat for calls that may report the success, in milliseconds. */
const decisionWaitMs = 10_000;

const whole: Presentation = { kind: "whole", hasId: true, isOwnExchange: false };

/** Creates a call. */
export function createSettleCall(terms: SettleCallTerms, deps: SettleCallDeps): SettleCall {
  const { writer, caller, idempotencyKey, isUpfront, delivered } = terms;
  const { policy, ownCalls, clock } = deps;
  const isKeyed = idempotencyKey !== null;
  /** The success, from the time this call may tell it. */
  let held: SuccessTelling | undefined;
  let isTold = false;
  /** It is known that this call did not tell the success. */
  let isReleased = isKeyed;
  /** The connection is closed, and the response reaches nobody. */
  let isLost = false;

  async function release(settlementId: string): Promise<void> {
    if (isReleased) return;
    isReleased = true;
    held = undefined;
    await deps.release({ settlementId, writer });
  }

  function claimed(settlementId: string): void {
    if (claimingCall.successToldTo === writer) held = { settlementId, writer };
    const ended = delivered.then((isWhole) => {
      isLost = !isWhole;
      return isWhole && isTold ? undefined : release(settlementId);
    });
    ownCalls.note(settlementId, ended);
  }

  /** The call that claimed the payment. */
  async function presentFirst(settlement: Settlement): Promise<Presentation> {
    if (settlement.state !== "confirmed") {
      // Before the response: a poll that follows it must find the success free.
      if (held) await release(settlement.id);
      return whole;
    }
    if (held || isLost || isKeyed || policy === "return") {
      isTold = held !== undefined;
      return whole;
    }
    const telling = { settlementId: settlement.id, writer };
    if (await deps.takeSuccess(telling)) {
      held = telling;
      isTold = true;
      // It may have been closed while the success was recorded.
      if (isLost) await deps.release(telling);
      return whole;
    }
    // A repeat was quicker, at another process.
    const facts = await deps.findFacts({ settlement, caller, idempotencyKey });
    return hasSeveralOf(facts) ? { kind: "facts", isPending: false } : whole;
  }

  function hasSeveralOf(facts: ExchangeFacts): boolean {
    return policy === "once" || facts.isUpfront || facts.hasSeveral;
  }

  async function presentRepeat(settlement: Settlement): Promise<Presentation> {
    if (policy === "return") return whole;
    const question = { settlement, caller, idempotencyKey };
    const facts = await deps.findFacts(question);
    const isConfirmed = settlement.state === "confirmed";
    if (facts.hasSameKey) return { kind: "whole", hasId: true, isOwnExchange: true };
    if (policy === "refuse" && isConfirmed) return { kind: "refused" };
    // Another exchange by its name, or by its flow: an upfront seller never asks /verify.
    if (isKeyed || (isUpfront && !facts.isUpfront)) {
      return { kind: "facts", isPending: false };
    }
    if (policy === "refuse" || !hasSeveralOf(facts)) {
      const telling = { settlementId: settlement.id, writer };
      if (isConfirmed && facts.successToldTo === null) await deps.take(telling, delivered);
      return whole;
    }
    if (!isConfirmed || !facts.isClaimant) return { kind: "facts", isPending: false };
    return presentOnce(question, facts);
  }

  /** The claiming caller asks again, and the success is told once. */
  async function presentOnce(
    question: ExchangeQuestion,
    before: ExchangeFacts,
  ): Promise<Presentation> {
    const { settlement } = question;
    const ownCall = ownCalls.find(settlement.id);
    if (ownCall && !(await endsInTime(ownCall, clock))) return { kind: "facts", isPending: true };
    const lastMs = clock.nowMs() + decisionWaitMs;
    let facts = ownCall ? await deps.findFacts(question) : before;
    for (;;) {
      const now = clock.nowMs();
      const openMs = openUntilMs(settlement, facts, ownCall !== undefined) - now;
      if (openMs <= 0) break;
      if (now >= lastMs) return { kind: "facts", isPending: true };
      await clock.sleep(Math.min(openMs, lookAgainMs));
      facts = await deps.findFacts(question);
    }
    const telling = { settlementId: settlement.id, writer };
    const isOurs = facts.successToldTo === null && (await deps.take(telling, delivered));
    return isOurs
      ? { kind: "whole", hasId: false, isOwnExchange: false }
      : { kind: "facts", isPending: false };
  }

  const claimingCall: ClaimingCall = {
    caller,
    idempotencyKey,
    isUpfront,
    successToldTo: isKeyed ? lastingWriters.key : terms.waitsForOutcome ? writer : null,
  };
  return {
    claimingCall,
    claimed,
    present: (settlement, isRepeat) =>
      isRepeat ? presentRepeat(settlement) : presentFirst(settlement),
  };
}

/**
 * Until when another call may still report the success of a confirmed settlement: one whose
 * response is being written, or a poll that is about to begin. Unix milliseconds.
 */
function openUntilMs(
  { createdAt, confirmedAt }: Settlement,
  { successToldTo, successMovedAt }: ExchangeFacts,
  hasOwnCallEnded: boolean,
): number {
  if (successToldTo === null) {
    return (successMovedAt ?? createdAt + claimingCallMsMax) + pollBeginsMs;
  }
  const isHeldSinceClaim = successMovedAt === null;
  if (isLasting(successToldTo) || (isHeldSinceClaim && hasOwnCallEnded)) return 0;
  return Math.max(confirmedAt ?? 0, successMovedAt ?? 0) + writingMs;
}

/** These never give it back. */
function isLasting(writer: string): boolean {
  return writer === lastingWriters.key || writer === lastingWriters.poll;
}

/** Whether a call ends within the time that its response takes. */
async function endsInTime(ending: Promise<void>, clock: Clock): Promise<boolean> {
  const waiting = new AbortController();
  const late = clock.sleep(writingMs, waiting.signal).then(() => false);
  try {
    return await Promise.race([ending.then(() => true), late]);
  } finally {
    waiting.abort();
  }
}
