/** Relayer transactions: their nonces, their signed bytes, and their settlements. */
import { toLowerHex } from "@farthing/protocol";
import { sql, type ExpressionBuilder, type Updateable } from "kysely";
import { assert } from "../base/assert.ts";
import {
  openTransactionStates,
  transactionTransitions,
  type WalletLease,
  type RelayerTransaction,
  type TransactionName,
  type TransactionPlan,
} from "../model/relayer-transaction.ts";
import { openStates, settlementTransitions } from "../model/settlement.ts";
import { withoutBusyPayers } from "./busy-payers.ts";
import { atomic, inTransaction, type Database, type Work } from "./dialect.ts";
import { isMinedAt, reopen } from "./reopened-nonces.ts";
import { checkFence, takeNonces } from "./wallet-leases.ts";
import { toRelayerTransaction } from "./rows.ts";
import {
  newTransactions,
  settlementColumns,
  transactionTable,
  type RelayerTransactionTable,
  type Tables,
} from "./schema.ts";
import { announceMoved, isOneOf, lockSettlements } from "./settlements.ts";
import { dropRepeats } from "./repeated-bytes.ts";
import type { EngineStore } from "./engine-store.ts";

export function relayerMethods(database: Database) {
  const { db } = database;
  return {
    reserveTransactions: atomic(database, reserve),
    replaceTransaction: atomic(database, replace),
    recordSigned: atomic(database, recordSigned),
    releaseUnsigned: atomic(database, releaseUnsigned),
    dropRepeats: atomic(database, dropRepeats),
    recordSent: (transactions, now) => change(database, transactions, "sent", { sent_at: now }),
    closeNonce: atomic(database, closeNonce),
    closeTransactions: (transactions, state, blockNumber) =>
      change(database, transactions, state, { block_number: blockNumber ?? null }),
    // In a transaction, because every process reopens nonces at once and one may have to retry.
    reopenTransactions: atomic(database, reopen),
    countMinedNonces: async (chainId, lane) => {
      const row = await db
        .selectFrom("relayer_transactions")
        .select("nonce")
        .where("chain_id", "=", chainId)
        .where("lane", "=", toLowerHex(lane))
        .where("state", "=", "mined")
        .orderBy("nonce", "desc")
        .limit(1)
        .executeTakeFirst();
      return row ? Number(row.nonce) + 1 : 0;
    },
  } satisfies Partial<EngineStore>;
}

/** Changes those of these transactions whose state allows the transition. */
async function change(
  database: Database,
  transactions: readonly TransactionName[],
  kind: keyof typeof transactionTransitions,
  changes: Updateable<RelayerTransactionTable>,
): Promise<void> {
  if (transactions.length === 0) return;
  const { from, to } = transactionTransitions[kind];
  const named = transactions.map(({ id, chainId, lane, nonce, hash }) => ({
    of: id,
    of_chain: chainId,
    of_lane: toLowerHex(lane),
    of_nonce: nonce,
    of_hash: hash,
  }));
  await inTransaction(database, ({ db, engine }) =>
    db
      .updateTable("relayer_transactions")
      .from(
        engine.list(named, {
          of: "bigint",
          of_chain: "bigint",
          of_lane: "text",
          of_nonce: "bigint",
          of_hash: "text",
        }),
      )
      .set({ ...changes, state: to })
      .whereRef("relayer_transactions.id", "=", "given.of")
      .whereRef("relayer_transactions.chain_id", "=", "given.of_chain")
      .whereRef("relayer_transactions.lane", "=", "given.of_lane")
      .whereRef("relayer_transactions.nonce", "=", "given.of_nonce")
      // A name that was read before the transaction was signed has no hash.
      .where(({ or, eb, ref }) =>
        or([
          eb("given.of_hash", "is", null),
          eb("relayer_transactions.hash", "=", ref("given.of_hash")),
        ]),
      )
      .where("state", "in", from)
      .execute(),
  );
}

const closeNonce: Work<EngineStore["closeNonce"]> = async ({ db }, mined, blockNumber) => {
  const { chainId, nonce, id, hash } = mined;
  const lane = toLowerHex(mined.lane);
  const { mined: asMined, dropped } = transactionTransitions;
  await db
    .updateTable("relayer_transactions")
    .set(({ eb }) => ({
      state: eb.case().when("id", "=", id).then(asMined.to).else(dropped.to).end(),
      block_number: eb.case().when("id", "=", id).then(blockNumber).else(null).end(),
    }))
    .where("chain_id", "=", chainId)
    .where("lane", "=", lane)
    .where("nonce", "=", nonce)
    .where("state", "in", openTransactionStates)
    // What has no bytes is not in any block, and its settlements may be queued.
    .where("raw", "is not", null)
    .where(({ exists, selectFrom }) => {
      const named = selectFrom("relayer_transactions as named")
        .select("named.id")
        .where("named.id", "=", id)
        .where("named.chain_id", "=", chainId)
        .where("named.lane", "=", lane)
        .where("named.nonce", "=", nonce);
      // A name that was read before the transaction was signed has no hash.
      return exists(hash === null ? named : named.where("named.hash", "=", hash));
    })
    .execute();
};

const reserve: Work<EngineStore["reserveTransactions"]> = async (inside, lease, plans, now) => {
  const free = await freeSettlements(inside, plans);
  const kept = await withoutBusyPayers(inside, lease.chainId, plansOf(plans, free));
  // The nonce is taken last, so that a refusal above leaves no gap.
  const nextNonce = await takeNonces(inside, lease, kept.length, now);
  const planned = kept.map((plan, index) => ({ plan, nonce: nextNonce + index }));
  return insertTransactions(inside, lease, planned, now);
};

const replace: Work<EngineStore["replaceTransaction"]> = async (
  inside,
  lease,
  nonce,
  plan,
  now,
) => {
  await checkFence(inside, lease, now);
  if (await isMinedAt(inside, lease, nonce)) return undefined;
  await lockSettlements(inside, isOneOf(inside.engine, plan.settlementIds));
  const [transaction] = await insertTransactions(inside, lease, [{ plan, nonce }], now);
  assert(transaction, "one plan makes one transaction");
  return transaction;
};

/** The plans whose settlements are all free; each settlement counts for the first plan with it. */
function plansOf(plans: readonly TransactionPlan[], free: ReadonlySet<string>): TransactionPlan[] {
  const taken = new Set<string>();
  return plans.filter(({ settlementIds }) => {
    const isFree = settlementIds.every((id) => free.has(id) && !taken.has(id));
    if (isFree) for (const id of settlementIds) taken.add(id);
    return isFree;
  });
}

/** Locks and returns the queued, unassigned settlements of plans. */
async function freeSettlements(
  { db, engine }: Database,
  plans: readonly TransactionPlan[],
): Promise<Set<string>> {
  const ids = plans.flatMap((plan) => plan.settlementIds);
  if (ids.length === 0) return new Set();
  let query = db
    .selectFrom("settlements")
    .select("id")
    .where(isOneOf(engine, ids))
    .where("state", "=", "queued")
    .where("transaction_id", "is", null);
  // Skips settlements that another process is changing.
  if (engine.hasRowLocks) query = query.forUpdate().skipLocked();
  const rows = await query.execute();
  return new Set(rows.map(({ id }) => id));
}

/** Stores transactions at taken nonces and assigns their settlements. */
async function insertTransactions(
  { db, engine }: Database,
  lease: WalletLease,
  planned: readonly { readonly plan: TransactionPlan; readonly nonce: number }[],
  now: number,
): Promise<RelayerTransaction[]> {
  if (planned.length === 0) return [];
  const rows = await db
    .insertInto("relayer_transactions")
    .values(
      planned.map(({ plan, nonce }) => ({
        ...newTransactions.write({
          ...lease,
          ...plan,
          nonce,
          raw: null,
          hash: null,
          state: "intent",
        }),
        created_at: now,
        sent_at: null,
        block_number: null,
      })),
    )
    .returning(transactionTable.columns)
    .execute();
  const byNonce = new Map(rows.map((row) => [Number(row.nonce), row]));
  const transactions = planned.map(({ plan, nonce }) => {
    const row = byNonce.get(nonce);
    assert(row, "an inserted transaction is given back");
    return toRelayerTransaction(row, plan.settlementIds);
  });
  const links = transactions.flatMap(({ id, settlementIds }) =>
    settlementIds.map((settlement_id) => ({ transaction_id: id, settlement_id })),
  );
  if (links.length === 0) return transactions;
  const list = engine.list(links, { transaction_id: "bigint", settlement_id: "text" });
  await db
    .updateTable("settlements")
    .from(list)
    .set(({ ref }) => ({ transaction_id: ref("given.transaction_id") }))
    .whereRef("settlements.id", "=", "given.settlement_id")
    .where("state", "in", openStates)
    .execute();
  await sql`insert into transaction_settlements (transaction_id, settlement_id)
    select transaction_id, settlement_id from ${list}`.execute(db);
  return transactions;
}

const recordSigned: Work<EngineStore["recordSigned"]> = async (inside, lease, signed, now) => {
  await checkFence(inside, lease, now);
  if (signed.length === 0) return [];
  const { db, engine } = inside;
  const list = engine.list(
    signed.map(({ id, raw, hash }) => ({ of: id, given_raw: raw, given_hash: hash })),
    { of: "bigint", given_raw: "text", given_hash: "text" },
  );
  const stored = await db
    .updateTable("relayer_transactions")
    .from(list)
    .set(({ ref }) => ({
      raw: ref("given.given_raw"),
      hash: ref("given.given_hash"),
      state: transactionTransitions.signed.to,
    }))
    .whereRef("relayer_transactions.id", "=", "given.of")
    .where("chain_id", "=", lease.chainId)
    .where("lane", "=", toLowerHex(lease.lane))
    .where("state", "in", transactionTransitions.signed.from)
    .returning(["relayer_transactions.id", "relayer_transactions.hash"])
    .execute();
  const carriers = stored.map(({ id, hash }) => ({ of: Number(id), given_hash: hash }));
  const carrier = engine.list(carriers, { of: "bigint", given_hash: "text" });
  await lockSettlements(inside, (where) =>
    where.and([
      where(
        "settlements.id",
        "in",
        where
          .selectFrom("transaction_settlements")
          .innerJoin(carrier, "given.of", "transaction_settlements.transaction_id")
          .select("transaction_settlements.settlement_id"),
      ),
      where("state", "in", settlementTransitions.signed.from),
    ]),
  );
  const rows = await db
    .updateTable("settlements")
    // By the link, which has an index; a replaced transaction's settlements may be with another.
    .from([carrier, "transaction_settlements"])
    .set(({ ref }) => ({
      state: settlementTransitions.signed.to,
      transaction_hash: ref("given.given_hash"),
      // A replacement keeps the time.
      submitted_at: sql<number>`coalesce(submitted_at, ${now})`,
    }))
    .whereRef("transaction_settlements.transaction_id", "=", "given.of")
    .whereRef("settlements.id", "=", "transaction_settlements.settlement_id")
    .whereRef("settlements.transaction_id", "=", "given.of")
    .where("state", "in", settlementTransitions.signed.from)
    .returning(settlementColumns)
    .execute();
  return announceMoved(inside, rows);
};

const releaseUnsigned: Work<EngineStore["releaseUnsigned"]> = async (inside, lease, ids, now) => {
  await checkFence(inside, lease, now);
  if (ids.length === 0) return;
  const { db } = inside;
  const isReleased = (where: ExpressionBuilder<Tables, "settlements">) =>
    where.and([
      where(
        "settlements.id",
        "in",
        where
          .selectFrom("transaction_settlements")
          .select("settlement_id")
          .where("transaction_id", "in", [...ids]),
      ),
      where("transaction_id", "in", [...ids]),
      // A submitted one has an earlier transaction, which may be mined.
      where("state", "=", "queued"),
    ]);
  await lockSettlements(inside, isReleased);
  const carriers = await db
    .selectFrom("settlements")
    .select("transaction_id")
    .distinct()
    .where(isReleased)
    .execute();
  const dropped = carriers.flatMap(({ transaction_id: id }) => (id === null ? [] : [Number(id)]));
  if (dropped.length === 0) return;
  await db.updateTable("settlements").set({ transaction_id: null }).where(isReleased).execute();
  await db
    .updateTable("relayer_transactions")
    .set({ state: transactionTransitions.released.to })
    .where("id", "in", dropped)
    .where("state", "in", transactionTransitions.released.from)
    .execute();
};
