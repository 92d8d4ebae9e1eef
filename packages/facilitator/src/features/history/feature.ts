/** History: what was settled for an account, settlement by settlement and day by day. */
import type { ChainId } from "@farthing/protocol";
import type { Waiters } from "@farthing/engine";
import type { Clock, Log } from "@farthing/engine/base";
import type { HistoryStore } from "./store.ts";
import type { Feature } from "../feature.ts";
import { registerAccountSettlements } from "./routes.ts";
import { createHistory, type HistoryDeps } from "./service.ts";
import { registerUsage } from "./usage-routes.ts";

/** What the history needs. */
export interface HistoryFeatureDeps {
  readonly store: HistoryDeps["store"] & HistoryStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly waiters: Waiters;
  networkOf(chainId: ChainId): ReturnType<HistoryDeps["networkOf"]>;
}

/** Creates the feature. */
export function historyFeature(deps: HistoryFeatureDeps): Feature {
  const history = createHistory(deps);
  return {
    name: "history",
    routes: {
      account(server) {
        registerAccountSettlements(server, { ...deps, history });
        registerUsage(server, deps);
      },
    },
  };
}
