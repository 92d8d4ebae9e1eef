/**
 * The rules in force: compiled, with the upstreams and sales behind them. A reload makes a new
 * table and lets go of the old one after the last request that came under it.
 */
import type { GatewayConfig, RouteConfig } from "./configuration/configuration.ts";
import { createOwnPaths, type OwnPaths } from "./own-paths.ts";
import { compileRoutes, type RouteTable } from "./routing/route-table.ts";
import { createSaleRoute, type SaleRoute, type Till } from "./sale-route.ts";
import { createUpstream, type Upstream } from "./upstream.ts";

/** A table in force. */
export interface RunningTable {
  readonly config: GatewayConfig;
  readonly rules: RouteTable;
  readonly ownPaths: OwnPaths;
  upstreamOf(route: RouteConfig): Upstream;
  /** Undefined for a free route. */
  saleOf(route: RouteConfig): SaleRoute | undefined;
  /** The sale of the route of the same name, for the table that takes this one's place. */
  findSale(route: RouteConfig): SaleRoute | undefined;
  /** Calls under way, by upstream. */
  inFlight(): ReadonlyMap<string, number>;
  /** Counts a request in; the table stays until the function given back is called. */
  enter(): () => void;
  /** Takes no more requests: resolves when the last one is out and the connections are closed. */
  retire(): Promise<void>;
}

/** Builds a table. Throws when a route's terms cannot work. */
export function createRunningTable(
  config: GatewayConfig,
  till: Till,
  before?: RunningTable,
): RunningTable {
  const upstreams = new Map(
    [...config.upstreams].map(([name, one]) => [name, createUpstream(one)] as const),
  );
  const routes = config.fallback ? [...config.routes, config.fallback] : config.routes;
  const sales = new Map(
    routes
      .filter(({ amountUnits }) => amountUnits !== undefined)
      .map((route) => {
        const former = before?.findSale(route)?.terms;
        return [nameOf(route), createSaleRoute(config, route, till, former)] as const;
      }),
  );
  let inside = 0;
  let whenEmpty: (() => void) | undefined;

  return {
    config,
    rules: compileRoutes(config),
    ownPaths: createOwnPaths(config),
    upstreamOf({ upstream: { name } }) {
      const upstream = upstreams.get(name);
      if (!upstream) throw new Error(`There is no upstream ${name}.`);
      return upstream;
    },
    saleOf: (route) => (route.amountUnits === undefined ? undefined : sales.get(nameOf(route))),
    findSale: (route) => sales.get(nameOf(route)),
    inFlight: () => new Map([...upstreams].map(([name, one]) => [name, one.inFlight()])),
    enter() {
      inside++;
      return () => {
        if (--inside === 0) whenEmpty?.();
      };
    },
    async retire() {
      if (inside > 0) await new Promise<void>((resolve) => (whenEmpty = resolve));
      await Promise.all([...upstreams.values()].map((upstream) => upstream.close()));
    },
  };
}

/** Two rules may have the same match on different hosts. */
function nameOf({ name, host }: RouteConfig): string {
  return JSON.stringify([host ?? "", name]);
}
