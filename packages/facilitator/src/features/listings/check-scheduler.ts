/**
 * Checks every listing when it is due. A listing is leased, checked, and its result recorded; when a
 * process dies in between, the lease ends and another process checks it. Processes that share a
 * database do not take the same listing, and no host gets many requests at once.
 */
import { messageOf } from "@farthing/engine/base";
import type { TakenListing, ListingStore } from "./store.ts";
import { checkLeaseMs, checkListing, statsMs, type CheckDeps } from "./check-listing.ts";
import type { SalesStore } from "./model.ts";

/** Checks under way in this process, and those of one host among them. */
const runningMax = 8;
const perHostMax = 2;

/** Pause between looks when nothing is due here; other processes may have made something due. */
const pollMs = 2_000;

/** How often sales that no listing shows any more are forgotten, and how many of them at once. */
const forgetEveryMs = 60 * 60_000;
const forgottenMax = 1_000;

export interface SchedulerDeps extends CheckDeps {
  readonly store: CheckDeps["store"] &
    Pick<ListingStore, "takeDueListings"> &
    Pick<SalesStore, "forgetSales">;
}

/** Checks listings that are due. */
export interface CheckScheduler {
  /** Looks for due listings now. */
  wake(): void;
  /** Stops it. Checks that are cut off are repeated later. */
  stop(): Promise<void>;
}

/** Starts the scheduler. */
export function startCheckScheduler(deps: SchedulerDeps): CheckScheduler {
  const { store, clock, log } = deps;
  const stopping = new AbortController();
  let news = new AbortController();
  /** Under way, by host. */
  const running = new Map<string, number>();
  const checks = new Set<Promise<unknown>>();
  let forgottenAt = 0;

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      // Before the look: what becomes due during it is looked for once more.
      news = new AbortController();
      await guarded(forget, undefined);
      const taken = await guarded(takeSome, 0);
      if (taken > 0) continue;
      if (checks.size >= runningMax) await Promise.race(checks);
      else await clock.sleep(pollMs, AbortSignal.any([stopping.signal, news.signal]));
    }
    await Promise.all(checks);
  }

  /** Of a busy account a day may be a million rows: so many that one round must not take them all. */
  async function forget(): Promise<void> {
    const now = clock.nowMs();
    if (now - forgottenAt < forgetEveryMs) return;
    const forgotten = await store.forgetSales(now - statsMs, forgottenMax);
    if (forgotten < forgottenMax) forgottenAt = now;
  }

  async function takeSome(): Promise<number> {
    // As many as one host may have: those that are taken may all be of one.
    const limit = Math.min(perHostMax, runningMax - checks.size);
    if (limit <= 0) return 0;
    // One more would be too many where one is under way.
    const exceptHosts = [...running.keys()];
    const now = clock.nowMs();
    const due = await store.takeDueListings({ now, leaseMs: checkLeaseMs, limit, exceptHosts });
    for (const one of due) begin(one);
    return due.length;
  }

  function begin(taken: TakenListing): void {
    const { host } = new URL(taken.listing.resource);
    running.set(host, (running.get(host) ?? 0) + 1);
    const check = guarded(() => checkListing(deps, taken, stopping.signal), undefined);
    const ended = check.finally(() => {
      checks.delete(ended);
      const left = (running.get(host) ?? 1) - 1;
      if (left > 0) running.set(host, left);
      else running.delete(host);
      // There may be more of this host, which waited for it.
      news.abort();
    });
    checks.add(ended);
  }

  async function guarded<T>(work: () => Promise<T>, otherwise: T): Promise<T> {
    try {
      return await work();
    } catch (error) {
      log.warn(
        { event: "listing_checks_failed", problem: messageOf(error) },
        "Listing checks failed; retrying with the next poll",
      );
      return otherwise;
    }
  }

  const all = run();
  return {
    wake: () => news.abort(),
    async stop() {
      stopping.abort();
      await all;
    },
  };
}
