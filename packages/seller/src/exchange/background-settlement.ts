/**
 * What goes on after a buyer had to be told to come back: his answer is made and kept, and the
 * settlement is asked for until its outcome is known, so that his repeat finds it.
 *
 * A convenience with bounds, and no promise: when the process ends, the repeat itself goes on from
 * what the record says.
 */
import type { SettleResponse } from "@farthing/protocol";
import { emitOutcome } from "../events.ts";
import { overMsMin } from "../payment-records/retention.ts";
import type { Lease } from "../payment-records/payment-records.ts";
import { settleClaim, settleMatched } from "./settle-claim.ts";
import {
  factsAfter,
  type BackgroundSettlements,
  type ExchangeDeps,
  type ExchangeResult,
  type MatchedPayment,
} from "./paid-request.ts";

/** Settlements followed at once; each holds a few kilobytes. The buyer's repeat does the others. */
const followedMax = 1_000;

/** Open settlements that are remembered until they are over; each holds a few kilobytes. */
const closingsMax = 1_000;

/** Settlements closed at once: a facilitator that comes back is not met by all of them. */
const closedAtOnceMax = 4;

/** How long one is followed, in milliseconds: as long as a buyer may still be there. */
const followMsMax = 10 * 60 * 1000;

/** The pause before each round, in milliseconds, doubled from the first to the longest. */
const pauseMsMin = 1_000;
const pauseMsMax = 30_000;

/** Creates the background settlements of one seller. */
export function createBackgroundSettlements(around: () => ExchangeDeps): BackgroundSettlements {
  const followed = new Set<string>();
  const closings = new Map<string, { readonly matched: MatchedPayment; readonly dueMs: number }>();
  let nextDueMs = Infinity;
  let closing = 0;

  async function closeOne(matched: MatchedPayment): Promise<void> {
    closing++;
    try {
      await close(around(), matched);
    } catch {
      // A store that fails now is met again by the next request, where it can be answered.
    } finally {
      closing--;
    }
  }
  async function run(matched: MatchedPayment): Promise<void> {
    const { clock } = around();
    const untilMs = clock.now() + followMsMax;
    let pauseMs = pauseMsMin;
    while (clock.now() + pauseMs < untilMs) {
      await clock.sleep(pauseMs, "background");
      if (await goOn(around(), matched)) return;
      pauseMs = Math.min(2 * pauseMs, pauseMsMax);
    }
  }
  return {
    poll(matched) {
      const { binding } = matched;
      if (followed.has(binding.key) || followed.size >= followedMax) return;
      followed.add(binding.key);
      run(bareOf(matched))
        // A store that fails now is met again by the buyer's repeat, where it can be answered.
        .catch(() => undefined)
        .finally(() => followed.delete(binding.key));
    },
    watch(matched, receipt) {
      const { binding } = matched;
      if (followed.has(binding.key) || followed.size >= followedMax) return;
      followed.add(binding.key);
      watchQueued(around(), bareOf(matched), receipt)
        .catch(() => undefined)
        .finally(() => followed.delete(binding.key));
    },
    closeLater(matched) {
      if (closings.size >= closingsMax) return;
      // Not before the call that was just lost can have arrived.
      const overMs = Math.max(matched.binding.validBeforeMs, around().clock.now());
      const dueMs = overMs + overMsMin;
      closings.set(matched.binding.key, { matched: bareOf(matched), dueMs });
      nextDueMs = Math.min(nextDueMs, dueMs);
    },
    closeDue() {
      const nowMs = around().clock.now();
      if (nowMs < nextDueMs) return;
      for (const [key, { matched, dueMs }] of closings) {
        if (closing >= closedAtOnceMax) return;
        if (dueMs > nowMs) continue;
        closings.delete(key);
        void closeOne(matched);
      }
      nextDueMs = Math.min(Infinity, ...[...closings.values()].map(({ dueMs }) => dueMs));
    },
  };
}

/** The payment without the seller's code and its request, which need not be held for so long. */
function bareOf({
  payment,
  offer,
  binding,
  access,
  request,
  terms,
  ...flags
}: MatchedPayment): MatchedPayment {
  const { acceptsPreviousTerms, servesQueued } = flags;
  return { payment, offer, binding, access, request, terms, acceptsPreviousTerms, servesQueued };
}

/**
 * Asks once what became of a settlement whose authorization is over. What moved money is kept for
 * its buyer, what did not is forgotten, and what nobody answers is left to the store.
 */
async function close(deps: ExchangeDeps, matched: MatchedPayment): Promise<void> {
  const acquired = await deps.records.acquire(matched.binding, {
    ...matched.access,
    rule: "anyone",
  });
  if (acquired.kind !== "acquired") return;
  const { lease } = acquired;
  try {
    if (lease.state === "paid") return;
    if (lease.state === "claimed") return void (await lease.discard());
    const deadlineMs = deps.clock.now() + deps.waitMs;
    const collection = await settleClaim(deps, matched, lease, { deadlineMs });
    if (collection.kind === "refused") await lease.discard();
    if (collection.kind !== "paid") return emitResult(deps, matched, collection.result);
    await notePaid(deps, matched, lease, collection.receipt);
  } finally {
    await lease.unlock();
  }
}

function emitResult(
  deps: ExchangeDeps,
  matched: MatchedPayment,
  { outcome }: ExchangeResult,
): void {
  emitOutcome(deps.emit, matched.terms.resource.url, outcome);
}

/** Records that the money moved, and tells the seller; not where another holder has taken over. */
async function notePaid(
  deps: ExchangeDeps,
  matched: MatchedPayment,
  lease: Lease,
  receipt: SettleResponse,
): Promise<void> {
  if (!(await lease.paid(receipt))) return;
  const { url } = matched.terms.resource;
  deps.emit({ type: "settled", url, payment: factsAfter(matched, receipt) });
}

/** Waits until a queued settlement has an outcome, as long as any is followed. */
async function watchQueued(
  deps: ExchangeDeps,
  matched: MatchedPayment,
  known: SettleResponse,
): Promise<void> {
  const { settled } = await settleMatched(deps, matched, {
    deadlineMs: deps.clock.now() + followMsMax,
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

/** One round. True when there is nothing left to follow. */
async function goOn(deps: ExchangeDeps, matched: MatchedPayment): Promise<boolean> {
  // This process has the buyer's own request: nothing is left to prove.
  const acquired = await deps.records.acquire(matched.binding, {
    ...matched.access,
    rule: "anyone",
  });
  // Busy: a repeat of the buyer's is at it.
  if (acquired.kind !== "acquired") return acquired.kind !== "busy";
  const { lease } = acquired;
  try {
    if (lease.state === "claimed") return await lease.discard();
    // Without a kept answer there is nothing to hand out for money that has not moved yet.
    if (lease.state === "paid" || !(lease.response ?? lease.receipt)) return true;
    const deadlineMs = deps.clock.now() + deps.waitMs;
    const collection = await settleClaim(deps, matched, lease, { deadlineMs });
    if (collection.kind !== "paid") {
      emitResult(deps, matched, collection.result);
      return collection.kind === "refused";
    }
    await notePaid(deps, matched, lease, collection.receipt);
    return true;
  } finally {
    await lease.unlock();
  }
}
