/** Accounts: profile, label and the limit below which the owner is told of few credits. */
import { createAccountStore } from "./store.ts";
import type { Feature, RunningFeature } from "../feature.ts";
import { registerProfile, type ProfileDeps } from "./routes.ts";

export const accounts = {
  name: "accounts",
  createStore: createAccountStore,
  tags: [{ name: "Account", description: "The account and its sessions" }],
  create,
} satisfies Feature;

function create(deps: ProfileDeps): RunningFeature {
  return {
    routes: { account: (server) => registerProfile(server, deps) },
  };
}
