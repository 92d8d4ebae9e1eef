/** Revenue: what an account's sales add up to by resource, route and payer. */
import type { Feature, RunningFeature } from "../feature.ts";
import { migrations } from "./migrations.ts";
import { revenueParticipant } from "./participant.ts";
import { registerRevenue, type RevenueRouteDeps } from "./routes.ts";
import { createRevenueStore } from "./store.ts";

export const revenue = {
  name: "revenue",
  participant: revenueParticipant,
  createStore: createRevenueStore,
  migrations,
  create: (deps: RevenueRouteDeps): RunningFeature => ({
    routes: {
      account: (server) => registerRevenue(server, deps),
    },
  }),
} satisfies Feature;
