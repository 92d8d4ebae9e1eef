/** Who works a lane, and the nonces it has given out. Leases run by the engine's clock. */
import { toLowerHex, type Address, type ChainId } from "@farthing/protocol";
import { sql } from "kysely";
import { Fault } from "../base/fault.ts";
import type { LaneLease } from "../model/relayer-transaction.ts";
import { inTransaction, type Database } from "./dialect.ts";
import type { LaneHolder, EngineStore } from "./engine-store.ts";

type LaneVerbs = Pick<
  EngineStore,
  | "appear"
  | "findLaneHolders"
  | "shortenLostLeases"
  | "takeLane"
  | "renewLane"
  | "askForLane"
  | "handOverLane"
  | "releaseLanes"
>;

/** The store's verbs about leases. */
export function laneVerbs(database: Database): LaneVerbs {
  const { db, engine } = database;
  return {
    appear: (owner) => engine.changes.appear(owner),
    findLaneHolders: (chainId, lanes, now) => findLaneHolders(database, chainId, lanes, now),
    shortenLostLeases: async (chainId, { toMs, now }) => {
      const { isConnected } = engine;
      if (!isConnected) return;
      const end = sql<number>`${engine.leaseNow(now)} + ${toMs}`;
      await db
        .updateTable("lanes")
        .set({ lease_until: end })
        .where("chain_id", "=", chainId)
        .where("lease_until", ">", end)
        .where(({ not, ref }) => not(isConnected(ref("lease_owner"))))
        .execute();
    },
    takeLane: (options) => inTransaction(database, (inside) => takeLane(inside, options)),
    renewLane: async (lease, owner, { leaseMs, now }) => {
      const result = await ownLane(database, lease)
        .set({ lease_until: sql<number>`${engine.leaseNow(now)} + ${leaseMs}` })
        .where("lease_owner", "=", owner)
        .executeTakeFirst();
      return result.numUpdatedRows === 1n;
    },
    askForLane: async (chainId, lane, { holder, owner }) => {
      await db
        .updateTable("lanes")
        .set({ wanted_by: owner })
        .where("chain_id", "=", chainId)
        .where("lane", "=", toLowerHex(lane))
        .where("lease_owner", "=", holder)
        .where("wanted_by", "is", null)
        .execute();
    },
    handOverLane: async (lease, owner, { to, leaseMs, now }) => {
      const result = await ownLane(database, lease)
        .set({
          lease_owner: to,
          lease_until: sql<number>`${engine.leaseNow(now)} + ${leaseMs}`,
          fence: sql<number>`fence + 1`,
          wanted_by: null,
        })
        .where("lease_owner", "=", owner)
        .where("wanted_by", "=", to)
        .executeTakeFirst();
      return result.numUpdatedRows === 1n;
    },
    // What is asked for first: nobody hands over to who has gone.
    releaseLanes: async (chainId, owner) => {
      const lanes = db.updateTable("lanes").where("chain_id", "=", chainId);
      await lanes.set({ wanted_by: null }).where("wanted_by", "=", owner).execute();
      await lanes
        .set({ lease_owner: null, lease_until: 0 })
        .where("lease_owner", "=", owner)
        .execute();
    },
  };
}

/** The lane's row as long as the lease's fence is the newest. */
function ownLane({ db }: Database, lease: LaneLease) {
  return db
    .updateTable("lanes")
    .where("chain_id", "=", lease.chainId)
    .where("lane", "=", toLowerHex(lease.lane))
    .where("fence", "=", lease.fence);
}

async function findLaneHolders(
  { db, engine }: Database,
  chainId: ChainId,
  lanes: readonly Address[],
  now: number,
): Promise<(LaneHolder | undefined)[]> {
  const rows = await db
    .selectFrom("lanes")
    .select(["lane", "lease_owner", "wanted_by"])
    .select((select) =>
      select
        .case()
        .when("lease_until", ">", engine.leaseNow(now))
        .then(1)
        .else(0)
        .end()
        .as("is_running"),
    )
    .where("chain_id", "=", chainId)
    .execute();
  const holders = new Map(
    rows.map(({ lane, lease_owner: owner, wanted_by: wantedBy, is_running }) => [
      lane,
      { owner, wantedBy, isRunning: is_running === 1 },
    ]),
  );
  return lanes.map((lane) => holders.get(toLowerHex(lane)));
}

async function takeLane(
  { db, engine }: Database,
  options: Parameters<EngineStore["takeLane"]>[0],
): Promise<LaneLease | undefined> {
  const { chainId, owner, goneOwner = owner, nonceFloor, leaseMs, now } = options;
  const lane = toLowerHex(options.lane);
  await db
    .insertInto("lanes")
    .values({ chain_id: chainId, lane, next_nonce: 0, lease_until: 0, fence: 0 })
    .onConflict((conflict) => conflict.columns(["chain_id", "lane"]).doNothing())
    .execute();
  const row = await db
    .updateTable("lanes")
    .set({
      lease_owner: owner,
      lease_until: sql<number>`${engine.leaseNow(now)} + ${leaseMs}`,
      fence: sql<number>`fence + 1`,
      wanted_by: null,
      next_nonce: sql<number>`case when next_nonce < ${nonceFloor} then ${nonceFloor} else next_nonce end`,
    })
    .where("chain_id", "=", chainId)
    .where("lane", "=", lane)
    .where((where) =>
      where.or([
        where("lease_owner", "is", null),
        where("lease_until", "<=", engine.leaseNow(now)),
        where("lease_owner", "in", [owner, goneOwner]),
      ]),
    )
    .returning(["fence", "next_nonce"])
    .executeTakeFirst();
  return (
    row && {
      chainId,
      lane: options.lane,
      fence: Number(row.fence),
      nextNonce: Number(row.next_nonce),
    }
  );
}

/**
 * Takes the lane's next nonces; gives the first. Throws `lease_lost` unless the lease is the newest
 * and still runs. Locks the lane's row: nobody takes it over before the transaction ends.
 */
export async function takeNonces(
  database: Database,
  lease: LaneLease,
  count: number,
  now: number,
): Promise<number> {
  const row = await ownLane(database, lease)
    .set({ next_nonce: sql<number>`next_nonce + ${count}` })
    .where("lease_until", ">", database.engine.leaseNow(now))
    .returning("next_nonce")
    .executeTakeFirst();
  if (row) return Number(row.next_nonce) - count;
  throw new Fault(
    "lease_lost",
    `Relayer wallet ${lease.lane} on chain ${lease.chainId} is now worked by another process`,
  );
}

/** Throws `lease_lost` as {@link takeNonces} does, and locks the lane's row. */
export async function checkFence(database: Database, lease: LaneLease, now: number): Promise<void> {
  await takeNonces(database, lease, 0, now);
}
