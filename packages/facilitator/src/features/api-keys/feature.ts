/** API keys: created, rotated and revoked by their account, and looked up by the key's own request. */
import type { Address } from "@farthing/protocol";
import type { Clock, Log } from "@farthing/engine/base";
import type { ApiKey } from "./model.ts";
import { createApiKeyStore, type ApiKeyStore } from "./store.ts";
import type { Accounts } from "../accounts/service.ts";
import { apiKeysParticipant } from "./participant.ts";
import type { Feature, RunningFeature } from "../feature.ts";
import type { StepUp } from "../sign-in/step-up.ts";
import { registerCurrentKey } from "./current-key-routes.ts";
import { registerKeys } from "./routes.ts";
import { createKey, rotateKey } from "./step-up.ts";
import { createKeyRing } from "./service.ts";

export interface KeyFeatureDeps {
  readonly store: ApiKeyStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly accounts: Accounts;
  readonly stepUp: StepUp;
  authenticate(text: string): Promise<ApiKey | undefined>;
  findCredits(account: Address): Promise<{ readonly available: number }>;
}

export const apiKeys = {
  name: "api-keys",
  participant: apiKeysParticipant,
  createStore: createApiKeyStore,
  stepUps: [createKey, rotateKey],
  tags: [{ name: "API keys", description: "Keys for /verify and /settle" }],
  create,
} satisfies Feature;

function create(deps: KeyFeatureDeps): RunningFeature {
  const keys = createKeyRing(deps);
  return {
    routes: {
      keyed: (server, { throttle }) => registerCurrentKey(server, deps, throttle),
      account: (server) => registerKeys(server, { keys, stepUp: deps.stepUp }),
    },
  };
}
