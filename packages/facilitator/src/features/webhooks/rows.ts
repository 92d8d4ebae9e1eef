/** Rows of webhooks as the model has them. */
import { webhookEvents, type WebhookDelivery, type WebhookEndpoint } from "./model.ts";
import type { WebhookDeliveryRow, WebhookEndpointRow } from "./tables.ts";
import { eventsOf } from "./participant.ts";
import { address, numberOrNull } from "@farthing/engine/storage";

export function toEndpoint(row: WebhookEndpointRow): WebhookEndpoint {
  const wanted = eventsOf(row.events);
  return {
    id: row.id,
    account: address(row.account),
    url: row.url,
    secret: row.secret,
    events: webhookEvents.filter((event) => wanted.includes(event)),
    createdAt: Number(row.created_at),
    disabledAt: numberOrNull(row.disabled_at),
    pausedAt: numberOrNull(row.paused_at),
  };
}

export function toDelivery(row: WebhookDeliveryRow): WebhookDelivery {
  return {
    id: row.id,
    endpointId: row.endpoint_id,
    account: address(row.account),
    type: row.type,
    body: row.body,
    state: row.state,
    attempts: row.attempts,
    nextAt: Number(row.next_at),
    lastStatus: row.last_status,
    lastError: row.last_error,
    createdAt: Number(row.created_at),
    deliveredAt: numberOrNull(row.delivered_at),
  };
}
