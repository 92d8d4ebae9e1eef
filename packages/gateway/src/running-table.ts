/**
 * The rules in force: compiled, with the upstreams and sales behind them. A reload makes a new
 * table and lets go of the old one after the last request that came under it.
 */
import { allRoutes } from "./configuration/all-routes.ts";
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
  /** Of a route of `config`; undefined for a free one. */
  saleOf(route: RouteConfig): SaleRoute | undefined;
  /** The sale of the route of the same name and host, for the table that takes this one's place. */
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
  const sales = new Map(
    allRoutes(config)
      .filter(({ amountUnits }) => amountUnits !== undefined)
      .map((route) => {
        const former = before?.findSale(route)?.terms;
        return [route, createSaleRoute(config, route, till, former)] as const;
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
    saleOf: (route) => sales.get(route),
    findSale({ name, host, upstream }) {
      const same = [...sales.keys()].filter((one) => one.name === name && one.host === host);
      // Two rules with the same match differ in their upstreams.
      const former = same.find((one) => one.upstream.name === upstream.name) ?? same.at(-1);
      return former && sales.get(former);
    },
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
