/**
 * The outbox of webhooks and e-mail addresses: events are stored in the transaction in which they
 * happen, so that none is lost, and none of an undone transaction is sent.
 */
import { randomBytes } from "node:crypto";
import { isSameAddress, toLowerHex, type Address } from "@farthing/protocol";
import { depositOf } from "@farthing/engine";
import { timeText } from "@farthing/engine/base";
import {
  type AnnotationChanges,
  type Database,
  type EngineTransaction,
  type SettlementParticipant,
  type Transition,
  unchanged,
  textList,
} from "@farthing/engine/storage";
import { findBooks } from "../books/store.ts";
import { noBooks, type SettlementBooks } from "../../payments/books.ts";
import { settlementData, type AccountEventName, type WebhookDelivery } from "./model.ts";
import { newDeliveries, subscribers } from "./tables.ts";

export const webhooksParticipant: SettlementParticipant = {
  name: "webhooks",
  onTransitions: notifyAccounts,
};

/** The events of transitions; webhooks do not carry other transitions. */
const eventOf: Readonly<Partial<Record<Transition["kind"], AccountEventName>>> = {
  confirmed: "settlement.confirmed",
  failed: "settlement.failed",
  finalized: "settlement.finalized",
};

/**
 * Sellers serve by the events of payments, so a refund has events of its own, and so has a channel,
 * whose deposit is none of the seller's money yet.
 */
const eventOfRefund: typeof eventOf = {
  failed: "settlement.refund_failed",
  finalized: "settlement.refunded",
};

async function notifyAccounts(
  tx: EngineTransaction,
  transitions: readonly Transition[],
): Promise<AnnotationChanges> {
  const events = transitions.flatMap(({ kind, settlement }) => {
    const { owner: account } = settlement;
    if (depositOf(settlement.payTo, settlement.signature)) return [];
    const type = (settlement.refundOf === null ? eventOf : eventOfRefund)[kind];
    return account === null || type === undefined
      ? []
      : [{ account, type, data: settlementData(settlement), settlementId: settlement.id }];
  });
  await putIntoOutbox(tx, events, tx.now);
  return unchanged;
}

export interface AccountEvent {
  readonly account: Address;
  readonly type: AccountEventName;
  /** The JSON value of `data` in deliveries. */
  readonly data: object;
  /** The settlement whose books are added to `data`. */
  readonly settlementId?: string;
}

/** Returns the id of a new delivery: random bytes, by which endpoints recognise duplicates. */
export function newDeliveryId(): string {
  return `evt_${randomBytes(16).toString("hex")}`;
}

function booksOf(
  settlementId: string | undefined,
  books: ReadonlyMap<string, SettlementBooks>,
): Partial<SettlementBooks> {
  if (settlementId === undefined) return {};
  const { resource, route, reference } = books.get(settlementId) ?? noBooks;
  return { resource, route, reference };
}

/** Endpoints of one statement: an event for all accounts is stored in groups. */
const groupMax = 1_000;

/** Stores deliveries of an event that concerns every account, for the endpoints that subscribed to it. */
export async function putIntoEveryOutbox(
  database: Database,
  { type, data }: Pick<AccountEvent, "type" | "data">,
  now: number,
): Promise<void> {
  const { db } = database;
  let last = "";
  for (;;) {
    const rows = await db
      .selectFrom("webhook_endpoints")
      .select(subscribers.columns)
      .where("id", ">", last)
      .where("disabled_at", "is", null)
      .where("paused_at", "is", null)
      .orderBy("id")
      .limit(groupMax)
      .execute();
    const endpoints = rows.map(subscribers.read);
    const told = endpoints.filter(({ events }) => events.includes(type));
    const body = JSON.stringify({ type, timestamp: timeText(now), data });
    await storeDeliveries(
      database,
      told.map(({ id, account }) => newDelivery({ endpointId: id, account, type, body }, now)),
    );
    const end = endpoints.at(-1)?.id;
    if (end === undefined || rows.length < groupMax) return;
    last = end;
  }
}

/** Stores deliveries for the endpoints that subscribed to the events. */
export async function putIntoOutbox(
  { db, engine }: Database,
  events: readonly AccountEvent[],
  now: number,
): Promise<void> {
  if (events.length === 0) return;
  const accounts = [...new Set(events.map(({ account }) => toLowerHex(account)))];
  const asked = textList(engine, accounts);
  const rows = await db
    .selectFrom("webhook_endpoints")
    .select(subscribers.columns)
    .where("account", "in", db.selectFrom(asked).select("given.of"))
    .where("disabled_at", "is", null)
    .where("paused_at", "is", null)
    .execute();
  const endpoints = rows.map(subscribers.read);
  if (endpoints.length === 0) return;
  const books = await findBooks(
    { db, engine },
    events.flatMap(({ settlementId }) => settlementId ?? []),
  );
  const deliveries = events.flatMap(({ account, type, data, settlementId }) =>
    endpoints
      .filter((endpoint) => isSameAddress(endpoint.account, account))
      .filter((endpoint) => endpoint.events.includes(type))
      .map((endpoint) =>
        newDelivery(
          {
            endpointId: endpoint.id,
            account,
            type,
            body: JSON.stringify({
              type,
              timestamp: timeText(now),
              data: { ...data, ...booksOf(settlementId, books) },
            }),
          },
          now,
        ),
      ),
  );
  await storeDeliveries({ db, engine }, deliveries);
}

type NewDelivery = ReturnType<typeof newDeliveries.write>;

function newDelivery(
  event: Pick<WebhookDelivery, "endpointId" | "account" | "type" | "body">,
  now: number,
): NewDelivery {
  return newDeliveries.write({
    ...event,
    id: newDeliveryId(),
    createdAt: now,
    state: "pending",
    attempts: 0,
    nextAt: now,
  });
}

async function storeDeliveries(
  { db, engine }: Database,
  deliveries: readonly NewDelivery[],
): Promise<void> {
  if (deliveries.length === 0) return;
  const list = engine.list(deliveries, newDeliveries.types);
  await db
    .insertInto("webhook_deliveries")
    .columns(newDeliveries.names)
    .expression(db.selectFrom(list).select(newDeliveries.names))
    .execute();
}
