/** Nonces whose blocks were, or may have been, reorganised out: their transactions are open again. */
import { toLowerHex, type ChainId } from "@farthing/protocol";
import { sql, type ExpressionBuilder } from "kysely";
import { transactionTransitions, type WalletLease } from "../model/relayer-transaction.ts";
import { bringBack } from "./closed-transactions.ts";
import { textList, type Database, type DatabaseDialect, type Work } from "./dialect.ts";
import type { EngineStore, UsedNonces } from "./engine-store.ts";
import { hasMonths } from "./postgres/months.ts";
import type { Tables } from "./schema.ts";
import { isOneOf } from "./settlements.ts";

/** Reopens a nonce for every transaction that was signed at it. */
export const reopen: Work<EngineStore["reopenTransactions"]> = async (inside, chainId, which) => {
  const { db, engine } = inside;
  if ("lane" in which && hasMonths(inside)) await bringBack(inside, chainId, which);
  const used = await db
    .selectFrom("relayer_transactions")
    .select(["lane", "nonce"])
    .where("state", "=", "shown" in which ? "dropped" : "mined")
    .where(isAmong(engine, chainId, which))
    .orderBy("id")
    .execute();
  for (const { lane, nonce } of used) {
    await db
      .updateTable("relayer_transactions")
      .set({ state: transactionTransitions.reopened.to, block_number: null })
      .where("chain_id", "=", chainId)
      .where("lane", "=", lane)
      .where("nonce", "=", Number(nonce))
      .where("state", "in", transactionTransitions.reopened.from)
      .where("raw", "is not", null)
      .execute();
  }
  if ("lane" in which) {
    // A transaction without bytes cannot be sent again, so another one has to take the nonce.
    await db
      .updateTable("relayer_transactions")
      .set({ state: transactionTransitions.lost.to, block_number: null })
      .where("state", "in", transactionTransitions.lost.from)
      .where("raw", "is", null)
      .where(isAmong(engine, chainId, which))
      .execute();
  }
};

/** Whether a transaction is stored as mined at a nonce. */
export async function isMinedAt(
  { db }: Database,
  { chainId, lane }: Pick<WalletLease, "chainId" | "lane">,
  nonce: number,
): Promise<boolean> {
  const mined = await db
    .selectFrom("relayer_transactions")
    .select("id")
    .where("chain_id", "=", chainId)
    .where("lane", "=", toLowerHex(lane))
    .where("nonce", "=", nonce)
    .where("state", "=", "mined")
    .executeTakeFirst();
  return mined !== undefined;
}

function isAmong(engine: DatabaseDialect, chainId: ChainId, which: UsedNonces) {
  return (where: ExpressionBuilder<Tables, "relayer_transactions">) => {
    const isOfChain = where("chain_id", "=", chainId);
    if ("fromBlock" in which) {
      // A final transaction has no bytes, and cannot be reorganised out.
      const hasBytes = where("raw", "is not", null);
      return where.and([isOfChain, where("block_number", ">=", which.fromBlock), hasBytes]);
    }
    // Without the index: SQLite would expect fewer transactions of the chain than of these lists.
    const isOfChainToo = where(sql`+chain_id`, "=", chainId);
    if ("shown" in which) {
      const shown = where.selectFrom(textList(engine, which.shown)).select("given.of");
      return where.and([where("hash", "in", shown), isOfChainToo]);
    }
    if ("lane" in which) {
      return where.and([
        isOfChain,
        where("lane", "=", toLowerHex(which.lane)),
        where("nonce", ">=", which.fromNonce),
        where("block_number", "<=", which.upToBlock),
      ]);
    }
    const carriers = where
      .selectFrom("transaction_settlements as link")
      .innerJoin("settlements", "settlements.id", "link.settlement_id")
      .select("link.transaction_id")
      // At the nonce of the present transaction: an earlier one may have reverted and be final.
      .innerJoin("relayer_transactions as current", "current.id", "settlements.transaction_id")
      .innerJoin("relayer_transactions as carrier", (join) =>
        join
          .onRef("carrier.id", "=", "link.transaction_id")
          .onRef("carrier.lane", "=", "current.lane")
          .onRef("carrier.nonce", "=", "current.nonce"),
      )
      .where(isOneOf(engine, which.settlementIds))
      .where("settlements.state", "=", "submitted");
    return where.and([where("relayer_transactions.id", "in", carriers), isOfChainToo]);
  };
}
