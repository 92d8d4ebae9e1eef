/** Connects the engine to the metrics, and to the watches over wallets and costs. */
import type { Runtime } from "@farthing/engine/base";
import type { NetworkState } from "@farthing/engine";
import type { XdcPrice } from "../payments/xdc-price.ts";
import { startCostWatch } from "./cost-watch.ts";
import type { Metrics } from "./metrics.ts";
import type { WatchedService } from "./network-metrics.ts";
import { startWalletWatch } from "./wallet-watch.ts";

interface WatchDeps extends Runtime, WatchedService {
  readonly config: { readonly xdcPrice: unknown };
  readonly engine: { status(): { readonly networks: readonly NetworkState[] } };
  readonly metrics: Pick<Metrics, "watchNetworks">;
  readonly xdcPrice: XdcPrice;
}

/** Returns what stops the watches. */
export function watchEngine(deps: WatchDeps): (() => Promise<void>)[] {
  const { networks } = deps.engine.status();
  deps.metrics.watchNetworks(networks, deps);
  const wallets = networks.map(({ network: { chainId }, view }) => ({ chainId, view }));
  const watches = [startWalletWatch({ ...deps, networks: wallets }).stop];
  // Without a price of XDC, costs are not compared.
  if (deps.config.xdcPrice !== undefined) watches.push(startCostWatch({ ...deps, networks }).stop);
  return watches;
}
