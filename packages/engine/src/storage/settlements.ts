/** Reads and locks settlements. */
import type { Expression, ExpressionBuilder, SqlBool } from "kysely";
import { toLowerHex } from "@farthing/protocol";
import {
  openStates,
  keyText,
  type AuthorizationKey,
  type Settlement,
} from "../model/settlement.ts";
import { claimAll, findByKeys } from "./claims.ts";
import { inTransaction, type Database, type DatabaseDialect, textList } from "./dialect.ts";
import type { SettlementParticipant } from "./participant.ts";
import { toSettlement } from "./rows.ts";
import { settlementColumns, type SettlementRow, type Tables } from "./schema.ts";
import type { EngineStore, UnassignedQuery } from "./engine-store.ts";

export function settlementMethods(
  database: Database,
  participants: readonly SettlementParticipant[],
) {
  return {
    claimSettlements: (claims, now) =>
      inTransaction(database, (inside) => claimAll(inside, claims, now, participants)),
    findSettlement: async (id) => {
      const row = await settlements(database).where("id", "=", id).executeTakeFirst();
      return row && toSettlement(row);
    },
    findSettlementsByKey: async (keys: readonly AuthorizationKey[]) => {
      const found = await findByKeys(database, keys);
      return keys.map((key) => found.get(keyText(key)));
    },
    listNonces: async ({ chainId, asset, payer }, limit) => {
      const rows = await database.db
        .selectFrom("settlements")
        .select("nonce")
        .where("chain_id", "=", chainId)
        .where("asset", "=", toLowerHex(asset))
        .where("payer", "=", toLowerHex(payer))
        .limit(limit)
        .execute();
      return rows.map(({ nonce }) => nonce);
    },
    isTransactionSent: async (settlementId, hash) => {
      const row = await database.db
        .selectFrom("transaction_settlements")
        .innerJoin("relayer_transactions", "id", "transaction_id")
        .select("id")
        .where("settlement_id", "=", settlementId)
        .where("hash", "=", hash)
        // A nonce that another transaction has used drops also what every node had refused.
        .where((where) =>
          where.or([where("state", "in", ["sent", "mined"]), where("sent_at", "is not", null)]),
        )
        .executeTakeFirst();
      return row !== undefined;
    },
    listOpenSettlements: (chainId) =>
      listed(
        settlements(database)
          .where("chain_id", "=", chainId)
          .where("state", "in", openStates)
          .orderBy("created_at"),
      ),
    listUnassigned: async (query) => {
      if ("ids" in query && query.ids.length === 0) return [];
      return listed(unassigned(database, query).orderBy("created_at"));
    },
  } satisfies Partial<EngineStore>;
}

/** A query of settlements without conditions. */
export function settlements({ db }: Database) {
  return db.selectFrom("settlements").select(settlementColumns);
}

function unassigned(database: Database, query: UnassignedQuery) {
  const all = settlements(database)
    .where("state", "=", "queued")
    .where("transaction_id", "is", null);
  if ("ids" in query) return all.where(isOneOf(database.engine, query.ids));
  const { chainId, olderThan, limit, from = 0, isKeyed } = query;
  const ofChain = all
    .where("chain_id", "=", chainId)
    .where("created_at", "<", olderThan)
    .where("created_at", ">=", from)
    .limit(limit);
  return isKeyed === undefined ? ofChain : ofChain.where("key_id", isKeyed ? "is not" : "is", null);
}

export async function listed(query: {
  execute(): Promise<SettlementRow[]>;
}): Promise<Settlement[]> {
  return (await query.execute()).map(toSettlement);
}

/**
 * Locks settlements in one order: processes follow the same blocks, and locks in different orders
 * would deadlock.
 */
export async function lockSettlements(
  { db, engine }: Database,
  which: (where: ExpressionBuilder<Tables, "settlements">) => Expression<SqlBool>,
): Promise<void> {
  if (!engine.hasRowLocks) return;
  await db.selectFrom("settlements").select("id").where(which).orderBy("id").forUpdate().execute();
}

export function isOneOf(engine: DatabaseDialect, ids: readonly string[]) {
  const list = textList(engine, ids);
  return (where: ExpressionBuilder<Tables, "settlements">) =>
    where("settlements.id", "in", where.selectFrom(list).select("given.of"));
}

/** Notifies other processes of changed settlements and returns these. */
export async function announceMoved(
  { db, engine }: Database,
  rows: readonly SettlementRow[],
): Promise<Settlement[]> {
  await engine.changes.announce(db, { kind: "changed", ids: rows.map(({ id }) => id) });
  return rows.map(toSettlement);
}
