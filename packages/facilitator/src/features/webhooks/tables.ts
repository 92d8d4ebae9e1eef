/** The tables of webhooks. */
import { toLowerHex, type Address } from "@farthing/protocol";
import {
  type Database,
  flag,
  integer,
  nullable,
  optional,
  smallInteger,
  table,
  text,
  walletAddress,
  type Column,
  type KyselyTable,
  type Whole,
} from "@farthing/engine/storage";
import {
  accountEvents,
  type AccountEventName,
  type Channel,
  type DeliveryState,
  type DeliveryType,
} from "./model.ts";

/** The subscribed events as JSON. Names that this version does not know are left out. */
export const events: Column<readonly AccountEventName[], string> = {
  type: "text",
  read: (stored) => {
    const names: unknown = JSON.parse(stored);
    return Array.isArray(names) ? accountEvents.filter((event) => names.includes(event)) : [];
  },
  write: (value) => JSON.stringify(value),
};

const subscriber = { id: text(), account: walletAddress(), events };

export const subscribers = table("webhook_endpoints", subscriber);

export const endpointTable = table("webhook_endpoints", {
  ...subscriber,
  channel: text<Channel>(),
  url: text(),
  secret: text(),
  createdAt: integer(),
  disabledAt: nullable(integer()),
  pausedAt: nullable(integer()),
  isPausedByOwner: flag(),
});

const delivery = {
  id: text(),
  endpointId: text(),
  account: walletAddress(),
  type: text<DeliveryType>(),
  body: text(),
  state: text<DeliveryState>(),
  attempts: smallInteger(),
  nextAt: integer(),
  createdAt: integer(),
};

export const newDeliveries = table("webhook_deliveries", delivery);

export const deliveryTable = table("webhook_deliveries", {
  ...delivery,
  lastStatus: optional(nullable(smallInteger())),
  lastError: optional(nullable(text())),
  deliveredAt: optional(nullable(integer())),
});

declare module "@farthing/engine/storage" {
  interface Tables {
    webhook_endpoints: KyselyTable<typeof endpointTable> & {
      /** The time of creation or resumption: earlier failures do not count. */
      watched_since: Whole;
      /** Nothing is taken from the outbox before this time. */
      rests_until: Whole;
    };
    webhook_deliveries: KyselyTable<typeof deliveryTable>;
  }
}

export function workingEndpoints({ db }: Database, account: Address, channel: Channel) {
  return db
    .selectFrom("webhook_endpoints")
    .selectAll()
    .where("account", "=", toLowerHex(account))
    .where("disabled_at", "is", null)
    .where("channel", "=", channel);
}
