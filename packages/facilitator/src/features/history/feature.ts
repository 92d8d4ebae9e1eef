/** The history of an account's settlements, one by one and by day. */
import type { Waiters } from "@farthing/engine";
import { createHistoryStore, type HistoryStore } from "./store.ts";
import { aggregatesParticipant } from "./participant.ts";
import type { BookStore } from "../books/store.ts";
import type { Feature, RunningFeature } from "../feature.ts";
import { registerAccountSettlements, type HistoryRouteDeps } from "./routes.ts";
import { createHistory, type HistoryDeps } from "./service.ts";
import { registerUsage, type UsageRouteDeps } from "./usage-routes.ts";

export interface HistoryFeatureDeps
  extends HistoryDeps, UsageRouteDeps, Pick<HistoryRouteDeps, "explorers"> {
  readonly store: HistoryDeps["store"] & HistoryStore & Pick<BookStore, "findBooks">;
  readonly waiters: Waiters;
  readonly payments: HistoryRouteDeps["payments"];
}

export const history = {
  name: "history",
  participant: aggregatesParticipant,
  createStore: createHistoryStore,
  tags: [{ name: "Settlements", description: "Settlements and revenue of the account" }],
  create,
} satisfies Feature;

function create(deps: HistoryFeatureDeps): RunningFeature {
  const service = createHistory(deps);
  return {
    routes: {
      account(server) {
        registerAccountSettlements(server, { ...deps, history: service });
        registerUsage(server, deps);
      },
    },
  };
}
