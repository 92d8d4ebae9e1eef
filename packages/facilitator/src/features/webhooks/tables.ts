/** The tables of webhooks. */
import type { Whole, WholeOrNull } from "@farthing/engine/storage";
import type { Address } from "@farthing/protocol";
import type { Selectable } from "kysely";
import type { Later, LaterWhole } from "../accounts/tables.ts";
import type { DeliveryState, DeliveryType } from "./model.ts";

export interface WebhookEndpointTable {
  id: string;
  account: Address;
  url: string;
  secret: string;
  /** JSON: the names of events. */
  events: string;
  created_at: Whole;
  disabled_at: WholeOrNull;
  paused_at: WholeOrNull;
  /** The time of creation or resumption: earlier failures do not count. */
  watched_since: Whole;
}

export interface WebhookDeliveryTable {
  id: string;
  endpoint_id: string;
  account: Address;
  type: DeliveryType;
  body: string;
  state: DeliveryState;
  attempts: number;
  next_at: Whole;
  last_status: Later<number>;
  last_error: Later<string>;
  created_at: Whole;
  delivered_at: LaterWhole;
}

export type WebhookEndpointRow = Selectable<WebhookEndpointTable>;
export type WebhookDeliveryRow = Selectable<WebhookDeliveryTable>;

declare module "@farthing/engine/storage" {
  interface Tables {
    webhook_endpoints: WebhookEndpointTable;
    webhook_deliveries: WebhookDeliveryTable;
  }
}
