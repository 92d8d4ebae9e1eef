/** Revenue: what an account's sales add up to by resource, route and payer; and its customers. */
import type { Feature, RunningFeature } from "../feature.ts";
import { registerCustomers } from "./customer-routes.ts";
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
      account(server) {
        registerRevenue(server, deps);
        registerCustomers(server, deps);
      },
    },
  }),
} satisfies Feature;
