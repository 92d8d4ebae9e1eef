/** The action of webhooks that requires a step-up signature. */
import { Type } from "typebox";
import type { StepUpAction } from "../sign-in/step-up.ts";

const maxUrlChars = 2_000;

export const webhookSecret = {
  action: "webhook_secret",
  permission: "manage_webhooks",
  details: { url: Type.String({ format: "uri", maxLength: maxUrlChars }) },
  sentence: ({ url }) => `create a webhook, with a new secret, for ${url}.`,
} as const satisfies StepUpAction<"webhook_secret">;
