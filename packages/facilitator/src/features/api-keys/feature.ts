/** API keys: created, rotated and revoked by their account, and looked up by the key's own request. */
import { createApiKeyStore } from "./store.ts";
import { apiKeysParticipant } from "./participant.ts";
import type { Feature, RunningFeature } from "../feature.ts";
import type { StepUp } from "../sign-in/step-up.ts";
import { registerCurrentKey, type CurrentKeyDeps } from "./current-key-routes.ts";
import { migrations } from "./migrations.ts";
import { registerKeys } from "./routes.ts";
import { createKey, rotateKey } from "./step-up.ts";
import { createKeyRing, type KeyRingDeps } from "./service.ts";

export interface KeyFeatureDeps extends KeyRingDeps, CurrentKeyDeps {
  readonly stepUp: StepUp;
}

export const apiKeys = {
  name: "api-keys",
  participant: apiKeysParticipant,
  createStore: createApiKeyStore,
  migrations,
  stepUps: [createKey, rotateKey],
  tags: [{ name: "API keys", description: "Keys for `/verify` and `/settle`" }],
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
