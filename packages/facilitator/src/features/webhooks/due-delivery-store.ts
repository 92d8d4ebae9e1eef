/**
 * Leases due deliveries of the endpoints that have waited longest. Deliveries of endpoints at their
 * limit are not read: each endpoint with pending deliveries is one step in an index.
 */
import { sql } from "kysely";
import type { Database } from "@farthing/engine/storage";
import { deliveryTable, endpointTable } from "./tables.ts";
import type { Channel, WebhookDelivery, WebhookEndpoint } from "./model.ts";

export interface DueDelivery {
  readonly delivery: WebhookDelivery;
  readonly endpoint: WebhookEndpoint;
}

export interface AttemptResult {
  readonly isDelivered: boolean;
  readonly status: number | null;
  readonly error: string | null;
  /** Null when it was delivered or given up. */
  readonly retryAt: number | null;
}

/** `exceptEndpoints` have reached their limit of concurrent deliveries. */
export interface DueDeliveryOptions {
  readonly now: number;
  readonly leaseMs: number;
  readonly limit: number;
  readonly exceptEndpoints?: readonly string[];
}

export async function takeDueDeliveries(
  inside: Database,
  options: DueDeliveryOptions,
): Promise<DueDelivery[]> {
  const { db } = inside;
  const ids: string[] = [];
  for (const endpoint of await findWaitingEndpoints(inside, "webhook", options)) {
    if (ids.length >= options.limit) break;
    ids.push(
      ...(await lockDue(inside, endpoint, { ...options, limit: options.limit - ids.length })),
    );
  }
  if (ids.length === 0) return [];
  const deliveries = await leaseUntil(inside, ids, options.now + options.leaseMs);
  const endpoints = await db
    .selectFrom("webhook_endpoints")
    .selectAll()
    .where("id", "in", [...new Set(deliveries.map(({ endpointId }) => endpointId))])
    .execute();
  const byId = new Map(endpoints.map((row) => [row.id, endpointTable.read(row)]));
  return deliveries.flatMap((delivery) => {
    const endpoint = byId.get(delivery.endpointId);
    return endpoint ? [{ delivery, endpoint }] : [];
  });
}

/** Counts an attempt of each delivery, which is due again at `until` unless its result is recorded. */
export async function leaseUntil(
  { db }: Database,
  ids: readonly string[],
  until: number,
): Promise<WebhookDelivery[]> {
  const rows = await db
    .updateTable("webhook_deliveries")
    .set(({ eb }) => ({ attempts: eb("attempts", "+", 1), next_at: until }))
    .where("id", "in", ids)
    .where("state", "=", "pending")
    .returningAll()
    .execute();
  return rows.map(deliveryTable.read);
}

/** Endpoints with due deliveries, the longest due first. */
export async function findWaitingEndpoints(
  { db }: Database,
  channel: Channel,
  {
    now,
    limit,
    exceptEndpoints = [],
  }: Pick<DueDeliveryOptions, "now" | "limit" | "exceptEndpoints">,
): Promise<string[]> {
  const isFree =
    exceptEndpoints.length === 0
      ? sql`true`
      : sql`endpoint not in (${sql.join([...exceptEndpoints])})`;
  const { rows } = await sql<{ endpoint: string }>`
    with recursive waiting(endpoint) as (
      select min(endpoint_id) from webhook_deliveries where state = 'pending'
      union all
      select (select min(endpoint_id) from webhook_deliveries
        where state = 'pending' and endpoint_id > waiting.endpoint)
      from waiting where waiting.endpoint is not null),
    oldest(endpoint, next_at) as (
      select endpoint, (select min(next_at) from webhook_deliveries
        where endpoint_id = waiting.endpoint and state = 'pending')
      from waiting where endpoint is not null and ${isFree})
    select oldest.endpoint from oldest
      join webhook_endpoints on webhook_endpoints.id = oldest.endpoint
    where oldest.next_at <= ${now} and disabled_at is null and paused_at is null
      and channel = ${channel} and rests_until <= ${now}
    order by oldest.next_at limit ${limit}`.execute(db);
  return rows.map(({ endpoint }) => endpoint);
}

/** Locks due deliveries of an endpoint, and skips those that another process is leasing. */
export async function lockDue(
  { db, engine }: Database,
  endpoint: string,
  { now, limit }: Pick<DueDeliveryOptions, "now" | "limit">,
): Promise<string[]> {
  let query = db
    .selectFrom("webhook_deliveries")
    .select("id")
    .where("endpoint_id", "=", endpoint)
    // A literal, so that SQLite sees that the partial index applies.
    .where("state", "=", sql.lit("pending"))
    .where("next_at", "<=", now)
    .orderBy("next_at")
    .limit(limit);
  if (engine.hasRowLocks) query = query.forUpdate().skipLocked();
  const rows = await query.execute();
  return rows.map(({ id }) => id);
}
