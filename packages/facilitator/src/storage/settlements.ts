/** Settlements after the claim: found, confirmed, failed, reorganised away, final. */
import type { ChainId } from "@farthing/protocol";
import type { Kysely } from "kysely";
import { pairKey, type Pair, type Settlement } from "../model/settlement.ts";
import { claimAll, findByPairs } from "./claims.ts";
import { toSettlement } from "./rows.ts";
import type { Tables } from "./schema.ts";
import type { Confirmation, Failure, Store } from "./store.ts";

type SettlementVerbs = Pick<
  Store,
  | "claimSettlements"
  | "findSettlement"
  | "findSettlementsByPair"
  | "listOpenSettlements"
  | "recordConfirmed"
  | "recordFailed"
  | "recordReorganised"
  | "recordFinalized"
  | "countUnfinalized"
>;

/** The store's verbs about settlements. */
export function settlementVerbs(db: Kysely<Tables>): SettlementVerbs {
  return {
    claimSettlements: (claims, now) =>
      db.transaction().execute((inside) => claimAll(inside, claims, now)),
    findSettlement: async (id) => {
      const row = await db
        .selectFrom("settlements")
        .selectAll()
        .where("id", "=", id)
        .executeTakeFirst();
      return row && toSettlement(row);
    },
    findSettlementsByPair: async (pairs: readonly Pair[]) => {
      const found = await findByPairs(db, pairs);
      return pairs.map((pair) => found.get(pairKey(pair)));
    },
    listOpenSettlements: async (chainId) => {
      const rows = await db
        .selectFrom("settlements")
        .selectAll()
        .where("chain_id", "=", chainId)
        .where("state", "in", ["queued", "submitted"])
        .orderBy("created_at")
        .execute();
      return rows.map(toSettlement);
    },
    recordConfirmed: (confirmations, now) => recordConfirmed(db, confirmations, now),
    recordFailed: (failures, now) => recordFailed(db, failures, now),
    recordReorganised: (chainId, fromBlock) => recordReorganised(db, chainId, fromBlock),
    recordFinalized: async (chainId, upToBlock, now) => {
      const rows = await db
        .updateTable("settlements")
        .set({ finalized_at: now })
        .where("chain_id", "=", chainId)
        .where("state", "=", "confirmed")
        .where("finalized_at", "is", null)
        .where("block_number", "<=", upToBlock)
        .returningAll()
        .execute();
      return rows.map(toSettlement);
    },
    countUnfinalized: async (chainId) => {
      const row = await db
        .selectFrom("settlements")
        // PostgreSQL gives a count as text.
        .select(({ fn }) => fn.countAll<number | string>().as("count"))
        .where("chain_id", "=", chainId)
        .where("state", "=", "confirmed")
        .where("finalized_at", "is", null)
        .executeTakeFirstOrThrow();
      return Number(row.count);
    },
  };
}

function recordConfirmed(
  db: Kysely<Tables>,
  confirmations: readonly Confirmation[],
  now: number,
): Promise<Settlement[]> {
  return db.transaction().execute(async (inside) => {
    const moved: Settlement[] = [];
    for (const { id, mined } of confirmations) {
      const row = await inside
        .updateTable("settlements")
        .set({
          state: "confirmed",
          transaction_hash: mined.transaction,
          block_number: mined.blockNumber,
          block_hash: mined.blockHash,
          log_index: mined.logIndex,
          settled_by: mined.settledBy,
          confirmed_at: now,
        })
        .where("id", "=", id)
        .where("state", "in", ["queued", "submitted"])
        .returningAll()
        .executeTakeFirst();
      if (row) moved.push(toSettlement(row));
    }
    return moved;
  });
}

function recordFailed(
  db: Kysely<Tables>,
  failures: readonly Failure[],
  now: number,
): Promise<Settlement[]> {
  return db.transaction().execute(async (inside) => {
    const moved: Settlement[] = [];
    for (const { id, code, message, transaction } of failures) {
      const row = await inside
        .updateTable("settlements")
        .set({
          state: "failed",
          failure: code,
          failure_message: message,
          transaction_hash: transaction,
          failed_at: now,
        })
        .where("id", "=", id)
        .where("state", "in", ["queued", "submitted"])
        .returningAll()
        .executeTakeFirst();
      if (row) moved.push(toSettlement(row));
    }
    return moved;
  });
}

async function recordReorganised(
  db: Kysely<Tables>,
  chainId: ChainId,
  fromBlock: number,
): Promise<Settlement[]> {
  const rows = await db
    .updateTable("settlements")
    .set({
      state: "submitted",
      block_number: null,
      block_hash: null,
      log_index: null,
      settled_by: null,
      confirmed_at: null,
    })
    .where("chain_id", "=", chainId)
    .where("state", "=", "confirmed")
    .where("finalized_at", "is", null)
    .where("block_number", ">=", fromBlock)
    .returningAll()
    .execute();
  return rows.map(toSettlement);
}
