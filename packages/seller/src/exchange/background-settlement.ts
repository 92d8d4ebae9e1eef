/**
 * Polls a settlement after its buyer was asked to repeat, so that the repeat finds the outcome and
 * the kept response. After the process ends, the repeat itself resumes from the record.
 */
import type { SettleResponse } from "@farthing/protocol";
import type { WaitUntil } from "../clock.ts";
import { emitOutcome } from "../events.ts";
import { minOverMs } from "../payment-records/retention.ts";
import { settleClaim, settleMatched } from "./settle-claim.ts";
import {
  factsAfter,
  type BackgroundSettlements,
  type ExchangeDeps,
  type MatchedPayment,
} from "./paid-request.ts";

/** Settlements polled at once, a few kilobytes each. Buyers' repeats resolve the others. */
const maxPolled = 1_000;

/** Open settlements that are remembered until their authorization ends; a few kilobytes each. */
const maxClosings = 1_000;

/** Bounds the load on a facilitator that becomes available again. */
const maxClosedAtOnce = 4;

/** Polling stops after ten minutes; buyers that return later resume the settlement themselves. */
const maxPollMs = 10 * 60 * 1000;

/** Cloudflare cancels the work of a request 30 s after its response; a round in progress needs the rest. */
const maxWaitUntilMs = 20_000;

/** A round that began in time ends by then: the longest `waitMs`. */
const maxRoundMs = 60_000;

/** The pause before each round, doubled from the first to the longest. */
const minPauseMs = 1_000;
const maxPauseMs = 30_000;

export function createBackgroundSettlements(getDeps: () => ExchangeDeps): BackgroundSettlements {
  /** When each polling ends at the latest, because a runtime may cancel the work without a word. */
  const polled = new Map<string, number>();
  const closings = new Map<string, { readonly matched: MatchedPayment; readonly dueMs: number }>();
  let nextDueMs = Infinity;
  let closing = 0;

  function closeOne(matched: MatchedPayment, waitUntil: WaitUntil | undefined): void {
    closing++;
    const work = resolve(getDeps(), matched, true)
      // The next request meets a failing store again, and can respond to it.
      .catch(() => undefined)
      .finally(() => closing--);
    waitUntil?.(work);
  }
  function start(
    matched: MatchedPayment,
    waitUntil: WaitUntil | undefined,
    run: (bare: MatchedPayment, untilMs: number) => Promise<void>,
  ): void {
    const { key } = matched.binding;
    const nowMs = getDeps().clock.now();
    for (const [other, endMs] of polled) if (endMs <= nowMs) polled.delete(other);
    if (polled.has(key) || polled.size >= maxPolled) return;
    const untilMs = nowMs + (waitUntil ? maxWaitUntilMs : maxPollMs);
    polled.set(key, untilMs + maxRoundMs);
    const work = run(bareOf(matched), untilMs)
      // The buyer's repeat meets a failing store again, and can respond to it.
      .catch(() => undefined)
      .finally(() => polled.delete(key));
    waitUntil?.(work);
  }
  async function pollRounds(matched: MatchedPayment, untilMs: number): Promise<void> {
    const { clock } = getDeps();
    let pauseMs = minPauseMs;
    while (clock.now() + pauseMs < untilMs) {
      await clock.sleep(pauseMs, "background");
      if (await resolve(getDeps(), matched, false)) return;
      pauseMs = Math.min(2 * pauseMs, maxPauseMs);
    }
  }
  return {
    poll: (matched, waitUntil) => start(matched, waitUntil, pollRounds),
    watch: (matched, receipt, waitUntil) =>
      start(matched, waitUntil, (bare, untilMs) =>
        watchQueued(getDeps(), bare, { receipt, untilMs }),
      ),
    closeLater(matched) {
      if (closings.size >= maxClosings) return;
      // A lost call cannot arrive after that.
      const overMs = Math.max(matched.binding.validBeforeMs, getDeps().clock.now());
      const dueMs = overMs + minOverMs;
      closings.set(matched.binding.key, { matched: bareOf(matched), dueMs });
      nextDueMs = Math.min(nextDueMs, dueMs);
    },
    closeDue(waitUntil) {
      const nowMs = getDeps().clock.now();
      if (nowMs < nextDueMs) return;
      for (const [key, { matched, dueMs }] of closings) {
        if (closing >= maxClosedAtOnce) return;
        if (dueMs > nowMs) continue;
        closings.delete(key);
        closeOne(matched, waitUntil);
      }
      nextDueMs = Math.min(Infinity, ...[...closings.values()].map(({ dueMs }) => dueMs));
    },
  };
}

/** Drops the seller's code and its request, which need not be held for so long. */
function bareOf({ payment, offer, binding, access, request, terms, ...rest }: MatchedPayment) {
  const { books, acceptsPreviousTerms, servesQueued } = rest;
  const flags = { acceptsPreviousTerms, servesQueued };
  return { payment, offer, binding, access, request, terms, books, ...flags };
}

/** Waits until a queued settlement has an outcome. */
async function watchQueued(
  deps: ExchangeDeps,
  matched: MatchedPayment,
  { receipt: known, untilMs: deadlineMs }: { receipt: SettleResponse; untilMs: number },
) {
  // Only one facilitator serves what is queued.
  const [member] = deps.facilitators;
  const { settled } = await settleMatched(deps, member, matched, {
    deadlineMs,
    known,
    isInBackground: true,
    onPending: async () => undefined,
  });
  const { url } = matched.terms.resource;
  if (settled.kind === "confirmed") {
    deps.emit({ type: "settled", url, payment: factsAfter(matched, settled.receipt) });
  } else if (settled.kind === "failed") {
    deps.emit({ type: "failed", url, receipt: settled.receipt });
  }
}

/**
 * Asks once for the outcome of a settlement; after the end of its authorization (`isOver`) also of
 * one without a kept response. Returns whether there is nothing left to poll.
 */
async function resolve(deps: ExchangeDeps, matched: MatchedPayment, isOver: boolean) {
  // This process has the buyer's own request, so no proof is needed.
  const access = { ...matched.access, rule: "anyone" } as const;
  const acquired = await deps.records.acquire(matched.binding, access);
  // A repeat of the buyer holds the lease.
  if (acquired.kind !== "acquired") return acquired.kind !== "busy";
  const { lease } = acquired;
  try {
    if (lease.state === "claimed") return await lease.discard();
    // Without a kept response there is nothing to deliver for an open settlement.
    if (lease.state === "paid" || !(isOver || lease.response || lease.receipt)) return true;
    const deadlineMs = deps.clock.now() + deps.waitMs;
    const collection = await settleClaim(deps, matched, lease, { deadlineMs });
    const { url } = matched.terms.resource;
    if (collection.kind !== "paid") {
      const isRefused = collection.kind === "refused";
      if (isOver && isRefused) await lease.discard();
      emitOutcome(deps.emit, url, collection.result.outcome);
      return isRefused;
    }
    // Unless another holder has taken over.
    if (await lease.paid(collection.receipt)) {
      deps.emit({ type: "settled", url, payment: factsAfter(matched, collection.receipt) });
    }
    return true;
  } finally {
    await lease.unlock();
  }
}
