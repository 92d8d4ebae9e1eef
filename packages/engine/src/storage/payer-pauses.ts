/**
 * Pauses of contract payers. A wallet's code can pass every simulation and burn the gas of the
 * transaction; each revert lengthens the pause of the payer.
 */
import { sql, type Selectable } from "kysely";
import { toLowerHex, type Address, type ChainId } from "@farthing/protocol";
import { forgetRevertsAfterMs, pauseMsAfter } from "../model/payer-pause.ts";
import { textList, withRow, type Database } from "./dialect.ts";
import { forgetProvenPayers } from "./proven-payers.ts";
import type { SettlementRow, Tables } from "./schema.ts";
import type { EngineStore } from "./engine-store.ts";

type PayerPauseRow = Selectable<Tables["payer_pauses"]>;

const pauseOfPayer = "select 1 from payer_pauses where chain_id = ? and payer = ?";

export function payerPauseMethods({ db, engine }: Database): Pick<EngineStore, "findPayerPauses"> {
  return {
    findPayerPauses: async (chainId, payers) => {
      const unique = [...new Set(payers.map(toLowerHex))];
      // Hardly any payer is paused, and each `/verify` asks.
      const paused = withRow(engine, unique, pauseOfPayer, (payer) => [chainId, payer]);
      if (paused.length === 0) return payers.map(() => undefined);
      const list = textList(engine, paused);
      // As text: to build it takes longer than to carry it out.
      const { rows } = await sql<PayerPauseRow>`select payer, reverts, paused_until
        from payer_pauses where chain_id = ${chainId}
        and payer in (select given.of from ${list})`.execute(db);
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
