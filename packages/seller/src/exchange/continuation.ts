/**
 * What goes on after a buyer had to be told to come back: his answer is made and kept, and the
 * settlement is asked for until its outcome is known, so that his repeat finds it.
 *
 * A convenience with bounds, and no promise: when the process ends, the repeat itself goes on from
 * what the grant has recorded.
 */
import { collect } from "./collect.ts";
import { factsAfter, type Purchase, type Surroundings } from "./sale.ts";

/** Follows settlements that are open. */
export interface Continuations {
  /** Goes on with this purchase, unless that is being done or too many others are. */
  follow(purchase: Purchase): void;
}

/** Settlements followed at once; each holds a few kilobytes. The buyer's repeat does the others. */
const followedMax = 1_000;

/** How long one is followed, in milliseconds: as long as a buyer may still be there. */
const followMsMax = 10 * 60 * 1000;

/** The pause before each round, in milliseconds, doubled from the first to the longest. */
const pauseMsMin = 1_000;
const pauseMsMax = 30_000;

/** Creates the continuations of one seller. */
export function createContinuations(around: () => Surroundings): Continuations {
  const followed = new Set<string>();
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
    follow({ payment, offer, binding, request, terms, isFormer }) {
      if (followed.has(binding.key) || followed.size >= followedMax) return;
      followed.add(binding.key);
      // Without the seller's code and its request, which need not be held for so long.
      run({ payment, offer, binding, request, terms, isFormer })
        // A store that fails now is met again by the buyer's repeat, where it can be answered.
        .catch(() => undefined)
        .finally(() => followed.delete(binding.key));
    },
  };
}

/** One round. True when there is nothing left to follow. */
async function goOn(at: Surroundings, purchase: Purchase): Promise<boolean> {
  const take = await at.grants.take(purchase.binding);
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
    // Taken over in between: the other holder tells of it.
    if (!(await lease.paid(collected.receipt))) return true;
    const { url } = purchase.terms.resource;
    at.emit({ type: "settled", url, payment: factsAfter(purchase, collected.receipt) });
    return true;
  } finally {
    await lease.leave();
  }
}
