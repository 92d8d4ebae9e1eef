/**
 * Webhook endpoints and their messages, signed by the Standard Webhooks specification
 * (standardwebhooks.com). The store adds events to the outbox in the transaction in which they
 * happen; deliveries.ts delivers them.
 */
import type { Paging, TimeCursor } from "@farthing/engine/storage";
import { createHmac, randomBytes } from "node:crypto";
import type { Address } from "@farthing/protocol";
import { timeText, type Runtime } from "@farthing/engine/base";
import type { EndpointChanges, WebhookDelivery, WebhookEndpoint, WebhookEvent } from "./model.ts";
import { newDeliveryId } from "./participant.ts";
import type { WebhookStore } from "./store.ts";

/** One endpoint for each system of an account, and some to spare. */
export const endpointsMax = 10;

/** As many bytes as the hash has. */
const secretBytes = 32;

export type Webhooks = ReturnType<typeof createWebhooks>;

export function createWebhooks(deps: Runtime & { readonly store: WebhookStore }) {
  const { store, clock, log } = deps;
  return {
    list: (account: Address) => store.listWebhooks(account),
    find: (account: Address, id: string) => store.findWebhook(account, id),
    /** Returns the endpoint with its secret; undefined when the account has `endpointsMax`. */
    async create(
      account: Address,
      { url, events }: { readonly url: string; readonly events: readonly WebhookEvent[] },
    ) {
      const endpoint: WebhookEndpoint = {
        id: `whk_${randomBytes(12).toString("hex")}`,
        account,
        channel: "webhook",
        url,
        secret: `whsec_${randomBytes(secretBytes).toString("base64")}`,
        events,
        createdAt: clock.nowMs(),
        disabledAt: null,
        pausedAt: null,
        isPausedByOwner: false,
      };
      if (!(await store.createWebhook(endpoint, { endpointsMax }))) return undefined;
      log.info(
        { event: "webhook_created", account, endpointId: endpoint.id, events },
        "Webhook created",
      );
      return endpoint;
    },
    async remove(account: Address, id: string) {
      const isRemoved = await store.disableWebhook(account, id, clock.nowMs());
      if (isRemoved)
        log.info({ event: "webhook_removed", account, endpointId: id }, "Webhook removed");
      return isRemoved;
    },
    /** Returns the changed endpoint; undefined when there is none. */
    async change(account: Address, id: string, changes: EndpointChanges) {
      const endpoint = await store.changeWebhook(account, id, { ...changes, now: clock.nowMs() });
      if (endpoint) {
        log.info(
          { event: "webhook_changed", account, endpointId: id, ...changes },
          "Webhook changed",
        );
      }
      return endpoint;
    },
    /** Adds a test message to the outbox; returns its id. */
    async test({ id: endpointId, account }: WebhookEndpoint) {
      const createdAt = clock.nowMs();
      const id = newDeliveryId();
      const type = "webhook.test";
      const data = { message: "This is a test; nothing happened.", endpointId };
      const body = JSON.stringify({ type, timestamp: timeText(createdAt), data });
      await store.addDelivery({ id, endpointId, account, type, body, createdAt });
      return id;
    },
    /** Newest first. */
    deliveries: ({ id }: WebhookEndpoint, paging: Paging<TimeCursor>) =>
      store.listDeliveries(id, paging),
    resend: ({ id }: WebhookEndpoint, deliveryId: string) =>
      store.resendDelivery(id, deliveryId, clock.nowMs()),
  };
}

/** The headers of one attempt; the signature covers its time, so that it does not stay valid. */
export function signatureHeaders(
  { id, body }: Pick<WebhookDelivery, "id" | "body">,
  secret: string,
  atSeconds: number,
): Readonly<Record<string, string>> {
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${atSeconds}.${body}`).digest("base64");
  return {
    "webhook-id": id,
    "webhook-timestamp": `${atSeconds}`,
    "webhook-signature": `v1,${signature}`,
  };
}
