/** Repairs of a lane: another transaction at a nonce that is taken. */
import type { Hex } from "@farthing/protocol";
import { assert } from "../base/assert.ts";
import type {
  LaneLease,
  RelayerTransaction,
  TransactionPlan,
} from "../model/relayer-transaction.ts";
import { inTransaction, type Database } from "./dialect.ts";
import { checkFence } from "./lanes.ts";
import { insertTransactions } from "./relayer-transactions.ts";
import { isOneOf, lockSettlements } from "./settlements.ts";
import type { EngineStore } from "./engine-store.ts";

type RepairVerbs = Pick<
  EngineStore,
  "replaceTransaction" | "isRelayerTransaction" | "listSignedHashes" | "listUnfinalizedBlocks"
>;

/** The store's verbs about repairs. */
export function repairVerbs(database: Database): RepairVerbs {
  const { db } = database;
  return {
    replaceTransaction: (lease, nonce, plan, now) =>
      inTransaction(database, (inside) => replaceTransaction(inside, lease, nonce, plan, now)),
    listSignedHashes: (ids) => listSignedHashes(database, ids),
    isRelayerTransaction: async (hash) => {
      const row = await db
        .selectFrom("relayer_transactions")
        .select("id")
        .where("hash", "=", hash)
        .executeTakeFirst();
      return row !== undefined;
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
  };
}

async function replaceTransaction(
  inside: Database,
  lease: LaneLease,
  nonce: number,
  plan: TransactionPlan,
  now: number,
): Promise<RelayerTransaction> {
  await checkFence(inside, lease, now);
  await lockSettlements(inside, isOneOf(inside.engine, plan.settlementIds));
  const [transaction] = await insertTransactions(inside, lease, [{ plan, nonce }], now);
  assert(transaction, "one plan makes one transaction");
  return transaction;
}

async function listSignedHashes({ db, engine }: Database, ids: readonly string[]): Promise<Hex[]> {
  if (ids.length === 0) return [];
  const list = engine.list(
    ids.map((of) => ({ of })),
    { of: "text" },
  );
  const rows = await db
    .selectFrom(list)
    .innerJoin("transaction_settlements as link", "link.settlement_id", "given.of")
    .innerJoin("relayer_transactions as carrier", "carrier.id", "link.transaction_id")
    .select("carrier.hash")
    .distinct()
    .where("carrier.hash", "is not", null)
    .execute();
  return rows.flatMap(({ hash }) => hash ?? []);
}
