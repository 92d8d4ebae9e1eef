/** Reads the transactions that carry settlements, whichever process signed them. */
import { openStates } from "../model/settlement.ts";
import { textList, type Database, type Work } from "./dialect.ts";
import type { EngineStore } from "./engine-store.ts";
import { hasMonths } from "./postgres/months.ts";
import { isOneOf } from "./settlements.ts";
import { isRunning } from "./wallet-leases.ts";

export function carrierMethods(database: Database) {
  const { db } = database;
  return {
    listCarryingWallets: listWallets.bind(undefined, database),
    findRevertedTwice: async (ids) => {
      if (ids.length === 0) return new Set();
      // A queued settlement has no outcome: every mined transaction that carried it has reverted, or
      // its call in it has.
      const rows = await db
        .selectFrom("settlements")
        .innerJoin("transaction_settlements as link", "link.settlement_id", "settlements.id")
        .innerJoin("relayer_transactions as carrier", "carrier.id", "link.transaction_id")
        .select("settlements.id")
        .where(isOneOf(database.engine, ids))
        .where("settlements.state", "=", "queued")
        .where("carrier.state", "=", "mined")
        .groupBy("settlements.id")
        .having(({ fn }) => fn.countAll(), ">=", 2)
        .execute();
      return new Set(rows.map(({ id }) => id));
    },
    listSignedHashes: async (ids) => {
      if (ids.length === 0) return [];
      const rows = await db
        .selectFrom(textList(database.engine, ids))
        .innerJoin("transaction_settlements as link", "link.settlement_id", "given.of")
        .innerJoin("relayer_transactions as carrier", "carrier.id", "link.transaction_id")
        .select("carrier.hash")
        .distinct()
        .where("carrier.hash", "is not", null)
        .execute();
      return rows.flatMap(({ hash }) => hash ?? []);
    },
    isRelayerTransaction: async (hash) => {
      const find = (table: "relayer_transactions" | "closed_transactions") =>
        db.selectFrom(table).select("id").where("hash", "=", hash).executeTakeFirst();
      if (await find("relayer_transactions")) return true;
      // Every month is asked, so only for what is not new.
      return hasMonths(database) && (await find("closed_transactions")) !== undefined;
    },
    listUnfinalizedBlocks: async (chainId) => {
      const rows = await db
        .selectFrom("settlements")
        .select(["block_number", "block_hash"])
        .distinct()
        .where("chain_id", "=", chainId)
        .where("state", "=", "confirmed")
        .where("finalized_at", "is", null)
        .where("block_number", "is not", null)
        .orderBy("block_number")
        .execute();
      return rows.flatMap(({ block_number: number, block_hash: hash }) =>
        number === null || hash === null ? [] : { number: Number(number), hash },
      );
    },
  } satisfies Partial<EngineStore>;
}

const listWallets: Work<EngineStore["listCarryingWallets"]> = async (inside, chainId, now) => {
  const { db, engine } = inside;
  const rows = await db
    .selectFrom("settlements")
    .innerJoin("relayer_transactions as carrier", "carrier.id", "settlements.transaction_id")
    .leftJoin("lanes", (join) =>
      join
        .onRef("lanes.chain_id", "=", "carrier.chain_id")
        .onRef("lanes.lane", "=", "carrier.lane"),
    )
    .select(["carrier.lane", "lanes.lease_owner", "lanes.wanted_by"])
    .select(({ fn }) => [
      fn.countAll().as("settlements"),
      fn.min("settlements.created_at").as("oldest_at"),
    ])
    .select(isRunning(engine, now))
    .where("settlements.chain_id", "=", chainId)
    .where("settlements.state", "in", openStates)
    .groupBy(["carrier.lane", "lanes.lease_owner", "lanes.wanted_by", "lanes.lease_until"])
    .orderBy("carrier.lane")
    .execute();
  return rows.map((row) => ({
    wallet: row.lane,
    settlements: Number(row.settlements),
    oldestAt: Number(row.oldest_at),
    holder: { owner: row.lease_owner, wantedBy: row.wanted_by, isRunning: row.is_running === 1 },
  }));
};
