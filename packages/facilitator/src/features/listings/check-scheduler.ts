/**
 * Checks every listing when it is due. A listing is leased, checked, and its result recorded; when
 * a process dies in between, another one checks it after the lease. Processes that share a database
 * do not lease the same listing, and no host gets many requests at once.
 */
import { warning } from "@farthing/engine/base";
import type { TakenListing, ListingStore } from "./store.ts";
import { checkLeaseMs, checkListing, statsMs, type CheckDeps } from "./check-listing.ts";
import type { SalesStore } from "./model.ts";

/** Concurrent checks of this process, and of one host among them. */
const runningMax = 8;
const perHostMax = 2;

/** The poll interval; other processes may have made listings due. */
const pollMs = 2_000;

/** The interval at which expired sales are removed, and the bound of one removal. */
const forgetEveryMs = 60 * 60_000;
const forgottenMax = 1_000;

export interface SchedulerDeps extends CheckDeps {
  readonly store: CheckDeps["store"] &
    Pick<ListingStore, "takeDueListings"> &
    Pick<SalesStore, "forgetSales">;
}

export type CheckScheduler = ReturnType<typeof startCheckScheduler>;

export function startCheckScheduler(deps: SchedulerDeps) {
  const { store, clock, log } = deps;
  const retryLater = warning(
    log,
    { event: "listing_checks_failed" },
    "Listing checks failed; retrying with the next poll",
  );
  const stopping = new AbortController();
  let wakeUp = new AbortController();
  /** Running checks by host. */
  const running = new Map<string, number>();
  const checks = new Set<Promise<unknown>>();
  let forgottenAt = 0;

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      // Renewed before the poll, so that a wake-up during it causes another poll.
      wakeUp = new AbortController();
      await forget().catch(retryLater);
      const taken = (await takeSome().catch(retryLater)) ?? 0;
      if (taken > 0) continue;
      if (checks.size >= runningMax) await Promise.race(checks);
      else await clock.sleep(pollMs, AbortSignal.any([stopping.signal, wakeUp.signal]));
    }
    await Promise.all(checks);
  }

  /** Bounded, because a day of a busy account may have a million rows. */
  async function forget(): Promise<void> {
    const now = clock.nowMs();
    if (now - forgottenAt < forgetEveryMs) return;
    const forgotten = await store.forgetSales(now - statsMs, forgottenMax);
    if (forgotten < forgottenMax) forgottenAt = now;
  }

  async function takeSome(): Promise<number> {
    // All leased listings may be of one host.
    const limit = Math.min(perHostMax, runningMax - checks.size);
    if (limit <= 0) return 0;
    const exceptHosts = [...running.keys()];
    const now = clock.nowMs();
    const due = await store.takeDueListings({ now, leaseMs: checkLeaseMs, limit, exceptHosts });
    for (const one of due) begin(one);
    return due.length;
  }

  function begin(taken: TakenListing): void {
    const { host } = new URL(taken.listing.resource);
    running.set(host, (running.get(host) ?? 0) + 1);
    const check = checkListing(deps, taken, stopping.signal).catch(retryLater);
    const ended = check.finally(() => {
      checks.delete(ended);
      const left = (running.get(host) ?? 1) - 1;
      if (left > 0) running.set(host, left);
      else running.delete(host);
      // More listings of this host may have waited.
      wakeUp.abort();
    });
    checks.add(ended);
  }

  const all = run();
  return {
    wake: () => wakeUp.abort(),
    /** Stops the scheduler. Aborted checks are repeated later. */
    async stop() {
      stopping.abort();
      await all;
    },
  };
}
