/** Leases of relayer wallets, and their nonces. Leases run by the database's clock. */
import { toLowerHex } from "@farthing/protocol";
import { sql, type ExpressionBuilder } from "kysely";
import { Fault } from "../base/fault.ts";
import type { WalletLease } from "../model/relayer-transaction.ts";
import {
  atomic,
  inTransaction,
  type Database,
  type DatabaseDialect,
  type Work,
} from "./dialect.ts";
import type { WalletLeaseStore } from "./engine-store.ts";
import { numberOrNull } from "./rows.ts";
import type { Tables } from "./schema.ts";

export function walletLeaseMethods(database: Database): WalletLeaseStore {
  const { db, engine } = database;
  return {
    registerOwner: (owner) => engine.changes.registerOwner(owner),
    findWalletHolders: findHolders.bind(undefined, database),
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
    takeWalletLease: atomic(database, takeLease),
    renewWalletLease: async (lease, owner, { leaseMs, now }) => {
      const renew = async (inside: Database) => {
        const result = await ownLane(inside, lease)
          .set({ lease_until: sql<number>`${engine.leaseNow(now)} + ${leaseMs}` })
          .where("lease_owner", "=", owner)
          .executeTakeFirst();
        return result.numUpdatedRows === 1n;
      };
      // Alone it would be a commit of its own for each wallet, where commits can be shared.
      return database.commitTogether ? inTransaction(database, renew) : renew(database);
    },
    listNextNonces: listNextNonces.bind(undefined, database),
    raiseNextNonces: atomic(database, raiseNonces),
    holdSearch: (chainId) => engine.changes.hold(searchName(chainId)),
    releaseSearch: (chainId) => engine.changes.release(searchName(chainId)),
    askForWallet: async (chainId, lane, { holder, owner }) => {
      await db
        .updateTable("lanes")
        .set({ wanted_by: owner })
        .where("chain_id", "=", chainId)
        .where("lane", "=", toLowerHex(lane))
        .where("lease_owner", "=", holder)
        .where("wanted_by", "is", null)
        .execute();
    },
    handOverWallet: async (lease, owner, { to, leaseMs, now }) => {
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
    // Requests first, so that no process hands a wallet over to a stopped one.
    releaseWallets: async (chainId, owner) => {
      const lanes = db.updateTable("lanes").where("chain_id", "=", chainId);
      await lanes.set({ wanted_by: null }).where("wanted_by", "=", owner).execute();
      await lanes
        .set({ lease_owner: null, lease_until: 0 })
        .where("lease_owner", "=", owner)
        .execute();
    },
  };
}

const searchName = (chainId: number) => `search ${chainId}`;

/** When the newest transaction of a wallet was stored, in milliseconds; null where it has none. */
export function selectNewestAt({ selectFrom }: ExpressionBuilder<Tables, "lanes">) {
  return selectFrom("relayer_transactions as newest")
    .select("newest.created_at")
    .whereRef("newest.chain_id", "=", "lanes.chain_id")
    .whereRef("newest.lane", "=", "lanes.lane")
    .orderBy("newest.nonce", "desc")
    .limit(1)
    .as("newest_at");
}

const listNextNonces: Work<WalletLeaseStore["listNextNonces"]> = async ({ db }, chainId) => {
  const rows = await db
    .selectFrom("lanes")
    .select(["lane", "next_nonce"])
    .select(selectNewestAt)
    .where("chain_id", "=", chainId)
    .execute();
  return rows.map(({ lane: wallet, next_nonce: next, newest_at: newestAt }) => {
    return { wallet, nextNonce: Number(next), newestAt: numberOrNull(newestAt) };
  });
};

const raiseNonces: Work<WalletLeaseStore["raiseNextNonces"]> = async (
  { db, engine },
  chainId,
  used,
) => {
  if (used.length === 0) return;
  // In one order, since several processes may do this at once.
  const rows = used
    .map(({ wallet, nextNonce }) => ({ of: toLowerHex(wallet), used: nextNonce }))
    .toSorted((one, other) => (one.of < other.of ? -1 : 1));
  await db
    .updateTable("lanes")
    .from(engine.list(rows, { of: "text", used: "bigint" }))
    .set(({ ref }) => ({ next_nonce: ref("given.used") }))
    .where("lanes.chain_id", "=", chainId)
    .whereRef("lanes.lane", "=", "given.of")
    .whereRef("lanes.next_nonce", "<", "given.used")
    .execute();
};

/** The wallet's row while the lease has the newest fencing token. */
function ownLane({ db }: Database, lease: WalletLease) {
  return db
    .updateTable("lanes")
    .where("chain_id", "=", lease.chainId)
    .where("lane", "=", toLowerHex(lease.lane))
    .where("fence", "=", lease.fence)
    .where("lease_owner", "=", lease.holder);
}

/** 1 while the lease of a wallet's holder runs, else 0. */
export function isRunning(engine: DatabaseDialect, now: number) {
  return sql<number>`case when lease_until > ${engine.leaseNow(now)} then 1 else 0 end`.as(
    "is_running",
  );
}

const findHolders: Work<WalletLeaseStore["findWalletHolders"]> = async (
  { db, engine },
  chainId,
  lanes,
  now,
) => {
  const rows = await db
    .selectFrom("lanes")
    .select(["lane", "lease_owner", "wanted_by", "next_nonce"])
    .select(isRunning(engine, now))
    .where("chain_id", "=", chainId)
    .execute();
  const holders = new Map(
    rows.map((row) => {
      const { lane, lease_owner: owner, wanted_by: wantedBy, next_nonce: nextNonce } = row;
      return [
        lane,
        { owner, wantedBy, nextNonce: Number(nextNonce), isRunning: row.is_running === 1 },
      ];
    }),
  );
  return lanes.map((lane) => holders.get(toLowerHex(lane)));
};

const takeLease: Work<WalletLeaseStore["takeWalletLease"]> = async ({ db, engine }, options) => {
  const { chainId, owner, stoppedOwner = owner, nonceFloor, leaseMs, now } = options;
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
        where("lease_owner", "in", [owner, stoppedOwner]),
      ]),
    )
    .returning(["fence", "next_nonce"])
    .executeTakeFirst();
  if (!row) return undefined;
  const { fence, next_nonce: nextNonce } = row;
  return {
    chainId,
    lane: options.lane,
    fence: Number(fence),
    holder: owner,
    nextNonce: Number(nextNonce),
  };
};

/**
 * Takes the wallet's next nonces; returns the first. Throws `lease_lost` unless the lease is the
 * newest and still runs. Locks the wallet's row until the transaction ends.
 */
export async function takeNonces(
  database: Database,
  lease: WalletLease,
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

/** Throws `lease_lost` as {@link takeNonces} does, and locks the wallet's row. */
export async function checkFence(
  database: Database,
  lease: WalletLease,
  now: number,
): Promise<void> {
  await takeNonces(database, lease, 0, now);
}
