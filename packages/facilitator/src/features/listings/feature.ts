/** Listings: endpoints that accounts offer to the public, their checks, and their discovery. */
import type { Network } from "@farthing/protocol";
import type { Runtime } from "@farthing/engine/base";
import { createGuardedRequest } from "../../http/outbound/guarded-request.ts";
import type { SiteAddress } from "../../http/site/site.ts";
import type { SalesStore } from "./model.ts";
import { createListingStore, type ListingStore } from "./store.ts";
import type { Feature, RunningFeature } from "../feature.ts";
import { startCheckScheduler, type CheckScheduler } from "./check-scheduler.ts";
import { registerDiscovery } from "./discovery-routes.ts";
import { registerMarket } from "./market-routes.ts";
import { migrations } from "./migrations.ts";
import { createProbe } from "./probe.ts";
import { createCheckLimit, registerListings } from "./routes.ts";
import { listingReach } from "./schemas.ts";
import { createListings } from "./service.ts";
import { registerListingTrial } from "./trial-routes.ts";

export interface ListingFeatureDeps extends Runtime {
  readonly config: {
    /** Listed endpoints may be on this machine. */
    readonly listingLocal: boolean;
    readonly listingCheckMinutes: number;
    readonly outboundCa: string | undefined;
    readonly publicUrl: string | undefined;
    readonly contact: string | undefined;
  };
  readonly store: ListingStore & SalesStore;
  readonly networks: readonly Network[];
  readonly site: SiteAddress["site"];
  readonly version: string;
}

export const listings = {
  name: "listings",
  createStore: createListingStore,
  migrations,
  tags: [
    { name: "Listings", description: "Endpoints that the account shows on the market" },
    { name: "Discovery", description: "Search for paid endpoints, for agents" },
  ],
  create,
} satisfies Feature;

function create(deps: ListingFeatureDeps): RunningFeature {
  const { config, networks } = deps;
  const { listingLocal, outboundCa: extraCa } = config;
  const probe = createProbe({
    ...deps,
    userAgent: userAgentOf(deps),
    send: createGuardedRequest({ reach: listingReach(listingLocal), extraCa }),
  });
  const rhythm = { everyMs: config.listingCheckMinutes * 60_000, random: Math.random };
  const checking = { ...deps, probe, rhythm };
  let scheduler: CheckScheduler | undefined;
  const service = createListings({ ...checking, onDue: () => scheduler?.wake() });
  return {
    routes: {
      account(server, { makeLimit }) {
        const limitChecks = createCheckLimit(makeLimit);
        const own = { listings: service, networks, listingLocal, limitChecks };
        registerListings(server, own);
        registerListingTrial(server, own);
      },
      async surface(server, surface, { throttle }) {
        await registerDiscovery(server, service, surface, throttle);
        if (surface.basePath !== "") return;
        registerMarket(server, { ...deps, listings: service, throttle });
      },
    },
    jobs: [
      () => {
        scheduler = startCheckScheduler(checking);
        return scheduler.stop;
      },
    ],
  };
}

/** Names the service and an address for objections of endpoint owners. */
function userAgentOf({ config, version }: ListingFeatureDeps): string {
  const address = config.contact ?? config.publicUrl;
  // Header values are ASCII; a contact need not be.
  const shown = address === undefined || !/^[\x21-\x7e]+$/.test(address) ? "" : `; +${address}`;
  return `Farthing/${version} (listing check${shown})`;
}
