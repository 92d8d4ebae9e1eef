/** Accounts: profile, label and the limit below which the owner is told of few credits. */
import type { Feature } from "../feature.ts";
import { registerProfile, type ProfileDeps } from "./routes.ts";

/** Creates the feature. */
export function accountsFeature(deps: ProfileDeps): Feature {
  return {
    name: "accounts",
    routes: { account: (server) => registerProfile(server, deps) },
  };
}
