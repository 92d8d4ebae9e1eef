/** A part of the scenario: an e-mail address, its confirmation, and a mail that is refused. */
import type { Address } from "@farthing/protocol";
import type { Channel, WebhookEndpoint } from "../../src/features/webhooks/model.ts";
import type { ServiceStore } from "../../src/features/open-store.ts";
import { next } from "./store-values.testing.ts";

/** An endpoint that is not stored yet. */
export function endpointOf(account: Address, channel: Channel, now: number): WebhookEndpoint {
  return {
    id: `${channel}_${next()}`,
    account,
    channel,
    url: channel === "email" ? "mailto:anna@shop.example" : "https://shop.example",
    secret: "s",
    events: ["settlement.confirmed"],
    createdAt: now,
    disabledAt: null,
    pausedAt: null,
    isPausedByOwner: false,
  };
}

/** Calls every method about e-mail. */
export async function useEmails(
  store: ServiceStore,
  { account, now }: { readonly account: Address; readonly now: number },
): Promise<void> {
  const endpoint = endpointOf(account, "email", now);
  await store.createWebhook(endpoint, { endpointsMax: 1_000 });
  await store.listEmails(account);
  await store.findEmail(endpoint.id);
  await store.countEmail(`mailbox:${next()}`, { since: now, sentMax: 1 });
  const hash = `${next()}`;
  await store.keepConfirmation(endpoint.id, hash, now + 1);
  await store.confirmEmail(hash, now);
  const whose = { endpointId: endpoint.id, account, createdAt: now };
  await store.addDelivery({ ...whose, id: `evt_${next()}`, type: "webhook.test", body: "{}" });
  const until = now + 1_000;
  await store.takeDigests({ now, until, limit: 4 });
  await store.takeFurther(endpoint.id, { now, until });
  const failed = { isDelivered: false, status: 451, error: "e", retryAt: until, triesMax: 2 };
  await store.recordDigest({ endpoint, leasedUntil: until }, failed, now);
  await store.disableWebhook(account, endpoint.id, now);
}
