/**
 * The transactions of a wallet that are open: those that may still be mined. What is open at a nonce at
 * which another one is stored as mined is none of them, and is dropped.
 */
import { toLowerHex } from "@farthing/protocol";
import { sql, type ExpressionBuilder } from "kysely";
import { openTransactionStates, transactionTransitions } from "../model/relayer-transaction.ts";
import { atomic, type Database, type Work } from "./dialect.ts";
import type { EngineStore } from "./engine-store.ts";
import { toRelayerTransaction } from "./rows.ts";
import { transactionTable, type Tables } from "./schema.ts";
import { lockSettlements } from "./settlements.ts";

export function openTransactionMethods(database: Database) {
  return {
    listOpenTransactions: listOpen.bind(undefined, database),
    dropClosed: atomic(database, dropClosed),
  } satisfies Partial<EngineStore>;
}

type Where = ExpressionBuilder<Tables, "relayer_transactions">;

/** Whether a transaction is stored as mined at the nonce of this one. */
function isClosed({ exists, selectFrom }: Where) {
  return exists(
    selectFrom("relayer_transactions as other")
      .select("other.id")
      .whereRef("other.chain_id", "=", "relayer_transactions.chain_id")
      .whereRef("other.lane", "=", "relayer_transactions.lane")
      .whereRef("other.nonce", "=", "relayer_transactions.nonce")
      .where("other.state", "=", "mined"),
  );
}

const listOpen: Work<EngineStore["listOpenTransactions"]> = async ({ db }, chainId, lane) => {
  const rows = await db
    .selectFrom("relayer_transactions")
    .select(transactionTable.columns)
    .where("chain_id", "=", chainId)
    .where("lane", "=", toLowerHex(lane))
    .where("state", "in", openTransactionStates)
    .where((where) => where.not(isClosed(where)))
    // Without the nonce's index, by which SQLite would read every transaction of the wallet.
    .orderBy(sql`+nonce`)
    .orderBy("id")
    .execute();
  if (rows.length === 0) return [];
  const links = await db
    .selectFrom("transaction_settlements")
    .select(["transaction_id", "settlement_id"])
    .where(
      "transaction_id",
      "in",
      rows.map(({ id }) => Number(id)),
    )
    .execute();
  const idsOf = Map.groupBy(links, (link) => Number(link.transaction_id));
  return rows.map((row) =>
    toRelayerTransaction(
      row,
      (idsOf.get(Number(row.id)) ?? []).map((link) => link.settlement_id),
    ),
  );
};

const dropClosed: Work<EngineStore["dropClosed"]> = async (inside, { chainId, lane }) => {
  const { db } = inside;
  const dropped = await db
    .updateTable("relayer_transactions")
    .set({ state: transactionTransitions.dropped.to })
    .where("chain_id", "=", chainId)
    .where("lane", "=", toLowerHex(lane))
    .where("state", "in", transactionTransitions.dropped.from)
    .where(isClosed)
    .returning("id")
    .execute();
  if (dropped.length === 0) return;
  const ids = dropped.map(({ id }) => Number(id));
  // Nothing was signed for a payment that is still queued, and another nonce may carry it.
  const isFreed = (where: ExpressionBuilder<Tables, "settlements">) =>
    where.and([where("transaction_id", "in", ids), where("state", "=", "queued")]);
  await lockSettlements(inside, isFreed);
  await db.updateTable("settlements").set({ transaction_id: null }).where(isFreed).execute();
};
