/** E-mail addresses of accounts. Times are milliseconds since 1970. */
import type { WebhookDelivery, WebhookEndpoint } from "../webhooks/model.ts";

/** An address is an endpoint of the outbox, paused until its mailbox has confirmed it. */
export interface EmailRecipient {
  readonly endpoint: WebhookEndpoint;
  /** Null until somebody has used the link that was sent to the address. */
  readonly confirmedAt: number | null;
}

/** The notices of one mail. */
export interface Digest {
  readonly endpoint: WebhookEndpoint;
  readonly deliveries: readonly WebhookDelivery[];
  /** When they are due again unless the result is recorded; names them together with the endpoint. */
  readonly leasedUntil: number;
}

/** What becomes of a mail: `failed` is sent again later, and the notices of one given up are lost. */
export const emailOutcomes = ["sent", "failed", "given_up"] as const;

export type EmailOutcome = (typeof emailOutcomes)[number];

const scheme = "mailto:";

export const urlOf = (address: string) => `${scheme}${address}`;

export const addressOf = ({ url }: Pick<WebhookEndpoint, "url">) => url.slice(scheme.length);
