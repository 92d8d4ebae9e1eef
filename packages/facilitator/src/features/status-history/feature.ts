/** The history of the service that the status page shows. */
import type { Feature, RunningFeature } from "../feature.ts";
import { migrations } from "./migrations.ts";
import { createStatusHistoryStore } from "./store.ts";

export const statusHistory = {
  name: "status-history",
  createStore: createStatusHistoryStore,
  migrations,
  create: (): RunningFeature => ({}),
} satisfies Feature;
