/** Webhooks: where accounts are notified of what happens, and the delivery of each event. */
import type { Clock, Log } from "@farthing/engine/base";
import { createGuardedPost, webhookReach } from "../../http/outbound/guarded-post.ts";
import type { WebhookStore } from "./store.ts";
import type { Feature } from "../feature.ts";
import type { StepUp } from "../sign-in/step-up.ts";
import { startDeliveries } from "./deliveries.ts";
import { registerWebhooks } from "./routes.ts";
import { createWebhooks } from "./service.ts";

/** What webhooks need. */
export interface WebhookFeatureDeps {
  readonly config: {
    /** Endpoints may be plain http and on this machine. */
    readonly webhookInsecure: boolean;
    readonly outboundCa: string | undefined;
  };
  readonly store: WebhookStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly version: string;
  readonly stepUp: StepUp;
}

/** Creates the feature. */
export function webhooksFeature(deps: WebhookFeatureDeps): Feature {
  const { stepUp } = deps;
  const { webhookInsecure, outboundCa: extraCa } = deps.config;
  const reach = webhookReach(webhookInsecure);
  const send = createGuardedPost({ reach, extraCa });
  const webhooks = createWebhooks(deps);
  return {
    name: "webhooks",
    routes: { account: (server) => registerWebhooks(server, { webhooks, reach, stepUp }) },
    jobs: [() => startDeliveries({ ...deps, send })],
  };
}
