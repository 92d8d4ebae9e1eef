/**
 * The outbox of webhooks: events are stored for the endpoints that subscribed to them, in the
 * transaction in which they happen. Events of undone transactions are never sent, and none are
 * lost.
 */
import { randomBytes } from "node:crypto";
import { toLowerHex, type Address } from "@farthing/protocol";
import { timeText } from "@farthing/engine/base";
import {
  type AnnotationChanges,
  type Database,
  type EngineTransaction,
  type SettlementParticipant,
  type Transition,
  unchanged,
} from "@farthing/engine/storage";
import { settlementData, type WebhookEvent } from "./model.ts";

export const webhooksParticipant: SettlementParticipant = {
  name: "webhooks",
  onTransitions: notifyAccounts,
};

/** The events of transitions; webhooks do not carry other transitions. */
const eventOf: Readonly<Partial<Record<Transition["kind"], WebhookEvent>>> = {
  confirmed: "settlement.confirmed",
  failed: "settlement.failed",
  finalized: "settlement.finalized",
};

async function notifyAccounts(
  tx: EngineTransaction,
  transitions: readonly Transition[],
): Promise<AnnotationChanges> {
  const events = transitions.flatMap(({ kind, settlement }) => {
    const { owner: account } = settlement;
    const type = eventOf[kind];
    return account === null || type === undefined
      ? []
      : [{ account, type, data: settlementData(settlement) }];
  });
  await putIntoOutbox(tx, events, tx.now);
  return unchanged;
}

/** An event of an account. */
export interface AccountEvent {
  readonly account: Address;
  readonly type: WebhookEvent;
  /** The JSON value of `data` in deliveries. */
  readonly data: object;
}

/** Random bytes of a delivery's id, by which endpoints recognise duplicates. */
const idBytes = 16;

const deliveryColumns = {
  id: "text",
  endpoint_id: "text",
  account: "text",
  type: "text",
  body: "text",
  created_at: "bigint",
  state: "text",
  attempts: "bigint",
  next_at: "bigint",
} as const;

const deliveryNames = [
  "id",
  "endpoint_id",
  "account",
  "type",
  "body",
  "created_at",
  "state",
  "attempts",
  "next_at",
] as const;

/** Stores deliveries for the endpoints that subscribed to the events. */
export async function putIntoOutbox(
  { db, engine }: Database,
  events: readonly AccountEvent[],
  now: number,
): Promise<void> {
  if (events.length === 0) return;
  const accounts = [...new Set(events.map(({ account }) => toLowerHex(account)))];
  const asked = engine.list(
    accounts.map((of) => ({ of })),
    { of: "text" },
  );
  const endpoints = await db
    .selectFrom("webhook_endpoints")
    .select(["id", "account", "events"])
    .where("account", "in", db.selectFrom(asked).select("given.of"))
    .where("disabled_at", "is", null)
    .where("paused_at", "is", null)
    .execute();
  const deliveries = events.flatMap(({ account, type, data }) =>
    endpoints
      .filter((endpoint) => endpoint.account === toLowerHex(account))
      .filter((endpoint) => eventsOf(endpoint.events).includes(type))
      .map((endpoint) => ({
        id: `evt_${randomBytes(idBytes).toString("hex")}`,
        endpoint_id: endpoint.id,
        account: endpoint.account,
        type,
        body: JSON.stringify({ type, timestamp: timeText(now), data }),
        created_at: now,
        state: "pending" as const,
        attempts: 0,
        next_at: now,
      })),
  );
  if (deliveries.length === 0) return;
  const list = engine.list(deliveries, deliveryColumns);
  await db
    .insertInto("webhook_deliveries")
    .columns(deliveryNames)
    .expression(db.selectFrom(list).select(deliveryNames))
    .execute();
}

/** Reads the stored events of an endpoint. */
export function eventsOf(text: string): readonly string[] {
  const value: unknown = JSON.parse(text);
  return Array.isArray(value) ? value.filter((name) => typeof name === "string") : [];
}
