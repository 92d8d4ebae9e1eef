/** API keys: created, rotated and revoked by their account, and looked up by the key's own request. */
import type { Address } from "@farthing/protocol";
import type { Clock, Log } from "@farthing/engine/base";
import type { ApiKey } from "./model.ts";
import type { ApiKeyStore } from "./store.ts";
import type { Accounts } from "../accounts/service.ts";
import type { Feature } from "../feature.ts";
import type { StepUp } from "../sign-in/step-up.ts";
import { registerCurrentKey } from "./current-key-routes.ts";
import { registerKeys } from "./routes.ts";
import { createKeyRing } from "./service.ts";

/** What API keys need. */
export interface KeyFeatureDeps {
  readonly store: ApiKeyStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly accounts: Accounts;
  readonly stepUp: StepUp;
  authenticate(text: string): Promise<ApiKey | undefined>;
  findCredits(account: Address): Promise<{ readonly available: number }>;
}

/** Creates the feature. */
export function keysFeature(deps: KeyFeatureDeps): Feature {
  const keys = createKeyRing(deps);
  return {
    name: "api-keys",
    routes: {
      keyed: (server, { throttle }) => registerCurrentKey(server, deps, throttle),
      account: (server) => registerKeys(server, { keys, stepUp: deps.stepUp }),
    },
  };
}
