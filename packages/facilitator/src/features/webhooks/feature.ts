/** Webhooks: endpoints of accounts, and the delivery of events to them. */
import type { Runtime } from "@farthing/engine/base";
import { createGuardedPost, webhookReach } from "../../http/outbound/guarded-post.ts";
import { createWebhookStore, type WebhookStore } from "./store.ts";
import { webhooksParticipant } from "./participant.ts";
import type { Feature, RunningFeature } from "../feature.ts";
import type { StepUp } from "../sign-in/step-up.ts";
import { startDeliveries } from "./deliveries.ts";
import { migrations } from "./migrations.ts";
import { registerWebhooks } from "./routes.ts";
import { webhookSecret } from "./step-up.ts";
import { createWebhooks } from "./service.ts";

export interface WebhookFeatureDeps extends Runtime {
  readonly config: {
    /** Endpoints may be plain http and on this machine. */
    readonly webhookInsecure: boolean;
    readonly outboundCa: string | undefined;
  };
  readonly store: WebhookStore;
  readonly version: string;
  readonly stepUp: StepUp;
}

export const webhooks = {
  name: "webhooks",
  participant: webhooksParticipant,
  createStore: createWebhookStore,
  migrations,
  stepUps: [webhookSecret],
  tags: [{ name: "Webhooks", description: "Signed notices of events, sent to your server" }],
  create,
} satisfies Feature;

function create(deps: WebhookFeatureDeps): RunningFeature {
  const { stepUp } = deps;
  const { webhookInsecure, outboundCa: extraCa } = deps.config;
  const reach = webhookReach(webhookInsecure);
  const send = createGuardedPost({ reach, extraCa });
  const service = createWebhooks(deps);
  return {
    routes: { account: (server) => registerWebhooks(server, { webhooks: service, reach, stepUp }) },
    jobs: [() => startDeliveries({ ...deps, send })],
  };
}
