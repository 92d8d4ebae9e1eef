/** Settlements as they are found and locked; the statements that change their state use the locks. */
import type { ChainId } from "@farthing/protocol";
import type { Expression, ExpressionBuilder, SqlBool } from "kysely";
import { openStates, pairKey, type Pair, type Settlement } from "../model/settlement.ts";
import { claimAll, findByPairs } from "./claims.ts";
import { inTransaction, type Database, type Engine } from "./dialect.ts";
import type { SettlementParticipant } from "./participant.ts";
import { toSettlement } from "./rows.ts";
import { settlementColumns, type SettlementRow, type Tables } from "./schema.ts";
import type { EngineStore } from "./engine-store.ts";

type SettlementVerbs = Pick<
  EngineStore,
  | "claimSettlements"
  | "findSettlement"
  | "findSettlementsByPair"
  | "listOpenSettlements"
  | "listUnassigned"
  | "findUnassigned"
>;

/** The store's methods that claim and find settlements. */
export function settlementVerbs(
  database: Database,
  participants: readonly SettlementParticipant[],
): SettlementVerbs {
  return {
    claimSettlements: (claims, now) =>
      inTransaction(database, (inside) => claimAll(inside, claims, now, participants)),
    findSettlement: async (id) => {
      const row = await settlements(database).where("id", "=", id).executeTakeFirst();
      return row && toSettlement(row);
    },
    findSettlementsByPair: async (pairs: readonly Pair[]) => {
      const found = await findByPairs(database, pairs);
      return pairs.map((pair) => found.get(pairKey(pair)));
    },
    listOpenSettlements: (chainId) =>
      listed(
        settlements(database)
          .where("chain_id", "=", chainId)
          .where("state", "in", openStates)
          .orderBy("created_at"),
      ),
    listUnassigned: (chainId, options) => listed(unassignedOf(database, chainId, options)),
    findUnassigned: async (ids) =>
      ids.length === 0
        ? []
        : listed(unassigned(database).where(isOneOf(database.engine, ids)).orderBy("created_at")),
  };
}

/** Settlements, to be narrowed down. */
export function settlements({ db }: Database) {
  return db.selectFrom("settlements").select(settlementColumns);
}

/** Queued ones that no transaction carries. */
function unassigned(database: Database) {
  return settlements(database).where("state", "=", "queued").where("transaction_id", "is", null);
}

/** The settlements that a query finds. */
export async function listed(query: {
  execute(): Promise<SettlementRow[]>;
}): Promise<Settlement[]> {
  return (await query.execute()).map(toSettlement);
}

/** Those of a chain, oldest first. */
function unassignedOf(
  database: Database,
  chainId: ChainId,
  { olderThan, limit, from = 0, isKeyed }: Parameters<EngineStore["listUnassigned"]>[1],
) {
  const all = unassigned(database)
    .where("chain_id", "=", chainId)
    .where("created_at", "<", olderThan)
    .where("created_at", ">=", from)
    .orderBy("created_at")
    .limit(limit);
  return isKeyed === undefined ? all : all.where("key_id", isKeyed ? "is not" : "is", null);
}

/**
 * Locks settlements in one order, whoever moves them: every process follows the same blocks, and
 * two that lock the same rows in different orders would block each other.
 */
export async function lockSettlements(
  { db, engine }: Database,
  which: (where: ExpressionBuilder<Tables, "settlements">) => Expression<SqlBool>,
): Promise<void> {
  if (!engine.hasRowLocks) return;
  await db.selectFrom("settlements").select("id").where(which).orderBy("id").forUpdate().execute();
}

/** The condition that a settlement is one of these. */
export function isOneOf(engine: Engine, ids: readonly string[]) {
  const list = engine.list(
    ids.map((of) => ({ of })),
    { of: "text" },
  );
  return (where: ExpressionBuilder<Tables, "settlements">) =>
    where("settlements.id", "in", where.selectFrom(list).select("given.of"));
}

/** Tells other processes that settlements moved, and gives them. */
export async function announceMoved(
  { db, engine }: Database,
  rows: readonly SettlementRow[],
): Promise<Settlement[]> {
  await engine.changes.announce(db, { kind: "changed", ids: rows.map(({ id }) => id) });
  return rows.map(toSettlement);
}
