/**
 * What goes on after a buyer had to be told to come back: his answer is made and kept, and the
 * settlement is asked for until its outcome is known, so that his repeat finds it.
 *
 * A convenience with bounds, and no promise: when the process ends, the repeat itself goes on from
 * what the grant has recorded.
 */
import type { SettleResponse } from "@farthing/protocol";
import { overMsMin } from "../grants/grant-times.ts";
import type { Lease } from "../grants/grants.ts";
import { collect, settlePurchase } from "./collect.ts";
import { factsAfter, type Purchase, type Surroundings } from "./sale.ts";

/** Follows settlements that are open. */
export interface Continuations {
  /** Goes on with this purchase, unless that is being done or too many others are. */
  follow(purchase: Purchase): void;
  /**
   * Asks for the outcome of a settlement whose content has gone out when it was queued, and tells
   * the seller. Of more than can be followed at once the seller hears nothing here.
   */
  watch(purchase: Purchase, receipt: SettleResponse): void;
  /**
   * Remembers a settlement that a request leaves open, to be asked for once when its authorization
   * is over. Those that are too many stay in the store, which forgets them first when it needs room.
   */
  closeLater(purchase: Purchase): void;
  /** Asks for what is due, in the background. Called with each paid request, so it needs no timer. */
  closeDue(): void;
}

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

/** Creates the continuations of one seller. */
export function createContinuations(around: () => Surroundings): Continuations {
  const followed = new Set<string>();
  const closings = new Map<string, { readonly purchase: Purchase; readonly dueMs: number }>();
  let nextDueMs = Infinity;
  let closing = 0;

  async function closeOne(purchase: Purchase): Promise<void> {
    closing++;
    try {
      await close(around(), purchase);
    } catch {
      // A store that fails now is met again by the next request, where it can be answered.
    } finally {
      closing--;
    }
  }
  async function run(purchase: Purchase): Promise<void> {
    const { clock } = around();
    const untilMs = clock.now() + followMsMax;
    let pauseMs = pauseMsMin;
    while (clock.now() + pauseMs < untilMs) {
      await clock.sleep(pauseMs, "background");
      if (await goOn(around(), purchase)) return;
      pauseMs = Math.min(2 * pauseMs, pauseMsMax);
    }
  }
  return {
    follow(purchase) {
      const { binding } = purchase;
      if (followed.has(binding.key) || followed.size >= followedMax) return;
      followed.add(binding.key);
      run(bareOf(purchase))
        // A store that fails now is met again by the buyer's repeat, where it can be answered.
        .catch(() => undefined)
        .finally(() => followed.delete(binding.key));
    },
    watch(purchase, receipt) {
      const { binding } = purchase;
      if (followed.has(binding.key) || followed.size >= followedMax) return;
      followed.add(binding.key);
      watchQueued(around(), bareOf(purchase), receipt)
        .catch(() => undefined)
        .finally(() => followed.delete(binding.key));
    },
    closeLater(purchase) {
      if (closings.size >= closingsMax) return;
      // Not before the call that was just lost can have arrived.
      const overMs = Math.max(purchase.binding.validBeforeMs, around().clock.now());
      const dueMs = overMs + overMsMin;
      closings.set(purchase.binding.key, { purchase: bareOf(purchase), dueMs });
      nextDueMs = Math.min(nextDueMs, dueMs);
    },
    closeDue() {
      const nowMs = around().clock.now();
      if (nowMs < nextDueMs) return;
      for (const [key, { purchase, dueMs }] of closings) {
        if (closing >= closedAtOnceMax) return;
        if (dueMs > nowMs) continue;
        closings.delete(key);
        void closeOne(purchase);
      }
      nextDueMs = Math.min(Infinity, ...[...closings.values()].map(({ dueMs }) => dueMs));
    },
  };
}

/** The purchase without the seller's code and its request, which need not be held for so long. */
function bareOf({ payment, offer, binding, access, request, terms, ...flags }: Purchase): Purchase {
  const { isFormer, servesQueued } = flags;
  return { payment, offer, binding, access, request, terms, isFormer, servesQueued };
}

/**
 * Asks once what became of a settlement whose authorization is over. What moved money is kept for
 * its buyer, what did not is forgotten, and what nobody answers is left to the store.
 */
async function close(at: Surroundings, purchase: Purchase): Promise<void> {
  const take = await at.grants.take(purchase.binding, { ...purchase.access, rule: "anyone" });
  if (take.kind !== "taken") return;
  const { lease } = take;
  try {
    if (lease.state === "paid") return;
    if (lease.state === "claimed") return void (await lease.release());
    const deadlineMs = at.clock.now() + at.waitMs;
    const collected = await collect(at, purchase, lease, { deadlineMs });
    if (collected.kind === "refused") await lease.release();
    if (collected.kind === "paid") await notePaid(at, purchase, lease, collected.receipt);
  } finally {
    await lease.leave();
  }
}

/** Records that the money moved, and tells the seller; not where another holder has taken over. */
async function notePaid(
  at: Surroundings,
  purchase: Purchase,
  lease: Lease,
  receipt: SettleResponse,
): Promise<void> {
  if (!(await lease.paid(receipt))) return;
  const { url } = purchase.terms.resource;
  at.emit({ type: "settled", url, payment: factsAfter(purchase, receipt) });
}

/** Waits until a queued settlement has an outcome, as long as any is followed. */
async function watchQueued(
  at: Surroundings,
  purchase: Purchase,
  known: SettleResponse,
): Promise<void> {
  const { settled } = await settlePurchase(at, purchase, {
    deadlineMs: at.clock.now() + followMsMax,
    known,
    isInBackground: true,
    onPending: async () => undefined,
  });
  const { url } = purchase.terms.resource;
  if (settled.kind === "confirmed") {
    at.emit({ type: "settled", url, payment: factsAfter(purchase, settled.receipt) });
  } else if (settled.kind === "failed") {
    at.emit({ type: "failed", url, receipt: settled.receipt });
  }
}

/** One round. True when there is nothing left to follow. */
async function goOn(at: Surroundings, purchase: Purchase): Promise<boolean> {
  // This process has the buyer's own request: nothing is left to prove.
  const take = await at.grants.take(purchase.binding, { ...purchase.access, rule: "anyone" });
  // Busy: a repeat of the buyer's is at it.
  if (take.kind !== "taken") return take.kind !== "busy";
  const { lease } = take;
  try {
    if (lease.state === "claimed") return await lease.release();
    // Without a kept answer there is nothing to hand out for money that has not moved yet.
    if (lease.state === "paid" || !(lease.answer ?? lease.receipt)) return true;
    const deadlineMs = at.clock.now() + at.waitMs;
    const collected = await collect(at, purchase, lease, { deadlineMs });
    if (collected.kind !== "paid") return collected.kind === "refused";
    await notePaid(at, purchase, lease, collected.receipt);
    return true;
  } finally {
    await lease.leave();
  }
}
