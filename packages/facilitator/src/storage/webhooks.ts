/** Webhooks: endpoints, and the deliveries that outbox.ts has put down for them. */
import { toLowerHex, type Address } from "@farthing/protocol";
import { webhookEvents, type WebhookDelivery, type WebhookEndpoint } from "../model/webhook.ts";
import type { WebhookDeliveryRow, WebhookEndpointRow } from "./account-schema.ts";
import type { DueDelivery, WebhookVerbs } from "./account-store.ts";
import { lockAccount } from "./accounts.ts";
import { inTransaction, type Database } from "./dialect.ts";
import { eventsOf } from "./outbox.ts";
import { fromCursor, toPage } from "./pages.ts";
import { address, numberOrNull } from "./rows.ts";

/** The store's verbs about webhooks. */
export function webhookVerbs(database: Database): WebhookVerbs {
  return { ...endpointVerbs(database), ...deliveryVerbs(database) };
}

type EndpointVerbs = Pick<
  WebhookVerbs,
  | "createWebhook"
  | "listWebhooks"
  | "findWebhook"
  | "disableWebhook"
  | "pauseWebhook"
  | "resumeWebhook"
>;

/** An account's endpoints that are not disabled. */
function working({ db }: Database, account: Address) {
  return db
    .selectFrom("webhook_endpoints")
    .selectAll()
    .where("account", "=", toLowerHex(account))
    .where("disabled_at", "is", null);
}

function endpointVerbs(database: Database): EndpointVerbs {
  return {
    createWebhook: (endpoint, { endpointsMax }) =>
      inTransaction(database, async (inside) => {
        await lockAccount(inside, endpoint.account);
        const others = await working(inside, endpoint.account).execute();
        if (others.length >= endpointsMax) return false;
        await inside.db
          .insertInto("webhook_endpoints")
          .values({
            id: endpoint.id,
            account: toLowerHex(endpoint.account),
            url: endpoint.url,
            secret: endpoint.secret,
            events: JSON.stringify(endpoint.events),
            created_at: endpoint.createdAt,
            disabled_at: endpoint.disabledAt,
            paused_at: endpoint.pausedAt,
            watched_since: endpoint.createdAt,
          })
          .execute();
        return true;
      }),
    listWebhooks: async (account) => {
      const rows = await working(database, account).orderBy("created_at").orderBy("id").execute();
      return rows.map(toEndpoint);
    },
    findWebhook: async (account, id) => {
      const row = await working(database, account).where("id", "=", id).executeTakeFirst();
      return row && toEndpoint(row);
    },
    disableWebhook: (account, id, now) =>
      inTransaction(database, (inside) => disable(inside, account, id, now)),
    pauseWebhook: (id, terms) => inTransaction(database, (inside) => pause(inside, id, terms)),
    resumeWebhook: async (account, id, now) => {
      const row = await database.db
        .updateTable("webhook_endpoints")
        .set({ paused_at: null, watched_since: now })
        .where("account", "=", toLowerHex(account))
        .where("id", "=", id)
        .where("disabled_at", "is", null)
        .returningAll()
        .executeTakeFirst();
      return row && toEndpoint(row);
    },
  };
}

async function pause(
  { db }: Database,
  id: string,
  { quietMs, failuresMin, now }: Parameters<WebhookVerbs["pauseWebhook"]>[1],
): Promise<boolean> {
  const result = await db
    .updateTable("webhook_endpoints")
    .set({ paused_at: now })
    .where("id", "=", id)
    .where("paused_at", "is", null)
    .where("disabled_at", "is", null)
    .where("watched_since", "<=", now - quietMs)
    // There are as many when there is a last one of so many: more are not counted.
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
    .executeTakeFirst();
  if (result.numUpdatedRows === 0n) return false;
  await giveUpOn(db, id, "The endpoint was paused");
  return true;
}

/** Ends what is on its way to an endpoint. */
async function giveUpOn(db: Database["db"], id: string, why: string): Promise<void> {
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
    .set({ disabled_at: now })
    .where("account", "=", toLowerHex(account))
    .where("id", "=", id)
    .where("disabled_at", "is", null)
    .executeTakeFirst();
  if (result.numUpdatedRows === 0n) return false;
  await giveUpOn(db, id, "The endpoint was removed");
  return true;
}

function deliveryVerbs(database: Database): Omit<WebhookVerbs, keyof EndpointVerbs> {
  const { db } = database;
  return {
    addDelivery: async (delivery) => {
      await db
        .insertInto("webhook_deliveries")
        .values({
          id: delivery.id,
          endpoint_id: delivery.endpointId,
          account: toLowerHex(delivery.account),
          type: delivery.type,
          body: delivery.body,
          state: "pending",
          attempts: 0,
          next_at: delivery.createdAt,
          created_at: delivery.createdAt,
        })
        .execute();
    },
    listDeliveries: async (endpointId, { from, limit }) => {
      const rows = await db
        .selectFrom("webhook_deliveries")
        .selectAll()
        .where("endpoint_id", "=", endpointId)
        .where(fromCursor(from))
        .orderBy("created_at", "desc")
        .orderBy("id", "desc")
        .limit(limit + 1)
        .execute();
      return toPage(rows.map(toDelivery), limit);
    },
    resendDelivery: async (endpointId, deliveryId, now) => {
      const row = await db
        .updateTable("webhook_deliveries")
        .set({ state: "pending", attempts: 0, next_at: now })
        .where("endpoint_id", "=", endpointId)
        .where("id", "=", deliveryId)
        .returningAll()
        .executeTakeFirst();
      return row && toDelivery(row);
    },
    takeDueDeliveries: (options) => inTransaction(database, (inside) => takeDue(inside, options)),
    recordAttempt: async (deliveryId, { isDelivered, status, error, retryAt }, now) => {
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
    },
  };
}

async function takeDue(
  { db, engine }: Database,
  options: Parameters<WebhookVerbs["takeDueDeliveries"]>[0],
): Promise<DueDelivery[]> {
  const { now, leaseMs, limit, exceptEndpoints = [] } = options;
  let query = db
    .selectFrom("webhook_deliveries")
    .innerJoin("webhook_endpoints", "webhook_endpoints.id", "webhook_deliveries.endpoint_id")
    .select(["webhook_deliveries.id", "webhook_deliveries.endpoint_id"])
    .where("webhook_deliveries.state", "=", "pending")
    .where("webhook_deliveries.next_at", "<=", now)
    .where("webhook_endpoints.disabled_at", "is", null)
    .where("webhook_endpoints.paused_at", "is", null)
    .orderBy("webhook_deliveries.next_at")
    .limit(limit);
  if (exceptEndpoints.length > 0) {
    query = query.where("webhook_deliveries.endpoint_id", "not in", [...exceptEndpoints]);
  }
  // What another process is just taking is its own.
  if (engine.hasRowLocks) query = query.forUpdate("webhook_deliveries").skipLocked();
  const due = await query.execute();
  if (due.length === 0) return [];
  const rows = await db
    .updateTable("webhook_deliveries")
    .set(({ eb }) => ({ attempts: eb("attempts", "+", 1), next_at: now + leaseMs }))
    .where(
      "id",
      "in",
      due.map(({ id }) => id),
    )
    .returningAll()
    .execute();
  const endpoints = await db
    .selectFrom("webhook_endpoints")
    .selectAll()
    .where("id", "in", [...new Set(due.map(({ endpoint_id: id }) => id))])
    .execute();
  const byId = new Map(endpoints.map((row) => [row.id, toEndpoint(row)]));
  return rows.flatMap((row) => {
    const endpoint = byId.get(row.endpoint_id);
    return endpoint ? [{ delivery: toDelivery(row), endpoint }] : [];
  });
}

function toEndpoint(row: WebhookEndpointRow): WebhookEndpoint {
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

/** A delivery as the model has it. */
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
