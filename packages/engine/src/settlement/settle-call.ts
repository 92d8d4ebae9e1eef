/** Calls of /settle: their responses, and which other call may report the success. */
import type { Clock } from "../base/clock.ts";
import type { ClaimingCall, Settlement } from "../model/settlement.ts";
import {
  lastingWriters,
  type ExchangeFacts,
  type ExchangeQuestion,
  type SuccessReport,
} from "../storage/exchange-store.ts";
import type { Presentation, RepeatPolicy, SettleCall, SettleCallTerms } from "./exchange-calls.ts";

export interface SettleCallDeps {
  readonly policy: RepeatPolicy;
  readonly clock: Clock;
  readonly claimingCalls: ClaimingCalls;
  findFacts(question: ExchangeQuestion): Promise<ExchangeFacts>;
  takeSuccess(report: SuccessReport): Promise<boolean>;
  /** Takes the success and releases it by itself when the response was not written whole. */
  take(report: SuccessReport, delivered: Promise<boolean>): Promise<boolean>;
  release(report: SuccessReport): Promise<void>;
}

/** Within this time a call that took the success has responded or released it. */
const writingMs = 1_000;

/** A seller polls this soon after "pending"; a repeat that takes the success earlier repeats it. */
const pollBeginsMs = 1_500;

/** A claiming call that does not wait ends in 5 s; one open for longer died with its process. */
const maxClaimingCallMs = 6_000;

/** Pause between two reads of a call of another process. */
const pollMs = 250;

/** Longest wait of a repeat for calls that may report the success. */
const maxDecisionMs = 10_000;

const whole: Presentation = { kind: "whole", hasId: true, isOwnExchange: false };

export function createSettleCall(terms: SettleCallTerms, deps: SettleCallDeps): SettleCall {
  const { writer, caller, idempotencyKey, isUpfront, delivered } = terms;
  const { policy } = deps;
  const isKeyed = idempotencyKey !== null;
  /** The success, once this call may report it. */
  let held: SuccessReport | undefined;
  let isReported = false;
  /** It is known that this call did not report the success. */
  let isReleased = isKeyed;
  /** The connection closed before the response was written. */
  let isLost = false;

  async function release(settlementId: string): Promise<void> {
    if (isReleased) return;
    isReleased = true;
    held = undefined;
    await deps.release({ settlementId, writer });
  }

  function claimed(settlementId: string): void {
    if (claimingCall.successWriter === writer) held = { settlementId, writer };
    const ended = delivered.then((isWhole) => {
      isLost = !isWhole;
      return isWhole && isReported ? undefined : release(settlementId);
    });
    deps.claimingCalls.add(settlementId, ended);
  }

  /** The call that claimed the payment. */
  async function presentFirst(settlement: Settlement): Promise<Presentation> {
    if (settlement.state !== "confirmed") {
      // Before the response, because a poll that follows it must be able to take the success.
      if (held) await release(settlement.id);
      return whole;
    }
    if (held || isLost || isKeyed || policy === "return") {
      isReported = held !== undefined;
      return whole;
    }
    const report = { settlementId: settlement.id, writer };
    if (await deps.takeSuccess(report)) {
      held = report;
      isReported = true;
      // The connection may have closed while the success was recorded.
      if (isLost) await deps.release(report);
      return whole;
    }
    // A repeat at another process has taken the success.
    const facts = await deps.findFacts({ settlement, caller, idempotencyKey });
    return hasSeveral(policy, facts) ? { kind: "facts", isPending: false } : whole;
  }

  const claimingCall: ClaimingCall = {
    caller,
    idempotencyKey,
    isUpfront,
    successWriter: isKeyed ? lastingWriters.key : terms.waitsForOutcome ? writer : null,
  };
  return {
    claimingCall,
    claimed,
    present: (settlement, isRepeat) =>
      isRepeat ? presentRepeat(terms, deps, settlement) : presentFirst(settlement),
  };
}

function hasSeveral(policy: RepeatPolicy, facts: ExchangeFacts): boolean {
  return policy === "once" || facts.isUpfront || facts.hasSeveral;
}

async function presentRepeat(
  { writer, caller, idempotencyKey, isUpfront, delivered }: SettleCallTerms,
  deps: SettleCallDeps,
  settlement: Settlement,
): Promise<Presentation> {
  const { policy } = deps;
  if (policy === "return") return whole;
  const question = { settlement, caller, idempotencyKey };
  const facts = await deps.findFacts(question);
  const isConfirmed = settlement.state === "confirmed";
  if (facts.hasSameKey) return { kind: "whole", hasId: true, isOwnExchange: true };
  if (policy === "refuse" && isConfirmed) return { kind: "refused" };
  // Another exchange, by its key or its flow: a seller that settles upfront never calls /verify.
  if (idempotencyKey !== null || (isUpfront && !facts.isUpfront)) {
    return { kind: "facts", isPending: false };
  }
  if (policy === "refuse" || !hasSeveral(policy, facts)) {
    const report = { settlementId: settlement.id, writer };
    if (isConfirmed && facts.successWriter === null) await deps.take(report, delivered);
    return whole;
  }
  if (!isConfirmed || !facts.isClaimant) return { kind: "facts", isPending: false };
  return presentOnce({ writer, delivered }, deps, question, facts);
}

/** The claiming caller repeats its call, and the success is reported once. */
async function presentOnce(
  { writer, delivered }: Pick<SettleCallTerms, "writer" | "delivered">,
  deps: SettleCallDeps,
  question: ExchangeQuestion,
  before: ExchangeFacts,
): Promise<Presentation> {
  const { claimingCalls, clock } = deps;
  const { settlement } = question;
  const ownCall = claimingCalls.find(settlement.id);
  if (ownCall && !(await endsInTime(ownCall, clock))) return { kind: "facts", isPending: true };
  const askedMs = clock.nowMs();
  const lastMs = askedMs + maxDecisionMs;
  let facts = ownCall ? await deps.findFacts(question) : before;
  for (;;) {
    const now = clock.nowMs();
    const openMs = openUntilMs(settlement, facts, ownCall !== undefined, askedMs) - now;
    if (openMs <= 0) break;
    if (now >= lastMs) return { kind: "facts", isPending: true };
    await clock.sleep(Math.min(openMs, pollMs));
    facts = await deps.findFacts(question);
  }
  const report = { settlementId: settlement.id, writer };
  const isOurs = facts.successWriter === null && (await deps.take(report, delivered));
  return isOurs
    ? { kind: "whole", hasId: false, isOwnExchange: false }
    : { kind: "facts", isPending: false };
}

/**
 * Until then another call may still report the success: in its response or by its poll. A time after
 * `askedMs` was written by a clock that ran ahead, and counts as `askedMs`.
 */
function openUntilMs(
  { createdAt, confirmedAt }: Settlement,
  { successWriter, successMovedAt }: ExchangeFacts,
  hasOwnCallEnded: boolean,
  askedMs: number,
): number {
  const past = (atMs: number) => Math.min(atMs, askedMs);
  if (successWriter === null) {
    const since =
      successMovedAt === null ? past(createdAt) + maxClaimingCallMs : past(successMovedAt);
    return since + pollBeginsMs;
  }
  const isHeldSinceClaim = successMovedAt === null;
  if (isLasting(successWriter) || (isHeldSinceClaim && hasOwnCallEnded)) return 0;
  return past(Math.max(confirmedAt ?? 0, successMovedAt ?? 0)) + writingMs;
}

/** These never release the success. */
function isLasting(writer: string): boolean {
  return writer === lastingWriters.key || writer === lastingWriters.poll;
}

async function endsInTime(ending: Promise<void>, clock: Clock): Promise<boolean> {
  const waiting = new AbortController();
  const late = clock.sleep(writingMs, waiting.signal).then(() => false);
  try {
    return await Promise.race([ending.then(() => true), late]);
  } finally {
    waiting.abort();
  }
}

/** Of this process, open or ended a moment ago; those of others are known from the database alone. */
export type ClaimingCalls = ReturnType<typeof createClaimingCalls>;

export function createClaimingCalls(clock: Clock) {
  const calls = new Map<string, Promise<void>>();
  // In the order in which the calls ended.
  const endedAt = new Map<string, number>();

  function forgetOld(now: number): void {
    for (const [id, endedMs] of endedAt) {
      if (endedMs + writingMs > now) break;
      endedAt.delete(id);
      calls.delete(id);
    }
  }

  return {
    find: (settlementId: string) => calls.get(settlementId),
    /** Adds a call when it claims; `ended` resolves when its response is written or lost. */
    add(settlementId: string, ended: Promise<void>) {
      calls.set(settlementId, ended);
      void ended.finally(() => {
        const now = clock.nowMs();
        forgetOld(now);
        endedAt.set(settlementId, now);
      });
    },
  };
}
