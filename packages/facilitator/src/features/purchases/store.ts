/** Transitions of purchases are guarded; the one to `credited` adds the credits. */
import {
  atomic,
  type Page,
  type Database,
  fromCursor,
  toPage,
  type Paging,
  type TimeCursor,
} from "@farthing/engine/storage";
import { toLowerHex, type Address } from "@farthing/protocol";
import { sql } from "kysely";
import { assert } from "@farthing/engine/base";
import {
  purchaseTransitions,
  type CreditPurchase,
  type PurchaseMove,
  type PurchaseState,
} from "./model.ts";
import { purchaseData } from "../webhooks/model.ts";
import { newPurchases, purchaseTable, type CreditPurchaseRow } from "./tables.ts";
import { lockAccount } from "../accounts/store.ts";
import { lockFunds } from "../credits/funds-store.ts";
import { putIntoOutbox } from "../webhooks/participant.ts";

/** The first purchase of a page, by id and by the time that orders the list. */
export interface PurchaseCursor {
  readonly at: number;
  readonly id: string;
}

export type PurchaseStore = ReturnType<typeof createPurchaseStore>;

const firstPurchase: PurchaseCursor = { at: 0, id: "" };

export function createPurchaseStore(database: Database) {
  const { db } = database;
  const all = () => db.selectFrom("credit_purchases").selectAll();
  return {
    /**
     * Stores an unpaid purchase; false when its account has `awaitingMax` of them, or when its
     * payment is that of another purchase.
     */
    createPurchase: atomic(database, createPurchase),
    /** Limited to `account` when given. */
    findPurchase: async (id: string, account?: Address) => {
      let query = all().where("id", "=", id);
      if (account !== undefined) query = query.where("account", "=", toLowerHex(account));
      const row = await query.executeTakeFirst();
      return row && purchaseTable.read(row);
    },
    /** Newest first. */
    listPurchases: async (account: Address, { from, limit }: Paging<TimeCursor>) => {
      const rows = await all()
        .where("account", "=", toLowerHex(account))
        .where(fromCursor(from))
        .orderBy("created_at", "desc")
        .orderBy("id", "desc")
        .limit(limit + 1)
        .execute();
      return toPage(rows.map(purchaseTable.read), limit);
    },
    ...workerMethods(database),
    /**
     * Makes a transition and records its time. Returns the changed purchase; undefined when it is no
     * longer in `from`, or when its payment (chain, transaction, log) already paid another one.
     * `credited` adds the credits to the ledger in the same transaction; `credited` and `held` notify
     * webhooks. Throws when `purchaseTransitions` does not allow the transition.
     */
    movePurchase: atomic(database, movePurchase),
    /** USDC base units of purchases since a time that are paid or being paid. */
    sumPurchases: async (account: Address, since: number) => {
      const { units } = await db
        .selectFrom("credit_purchases")
        .select(sql<string | null>`cast(sum(cast(units as bigint)) as text)`.as("units"))
        .where("account", "=", toLowerHex(account))
        .where("created_at", ">=", since)
        .where("state", "in", ["settling", "confirmed", "held", "credited"])
        .executeTakeFirstOrThrow();
      return BigInt(units ?? 0);
    },
  };
}

function workerMethods({ db }: Database) {
  const listIn = (
    state: PurchaseState,
    column: "updated_at" | "expires_at",
    { from = firstPurchase, limit }: Paging<PurchaseCursor>,
  ) =>
    db
      .selectFrom("credit_purchases")
      .selectAll()
      .where("state", "=", state)
      .where(sql<boolean>`(${sql.ref(column)}, id) >= (${from.at}, ${from.id})`)
      .orderBy(column)
      .orderBy("id")
      .limit(limit + 1);
  return {
    /** Purchases of every account in a state, the longest unchanged first. */
    listPurchasesIn: async (state: PurchaseState, paging: Paging<PurchaseCursor>) => {
      const found = (await listIn(state, "updated_at", paging).execute()).map(purchaseTable.read);
      return toPurchasePage(found, paging.limit, ({ updatedAt }) => updatedAt);
    },
    /** Purchases in a state that expired by `now`, the earliest first. */
    listExpiredPurchases: async (
      state: PurchaseState,
      now: number,
      paging: Paging<PurchaseCursor>,
    ) => {
      const expired = listIn(state, "expires_at", paging).where("expires_at", "<=", now);
      const found = (await expired.execute()).map(purchaseTable.read);
      return toPurchasePage(found, paging.limit, ({ expiresAt }) => expiresAt);
    },
    /** Of the next `limit` failed purchases, those whose payment became final after all. */
    listPaidAfterFailure: async ({
      from,
      limit,
    }: Paging<PurchaseCursor> & { from: PurchaseCursor }) => {
      const rows = await db
        .selectFrom("credit_purchases")
        .leftJoin("settlements", "settlements.id", "credit_purchases.settlement_id")
        .selectAll("credit_purchases")
        .select("settlements.finalized_at")
        .where("credit_purchases.state", "=", "failed")
        .where(
          sql<boolean>`(credit_purchases.updated_at, credit_purchases.id) >= (${from.at}, ${from.id})`,
        )
        .orderBy("credit_purchases.updated_at")
        .orderBy("credit_purchases.id")
        .limit(limit + 1)
        .execute();
      const { next } = toPurchasePage(
        rows.map(purchaseTable.read),
        limit,
        ({ updatedAt }) => updatedAt,
      );
      const paid = rows.slice(0, limit).filter(({ finalized_at: at }) => at !== null);
      return { items: paid.map(purchaseTable.read), next };
    },
  };
}

/** Removes the purchase that was read beyond the limit; the next page begins with it. */
function toPurchasePage(
  found: readonly CreditPurchase[],
  limit: number,
  timeOf: (purchase: CreditPurchase) => number,
): Page<CreditPurchase, PurchaseCursor> {
  const following = found[limit];
  return {
    items: found.slice(0, limit),
    next: following ? { at: timeOf(following), id: following.id } : null,
  };
}

async function createPurchase(
  inside: Database,
  purchase: Pick<
    CreditPurchase,
    "id" | "account" | "chainId" | "payer" | "credits" | "units" | "createdAt" | "expiresAt"
  > &
    Partial<Pick<CreditPurchase, "nonce">>,
  { awaitingMax }: { readonly awaitingMax: number },
): Promise<boolean> {
  const { db } = inside;
  const state = "awaiting_payment";
  const account = toLowerHex(purchase.account);
  await lockAccount(inside, purchase.account);
  const { chainId, payer, nonce = null } = purchase;
  if (nonce !== null && (await findByNonce(inside, { chainId, payer, nonce }))) return false;
  const { count } = await db
    .selectFrom("credit_purchases")
    .select(({ fn }) => fn.countAll<number | string>().as("count"))
    .where("account", "=", account)
    // A literal, so that SQLite sees that the index of open purchases applies.
    .where("state", "=", sql.lit(state))
    .executeTakeFirstOrThrow();
  if (Number(count) >= awaitingMax) return false;
  await db
    .insertInto("credit_purchases")
    .values(
      newPurchases.write({
        ...purchase,
        nonce,
        state,
        timeline: [{ state, at: purchase.createdAt }],
        updatedAt: purchase.createdAt,
      }),
    )
    .execute();
  return true;
}

/** The purchase that a payer began with a payment of theirs. */
export async function findByNonce(
  { db }: Database,
  { chainId, payer, nonce }: Pick<CreditPurchase, "chainId" | "payer" | "nonce">,
): Promise<CreditPurchase | undefined> {
  const row = await db
    .selectFrom("credit_purchases")
    .selectAll()
    .where("payer", "=", payer && toLowerHex(payer))
    .where("nonce", "=", nonce && toLowerHex(nonce))
    .where("chain_id", "=", chainId)
    .executeTakeFirst();
  return row && purchaseTable.read(row);
}

async function movePurchase(
  inside: Database,
  id: string,
  from: PurchaseState,
  move: PurchaseMove,
  now: number,
): Promise<CreditPurchase | undefined> {
  const { db, engine } = inside;
  let query = db
    .selectFrom("credit_purchases")
    .selectAll()
    .where("id", "=", id)
    .where("state", "=", from);
  if (engine.hasRowLocks) query = query.forUpdate();
  const before = await query.executeTakeFirst();
  if (!before || (await isPaidElsewhere(inside, before, move))) return undefined;
  const { timeline } = purchaseTable.read(before);
  if (move.to !== from) timeline.push({ state: move.to, at: now });
  const row = await db
    .updateTable("credit_purchases")
    .set({
      state: move.to,
      timeline: JSON.stringify(timeline),
      updated_at: now,
      ...changesOf(move, now),
    })
    .where("id", "=", id)
    .where("state", "in", purchaseTransitions[move.to])
    .returningAll()
    .executeTakeFirst();
  assert(row, `a purchase does not go from ${from} to ${move.to}`);
  const purchase = purchaseTable.read(row);
  if (move.to === "credited") await credit(inside, purchase, now);
  await notifyAccount(inside, purchase, now);
  // Wakes waiters, also when an operator's command made the transition.
  await engine.changes.announce(db, { kind: "sent", ids: [purchase.id] });
  return purchase;
}

/** Returns whether a log has already paid another purchase: one payment buys once. */
async function isPaidElsewhere(
  { db }: Database,
  { id, chain_id: chainId }: CreditPurchaseRow,
  move: PurchaseMove,
): Promise<boolean> {
  if (move.to !== "confirmed") return false;
  const other = await db
    .selectFrom("credit_purchases")
    .select("id")
    .where("chain_id", "=", chainId)
    .where("transaction_hash", "=", toLowerHex(move.transaction))
    .where("log_index", "=", move.logIndex)
    .where("id", "!=", id)
    .executeTakeFirst();
  return other !== undefined;
}

function changesOf(move: PurchaseMove, now: number) {
  switch (move.to) {
    case "settling":
      return { payer: toLowerHex(move.payer), settlement_id: move.settlementId };
    case "awaiting_payment":
      return { settlement_id: null };
    case "expired":
    case "canceled":
      return {};
    case "failed":
      return { failure_message: move.failureMessage };
    case "confirmed":
      return {
        failure_message: null,
        transaction_hash: toLowerHex(move.transaction),
        block_number: move.blockNumber,
        log_index: move.logIndex,
      };
    case "held":
      return { hold_reason: move.holdReason };
    case "credited":
    case "rejected":
      return {
        reviewer: move.reviewer ?? null,
        review_note: move.reviewNote ?? null,
        ...(move.to === "credited" ? { credited_at: now } : {}),
      };
    default:
      return move satisfies never;
  }
}

/** The database accepts one such entry per purchase, whatever the purchase's state. */
async function credit(inside: Database, purchase: CreditPurchase, now: number): Promise<void> {
  await lockFunds(inside, [purchase.account]);
  await inside.db
    .insertInto("credit_entries")
    .values({
      account: toLowerHex(purchase.account),
      kind: "purchase",
      credits: purchase.credits,
      settlement_id: null,
      step: null,
      purchase_id: purchase.id,
      actor: purchase.reviewer,
      note: purchase.reviewNote,
      created_at: now,
    })
    .execute();
}

async function notifyAccount(
  inside: Database,
  purchase: CreditPurchase,
  now: number,
): Promise<void> {
  const { account, state } = purchase;
  if (state !== "credited" && state !== "held") return;
  const data = purchaseData(purchase);
  await putIntoOutbox(inside, [{ account, type: `purchase.${state}`, data }], now);
}
