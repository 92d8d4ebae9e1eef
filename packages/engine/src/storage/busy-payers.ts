/**
 * Contract payers with the most open payments that one may have, whichever process carries them: a
 * wallet whose code burns gas burns that of one transaction, not of every relayer wallet.
 */
import { openStates } from "../model/settlement.ts";
import { toLowerHex, type ChainId } from "@farthing/protocol";
import { openTransactionStates, type TransactionPlan } from "../model/relayer-transaction.ts";
import type { Database } from "./dialect.ts";

/** Removes plans whose payer is busy; at most one of the plans is a payer's. */
export async function withoutBusyPayers(
  inside: Database,
  chainId: ChainId,
  plans: readonly TransactionPlan[],
): Promise<readonly TransactionPlan[]> {
  const payers = plans.flatMap(({ payerLimit }) => payerLimit?.payer ?? []).map(toLowerHex);
  if (payers.length === 0) return plans;
  // Two concurrent processes would both find the payer free.
  const names = payers.map((payer) => `contract:${chainId}:${payer}`);
  await inside.engine.lockNames(inside.db, names);
  const rows = await inside.db
    .selectFrom("lanes")
    // A cross join keeps SQLite from starting with every transaction of the chain.
    .crossJoin("relayer_transactions as carrier")
    .innerJoin("transaction_settlements as link", "link.transaction_id", "carrier.id")
    .innerJoin("settlements", "settlements.id", "link.settlement_id")
    .select(({ fn }) => ["settlements.payer", fn.count("settlements.id").distinct().as("count")])
    .where("lanes.chain_id", "=", chainId)
    .whereRef("carrier.chain_id", "=", "lanes.chain_id")
    .whereRef("carrier.lane", "=", "lanes.lane")
    .where("carrier.state", "in", openTransactionStates)
    .where("settlements.payer", "in", [...new Set(payers)])
    .where("settlements.payer_has_code", "=", 1)
    .where("settlements.state", "in", openStates)
    .groupBy("settlements.payer")
    .execute();
  const counts = new Map(rows.map(({ payer, count }) => [payer, Number(count)]));
  return plans.filter(({ payerLimit }) => {
    if (!payerLimit) return true;
    const payer = toLowerHex(payerLimit.payer);
    const count = counts.get(payer) ?? 0;
    counts.set(payer, count + 1);
    return count < payerLimit.max;
  });
}
