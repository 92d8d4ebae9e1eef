/** The active configuration: its compiled routes, with their upstreams and prices. */
import {
  allPrices,
  isFolder,
  isServedByProxy,
  type GatewayConfig,
  type RouteConfig,
} from "./configuration/configuration.ts";
import { claimRegularly } from "./claim-channels.ts";
import { createBuiltInEndpoints } from "./built-in-endpoints.ts";
import { createErrorPages } from "./error-page.ts";
import { createFrontPage } from "./front-page.ts";
import { createDescriber } from "./openapi/described-operations.ts";
import { createOperationCheck } from "./openapi/input-check.ts";
import { soldOperations } from "./openapi/sold-operations.ts";
import { compileRoutes } from "./routing/route-table.ts";
import { createPaidRoute, type PaidRoute, type ChargingDeps } from "./paid-route.ts";
import { createFolderUpstream } from "./folder-upstream.ts";
import { createHttpUpstream } from "./upstream.ts";
import type { Incoming } from "./incoming.ts";

/** The upstreams that this gateway calls itself. */
const calledUpstreams = ({ upstreams }: GatewayConfig) =>
  [...upstreams].filter(([, one]) => !isServedByProxy(one));

/** The route of the same name in the configuration before. */
interface Predecessor {
  findPaidRoute(route: RouteConfig): PaidRoute | undefined;
}

function openPaidRoutes(
  config: GatewayConfig,
  soldRoutes: readonly RouteConfig[],
  deps: ChargingDeps,
  before: Predecessor | undefined,
): ReadonlyMap<RouteConfig, PaidRoute> {
  const sold = soldOperations(config);
  return new Map(
    soldRoutes.map((route) => {
      const previous = before?.findPaidRoute(route)?.terms;
      // A proxy keeps the body of a request to itself.
      const check = isServedByProxy(route.upstream)
        ? undefined
        : createOperationCheck(config, sold, route);
      const describe = createDescriber(config, sold, route);
      return [route, createPaidRoute(config, route, deps, { previous, check, describe })] as const;
    }),
  );
}

export type ActiveConfiguration = ReturnType<typeof activateConfiguration>;

/** Activates a configuration in place of `before`. Throws for invalid terms of a route. */
export function activateConfiguration(
  config: GatewayConfig,
  deps: ChargingDeps,
  before?: Predecessor,
) {
  const soldRoutes = allPrices(config).filter(({ amountUnits }) => amountUnits !== undefined);
  const upstreams = new Map(
    calledUpstreams(config).map(([name, one]) => {
      const create = isFolder(one) ? createFolderUpstream : createHttpUpstream;
      const isSold = soldRoutes.some(({ upstream }) => upstream.name === name);
      return [name, create(one, { isSold })];
    }),
  );
  const paidRoutes = openPaidRoutes(config, soldRoutes, deps, before);
  const stopClaims = claimRegularly(config, deps);
  let inside = 0;
  let whenEmpty: (() => void) | undefined;

  return {
    config,
    rules: compileRoutes(config),
    builtInEndpoints: createBuiltInEndpoints(config, deps.facilitators),
    frontPage: createFrontPage(config),
    errorPage: createErrorPages(config),
    /** Of a route that no proxy serves. */
    upstreamOf({ upstream: { name } }: RouteConfig) {
      const upstream = upstreams.get(name);
      if (!upstream) throw new Error(`There is no upstream ${name}.`);
      return upstream;
    },
    /** Which price a request has; undefined, at once, for a route with one price. */
    choosePrice: (route: RouteConfig, incoming: Incoming) =>
      route.callers.length === 0 ? undefined : deps.choosePrice?.(route, incoming, config),
    /** Undefined for a free route. */
    paidRouteOf: (route: RouteConfig) => paidRoutes.get(route),
    /** Returns the paid route of the same name and host, for the same callers. */
    findPaidRoute({ name, host, upstream, caller }: RouteConfig) {
      const same = [...paidRoutes.keys()].filter(
        (one) => one.name === name && one.host === host && one.caller === caller,
      );
      // Two rules with the same match differ in their upstreams.
      const found = same.find((one) => one.upstream.name === upstream.name) ?? same.at(-1);
      return found && paidRoutes.get(found);
    },
    /** Calls under way, by upstream. */
    inFlight: () => new Map([...upstreams].map(([name, one]) => [name, one.inFlight()])),
    /** Counts a request in. Nothing is closed until the returned function is called. */
    enter() {
      inside++;
      return () => {
        if (--inside === 0) whenEmpty?.();
      };
    },
    /** After the last request, passes its vouchers on and closes the connections. */
    async retire() {
      stopClaims();
      if (inside > 0) await new Promise<void>((resolve) => (whenEmpty = resolve));
      await deps.desk?.vault.drain();
      await Promise.all([...upstreams.values()].map((upstream) => upstream.close()));
    },
  };
}
