/** Accounts: profile, label and the threshold below which the owner is notified of few credits. */
import { createAccountStore } from "./store.ts";
import type { Feature, RunningFeature } from "../feature.ts";
import { registerProfile, type ProfileDeps } from "./routes.ts";

export const accounts = {
  name: "accounts",
  createStore: createAccountStore,
  tags: [{ name: "Account", description: "The account and its sessions" }],
  create: (deps: ProfileDeps): RunningFeature => ({
    routes: { account: (server) => registerProfile(server, deps) },
  }),
} satisfies Feature;
