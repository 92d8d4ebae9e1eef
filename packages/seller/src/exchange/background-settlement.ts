/**
 * Background settlement. Polls a settlement after its buyer was asked to repeat, so that the repeat
 * finds the outcome and the kept response. This is a bounded convenience: after the process ends,
 * the repeat itself resumes from the record.
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

/**
 * Settlements polled at once; each holds a few kilobytes. Repeats of the buyers resolve the others.
 */
const followedMax = 1_000;

/** Open settlements that are remembered until their authorization ends; a few kilobytes each. */
const closingsMax = 1_000;

/** Bounds the load on a facilitator that becomes available again. */
const closedAtOnceMax = 4;

/** Polling stops after ten minutes; buyers that return later resume the settlement themselves. */
const followMsMax = 10 * 60 * 1000;

/** The pause before each round, doubled from the first to the longest. */
const pauseMsMin = 1_000;
const pauseMsMax = 30_000;

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
      // The next request meets a failing store again, and can respond to it.
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
        // The buyer's repeat meets a failing store again, and can respond to it.
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
      // A lost call cannot arrive after that.
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

/** Drops the seller's code and its request, which need not be held for so long. */
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
 * Resolves a settlement whose authorization has ended. A payment that moved money is kept for its
 * buyer, one that did not is forgotten, and an unknown one is left to the store.
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

/** Records that the money moved, and emits it, unless another holder has taken over. */
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

/** Waits until a queued settlement has an outcome. */
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

/** Runs one round. Returns true when there is nothing left to poll. */
async function goOn(deps: ExchangeDeps, matched: MatchedPayment): Promise<boolean> {
  // This process has the buyer's own request, so no proof is needed.
  const acquired = await deps.records.acquire(matched.binding, {
    ...matched.access,
    rule: "anyone",
  });
  // A repeat of the buyer holds the lease.
  if (acquired.kind !== "acquired") return acquired.kind !== "busy";
  const { lease } = acquired;
  try {
    if (lease.state === "claimed") return await lease.discard();
    // Without a kept response there is nothing to deliver for an open settlement.
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
