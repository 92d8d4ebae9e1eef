/** Credits: the balance of an account and the ledger behind it. Settlements spend them by themselves. */
import type { Feature } from "../feature.ts";
import { registerCredits, type CreditRouteDeps } from "./routes.ts";

/** Creates the feature. */
export function creditsFeature(deps: CreditRouteDeps): Feature {
  return {
    name: "credits",
    routes: { account: (server) => registerCredits(server, deps) },
  };
}
