/** Listings, wired: the guarded way out, checks of endpoints, and who keeps them going. */
import type { Clock } from "./base/clock.ts";
import type { Log } from "./base/log.ts";
import type { Config } from "./config.ts";
import type { AccountContext } from "./features/accounts/service.ts";
import { listingReach } from "./features/listings/schemas.ts";
import { createGuardedRequest } from "./http/outbound/guarded-request.ts";
import { keepChecking, type Keeper } from "./features/listings/check-scheduler.ts";
import { createListings } from "./features/listings/service.ts";
import { createProbe } from "./features/listings/probe.ts";
import type { Store } from "./storage/store.ts";

/** What they work with. */
export interface ListingDeps {
  readonly config: Config;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly version: string;
}

/** Wires them. */
export function wireListings(
  deps: ListingDeps,
): Pick<AccountContext, "listings" | "listingLocal"> & { start(): () => Promise<void> } {
  const { config, version } = deps;
  const { listingLocal, outboundCa: extraCa } = config;
  const probe = createProbe({
    ...deps,
    userAgent: userAgentOf(config, version),
    send: createGuardedRequest({ reach: listingReach(listingLocal), extraCa }),
  });
  const rhythm = { everyMs: config.listingCheckMinutes * 60_000, random: Math.random };
  const checking = { ...deps, probe, rhythm };
  let keeper: Keeper | undefined;
  return {
    listings: createListings({ ...checking, onDue: () => keeper?.wake() }),
    listingLocal,
    start() {
      keeper = keepChecking(checking);
      return keeper.stop;
    },
  };
}

/** Tells the owners of endpoints who asks, and where to say that he should not. */
function userAgentOf({ publicUrl, contact }: Config, version: string): string {
  const place = contact ?? publicUrl;
  // Header values are ASCII; a contact need not be.
  const shown = place === undefined || !/^[\x21-\x7e]+$/.test(place) ? "" : `; +${place}`;
  return `Farthing/${version} (listing check${shown})`;
}
