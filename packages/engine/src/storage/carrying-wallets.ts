/** The wallets whose transactions carry open settlements, whichever process is configured with them. */
import { openStates } from "../model/settlement.ts";
import type { ChainId } from "@farthing/protocol";
import type { Database } from "./dialect.ts";
import type { CarryingWallet, EngineStore } from "./engine-store.ts";

/** The store's verb about them. */
export function carryingWalletVerbs(database: Database): Pick<EngineStore, "listCarryingWallets"> {
  return {
    listCarryingWallets: (chainId, now) => listCarryingWallets(database, chainId, now),
  };
}

async function listCarryingWallets(
  { db, engine }: Database,
  chainId: ChainId,
  now: number,
): Promise<CarryingWallet[]> {
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
    .select((select) =>
      select
        .case()
        .when("lanes.lease_until", ">", engine.leaseNow(now))
        .then(1)
        .else(0)
        .end()
        .as("is_running"),
    )
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
}
