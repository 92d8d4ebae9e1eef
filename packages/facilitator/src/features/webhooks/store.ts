/** The store of webhook endpoints and their deliveries. */
import { toLowerHex, type Address } from "@farthing/protocol";
import { lockAccount } from "../accounts/store.ts";
import {
  atomic,
  type Database,
  fromCursor,
  toPage,
  type Paging,
  type TimeCursor,
} from "@farthing/engine/storage";
import { takeDueDeliveries, type AttemptResult } from "./due-delivery-store.ts";
import { outboxStateMethods } from "./outbox-state-store.ts";
import { deliveryMonthMethods } from "./delivery-months-store.ts";
import { divideMethods } from "./divide-store.ts";
import { oldDeliveryMethods } from "./old-delivery-store.ts";
import {
  deliveryTable,
  endpointTable,
  events as eventsColumn,
  newDeliveries,
  workingEndpoints,
} from "./tables.ts";
import type { EndpointChanges, WebhookDelivery, WebhookEndpoint } from "./model.ts";
import { putIntoOutbox } from "./participant.ts";

/**
 * Events of settlements, credits and purchases enter the outbox in the transaction in which they
 * happen, for the endpoints that subscribed to them.
 */
export type WebhookStore = ReturnType<typeof createWebhookStore>;

export function createWebhookStore(database: Database) {
  return {
    ...endpointMethods(database),
    ...deliveryMethods(database),
    ...oldDeliveryMethods(database),
    ...deliveryMonthMethods(database),
    ...divideMethods(database),
    ...outboxStateMethods(database),
  };
}

function endpointMethods(database: Database) {
  return {
    /** Stores an endpoint of an existing account; false when it has `endpointsMax`. */
    createWebhook: atomic(database, create),
    /** Endpoints that are not disabled, oldest first. */
    listWebhooks: async (account: Address) => {
      const rows = await workingEndpoints(database, account, "webhook")
        .orderBy("created_at")
        .orderBy("id")
        .execute();
      return rows.map(endpointTable.read);
    },
    findWebhook: async (account: Address, id: string) => {
      const row = await workingEndpoints(database, account, "webhook")
        .where("id", "=", id)
        .executeTakeFirst();
      return row && endpointTable.read(row);
    },
    /** Disables an endpoint and ends its pending deliveries; false when there is none. */
    disableWebhook: atomic(database, disable),
    /**
     * Pauses an endpoint that accepted nothing for `quietMs` and has at least `failuresMin` failed
     * deliveries, and ends its pending deliveries. Returns false when it stays active.
     */
    pauseWebhook: atomic(database, pause),
    /** Changes an endpoint for its owner and returns it; undefined when there is none. */
    changeWebhook: atomic(database, change),
  };
}

async function create(
  inside: Database,
  endpoint: WebhookEndpoint,
  { endpointsMax }: { readonly endpointsMax: number },
): Promise<boolean> {
  await lockAccount(inside, endpoint.account);
  const others = await workingEndpoints(inside, endpoint.account, endpoint.channel).execute();
  if (others.length >= endpointsMax) return false;
  const row = {
    ...endpointTable.write(endpoint),
    watched_since: endpoint.createdAt,
    rests_until: 0,
  };
  await inside.db.insertInto("webhook_endpoints").values(row).execute();
  return true;
}

async function change(
  inside: Database,
  account: Address,
  id: string,
  { events, isPaused, now }: EndpointChanges & { readonly now: number },
): Promise<WebhookEndpoint | undefined> {
  const row = await inside.db
    .updateTable("webhook_endpoints")
    .set({
      ...(events && { events: eventsColumn.write(events) }),
      ...(isPaused === true && { paused_at: now, is_paused_by_owner: 1 }),
      // Failures before this do not count.
      ...(isPaused === false && { paused_at: null, is_paused_by_owner: 0, watched_since: now }),
      // An update of nothing is no statement.
      id,
    })
    .where("account", "=", toLowerHex(account))
    .where("id", "=", id)
    .where("disabled_at", "is", null)
    .returningAll()
    .executeTakeFirst();
  if (row && isPaused === true) await failPending(inside.db, id, pausedError);
  return row && endpointTable.read(row);
}

async function pause(
  inside: Database,
  id: string,
  terms: { readonly quietMs: number; readonly failuresMin: number; readonly now: number },
): Promise<boolean> {
  const { db } = inside;
  const { quietMs, failuresMin, now } = terms;
  const row = await db
    .updateTable("webhook_endpoints")
    .set({ paused_at: now, is_paused_by_owner: 0 })
    .where("id", "=", id)
    .where("paused_at", "is", null)
    .where("disabled_at", "is", null)
    .where("watched_since", "<=", now - quietMs)
    // The row at this offset exists when there are enough failures; further ones are not counted.
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom("webhook_deliveries")
          .select("id")
          .where("endpoint_id", "=", id)
          .where("state", "=", "failed")
          .whereRef("created_at", ">=", "webhook_endpoints.watched_since")
          .limit(1)
          .offset(failuresMin - 1),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("webhook_deliveries")
            .select("id")
            .where("endpoint_id", "=", id)
            .where("delivered_at", ">", now - quietMs),
        ),
      ),
    )
    .returningAll()
    .executeTakeFirst();
  if (!row) return false;
  await failPending(db, id, pausedError);
  const { account, channel, url } = endpointTable.read(row);
  if (channel === "webhook") {
    const data = { endpointId: id, url };
    await putIntoOutbox(inside, [{ account, type: "webhook.paused", data }], now);
  }
  return true;
}

const pausedError = "The endpoint was paused";

async function failPending(db: Database["db"], id: string, why: string): Promise<void> {
  await db
    .updateTable("webhook_deliveries")
    .set({ state: "failed", last_error: why })
    .where("endpoint_id", "=", id)
    .where("state", "=", "pending")
    .execute();
}

async function disable(
  { db }: Database,
  account: Address,
  id: string,
  now: number,
): Promise<boolean> {
  const result = await db
    .updateTable("webhook_endpoints")
    .set(({ eb }) => ({
      disabled_at: now,
      // An e-mail address is erased with it.
      url: eb.case().when("channel", "=", "email").then("").else(eb.ref("url")).end(),
    }))
    .where("account", "=", toLowerHex(account))
    .where("id", "=", id)
    .where("disabled_at", "is", null)
    .executeTakeFirst();
  if (result.numUpdatedRows === 0n) return false;
  await failPending(db, id, "The endpoint was removed");
  return true;
}

function deliveryMethods(database: Database) {
  const { db } = database;
  return {
    /** Adds a test delivery to the outbox. */
    addDelivery: async (
      delivery: Pick<
        WebhookDelivery,
        "id" | "endpointId" | "account" | "type" | "body" | "createdAt"
      >,
    ) => {
      await db
        .insertInto("webhook_deliveries")
        .values(
          newDeliveries.write({
            ...delivery,
            state: "pending",
            attempts: 0,
            nextAt: delivery.createdAt,
          }),
        )
        .execute();
    },
    /** Newest first. */
    listDeliveries: async (endpointId: string, { from, limit }: Paging<TimeCursor>) => {
      const rows = await db
        .selectFrom("webhook_deliveries")
        .selectAll()
        .where("endpoint_id", "=", endpointId)
        .where(fromCursor(from))
        .orderBy("created_at", "desc")
        .orderBy("id", "desc")
        .limit(limit + 1)
        .execute();
      return toPage(rows.map(deliveryTable.read), limit);
    },
    /** Makes a delivery due again from its first attempt; undefined when there is none. */
    resendDelivery: atomic(
      database,
      async (inside, endpointId: string, deliveryId: string, now: number) => {
        const row = await inside.db
          .updateTable("webhook_deliveries")
          .set({ state: "pending", attempts: 0, next_at: now })
          .where("endpoint_id", "=", endpointId)
          .where("id", "=", deliveryId)
          .returningAll()
          .executeTakeFirst();
        return row && deliveryTable.read(row);
      },
    ),
    /** Counts the attempt. Unless its result is recorded, it is due again after `leaseMs`. */
    takeDueDeliveries: atomic(database, takeDueDeliveries),
    /** Changes nothing when the delivery is no longer pending. */
    recordAttempt: atomic(database, recordAttempt),
  };
}

async function recordAttempt(
  { db }: Database,
  deliveryId: string,
  { isDelivered, status, error, retryAt }: AttemptResult,
  now: number,
): Promise<void> {
  await db
    .updateTable("webhook_deliveries")
    .set({
      last_status: status,
      last_error: error,
      ...(retryAt === null
        ? { state: isDelivered ? "delivered" : "failed" }
        : { next_at: retryAt }),
      ...(isDelivered ? { delivered_at: now } : {}),
    })
    .where("id", "=", deliveryId)
    .where("state", "=", "pending")
    .execute();
}
