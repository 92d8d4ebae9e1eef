/** History: what was settled for an account, settlement by settlement and day by day. */
import type { ChainId } from "@farthing/protocol";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Waiters } from "../../settlement/waiters.ts";
import type { Store } from "../../storage/store.ts";
import type { Feature } from "../feature.ts";
import { registerAccountSettlements } from "./routes.ts";
import { createHistory, type HistoryDeps } from "./service.ts";
import { registerUsage } from "./usage-routes.ts";

/** What the history needs. */
export interface HistoryFeatureDeps {
  readonly store: Store;
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
