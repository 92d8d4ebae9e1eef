/**
 * Pauses of contract payers. A wallet's code can pass every simulation and burn the gas of the
 * transaction; each revert lengthens the pause of the payer.
 */
import { toLowerHex, type Address, type ChainId } from "@farthing/protocol";
import { forgetRevertsAfterMs, pauseMsAfter } from "../model/payer-pause.ts";
import { textList, type Database } from "./dialect.ts";
import { forgetProvenPayers } from "./proven-payers.ts";
import type { SettlementRow } from "./schema.ts";
import type { EngineStore } from "./engine-store.ts";

export function payerPauseMethods({ db, engine }: Database): Pick<EngineStore, "findPayerPauses"> {
  return {
    findPayerPauses: async (chainId, payers) => {
      if (payers.length === 0) return [];
      const list = textList(engine, [...new Set(payers.map(toLowerHex))]);
      const rows = await db
        .selectFrom("payer_pauses")
        .selectAll()
        .where("chain_id", "=", chainId)
        .where("payer", "in", (where) => where.selectFrom(list).select("given.of"))
        .execute();
      const byPayer = new Map(
        rows.map(({ payer, reverts, paused_until }) => {
          return [payer, { reverts: Number(reverts), pausedUntilMs: Number(paused_until) }];
        }),
      );
      return payers.map((payer) => byPayer.get(toLowerHex(payer)));
    },
  };
}

/** Pauses payers in the transaction that marks their settlements failed. */
export async function pausePayers(
  { db }: Database,
  settlements: readonly Pick<SettlementRow, "chain_id" | "payer">[],
  now: number,
): Promise<void> {
  if (settlements.length === 0) return;
  // Payments that failed in one transaction count once for their payer.
  const payers = new Map(settlements.map((one) => [`${one.chain_id} ${one.payer}`, one]));
  for (const { chain_id, payer } of payers.values()) await pausePayer({ db }, chain_id, payer, now);
  await forgetProvenPayers({ db }, settlements);
  // Rows whose reverts no longer count are removed.
  await db
    .deleteFrom("payer_pauses")
    .where("paused_until", "<", now - forgetRevertsAfterMs)
    .execute();
}

async function pausePayer(
  { db }: Pick<Database, "db">,
  chainId: ChainId,
  payer: Address,
  now: number,
): Promise<void> {
  const known = await db
    .selectFrom("payer_pauses")
    .select(["reverts", "paused_until"])
    .where("chain_id", "=", chainId)
    .where("payer", "=", payer)
    .executeTakeFirst();
  const isForgotten = !known || Number(known.paused_until) < now - forgetRevertsAfterMs;
  const reverts = isForgotten ? 1 : Number(known.reverts) + 1;
  const paused = { reverts, paused_until: now + pauseMsAfter(reverts) };
  await db
    .insertInto("payer_pauses")
    .values({ chain_id: chainId, payer, ...paused })
    .onConflict((conflict) => conflict.columns(["chain_id", "payer"]).doUpdateSet(paused))
    .execute();
}
