/** Lanes and their transactions: leases, nonces, signed bytes. */
import { toLowerHex, type Address, type ChainId, type Hex } from "@farthing/protocol";
import { sql, type Kysely, type Transaction } from "kysely";
import { Fault } from "../base/fault.ts";
import type {
  LaneLease,
  RelayerTransaction,
  TransactionPlan,
} from "../model/relayer-transaction.ts";
import type { Settlement } from "../model/settlement.ts";
import { toRelayerTransaction, toSettlement } from "./rows.ts";
import type { Tables } from "./schema.ts";
import type { Store } from "./store.ts";

type RelayerVerbs = Pick<
  Store,
  | "findLaneHolder"
  | "takeLane"
  | "renewLane"
  | "releaseLane"
  | "reserveTransactions"
  | "recordSigned"
  | "recordSent"
  | "closeTransactions"
  | "reopenTransactions"
  | "listOpenTransactions"
>;

/** The store's verbs about relayer wallets. */
export function relayerVerbs(db: Kysely<Tables>): RelayerVerbs {
  return {
    findLaneHolder: async (chainId, lane) => {
      const row = await db
        .selectFrom("lanes")
        .select(["lease_owner", "lease_until"])
        .where("chain_id", "=", chainId)
        .where("lane", "=", toLowerHex(lane))
        .executeTakeFirst();
      return row && { owner: row.lease_owner, until: Number(row.lease_until) };
    },
    takeLane: (options) => db.transaction().execute((inside) => takeLane(inside, options)),
    renewLane: async (lease, owner, until) => {
      const result = await ownLane(db, lease)
        .set({ lease_until: until })
        .where("lease_owner", "=", owner)
        .executeTakeFirst();
      return result.numUpdatedRows === 1n;
    },
    releaseLane: async (lease, owner) => {
      await ownLane(db, lease)
        .set({ lease_owner: null, lease_until: 0 })
        .where("lease_owner", "=", owner)
        .execute();
    },
    reserveTransactions: (lease, plans, now) =>
      db.transaction().execute((inside) => reserve(inside, lease, plans, now)),
    recordSigned: (lease, signed, now) =>
      db.transaction().execute((inside) => recordSigned(inside, lease, signed, now)),
    recordSent: async (ids, now) => {
      if (ids.length === 0) return;
      await db
        .updateTable("relayer_transactions")
        .set({ state: "sent", sent_at: now })
        .where("id", "in", [...ids])
        .where("state", "=", "signed")
        .execute();
    },
    closeTransactions: async (ids, state) => {
      if (ids.length === 0) return;
      await db
        .updateTable("relayer_transactions")
        .set({ state })
        .where("id", "in", [...ids])
        .execute();
    },
    reopenTransactions: async (hashes: readonly Hex[]) => {
      if (hashes.length === 0) return;
      await db
        .updateTable("relayer_transactions")
        .set({ state: "sent" })
        .where("hash", "in", [...hashes])
        .where("state", "=", "mined")
        .execute();
    },
    listOpenTransactions: (chainId, lane) => listOpenTransactions(db, chainId, lane),
  };
}

/** The lane's row as long as the lease's fence is the newest. */
function ownLane(db: Pick<Kysely<Tables>, "updateTable">, lease: LaneLease) {
  return db
    .updateTable("lanes")
    .where("chain_id", "=", lease.chainId)
    .where("lane", "=", toLowerHex(lease.lane))
    .where("fence", "=", lease.fence);
}

async function takeLane(
  db: Transaction<Tables>,
  options: Parameters<Store["takeLane"]>[0],
): Promise<LaneLease | undefined> {
  const { chainId, owner, goneOwner = owner, nonceFloor, until, now } = options;
  const lane = toLowerHex(options.lane);
  await db
    .insertInto("lanes")
    .values({ chain_id: chainId, lane, next_nonce: 0, lease_owner: null, lease_until: 0, fence: 0 })
    .onConflict((conflict) => conflict.columns(["chain_id", "lane"]).doNothing())
    .execute();
  const row = await db
    .updateTable("lanes")
    .set({
      lease_owner: owner,
      lease_until: until,
      fence: sql<number>`fence + 1`,
      next_nonce: sql<number>`case when next_nonce < ${nonceFloor} then ${nonceFloor} else next_nonce end`,
    })
    .where("chain_id", "=", chainId)
    .where("lane", "=", lane)
    .where((where) =>
      where.or([
        where("lease_owner", "is", null),
        where("lease_until", "<=", now),
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

async function reserve(
  db: Transaction<Tables>,
  lease: LaneLease,
  plans: readonly TransactionPlan[],
  now: number,
): Promise<RelayerTransaction[]> {
  const free = await freeSettlements(db, plans);
  const kept = plans.filter((plan) => plan.settlementIds.every((id) => free.has(id)));
  // The nonce is taken last: whatever refuses above cannot leave a gap.
  const nextNonce = await takeNonces(db, lease, kept.length, now);
  const reserved: RelayerTransaction[] = [];
  for (const [index, plan] of kept.entries()) {
    const row = await db
      .insertInto("relayer_transactions")
      .values({
        chain_id: lease.chainId,
        lane: toLowerHex(lease.lane),
        nonce: nextNonce + index,
        to_address: toLowerHex(plan.to),
        data: plan.data,
        gas_limit: plan.gasLimit.toString(),
        gas_price: plan.gasPrice.toString(),
        raw: null,
        hash: null,
        state: "intent",
        created_at: now,
        sent_at: null,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    const transaction = toRelayerTransaction(row, plan.settlementIds);
    await tie(db, transaction);
    reserved.push(transaction);
  }
  return reserved;
}

async function freeSettlements(
  db: Transaction<Tables>,
  plans: readonly TransactionPlan[],
): Promise<Set<string>> {
  const ids = plans.flatMap((plan) => plan.settlementIds);
  if (ids.length === 0) return new Set();
  const rows = await db
    .selectFrom("settlements")
    .select("id")
    .where("id", "in", ids)
    .where("state", "=", "queued")
    .where("transaction_id", "is", null)
    .execute();
  return new Set(rows.map(({ id }) => id));
}

async function takeNonces(
  db: Transaction<Tables>,
  lease: LaneLease,
  count: number,
  now: number,
): Promise<number> {
  const row = await ownLane(db, lease)
    .set({ next_nonce: sql<number>`next_nonce + ${count}` })
    .where("lease_until", ">", now)
    .returning("next_nonce")
    .executeTakeFirst();
  if (!row) throw leaseLost(lease);
  return Number(row.next_nonce) - count;
}

async function tie(db: Transaction<Tables>, transaction: RelayerTransaction): Promise<void> {
  const { id, settlementIds } = transaction;
  if (settlementIds.length === 0) return;
  await db
    .updateTable("settlements")
    .set({ transaction_id: id })
    .where("id", "in", [...settlementIds])
    .execute();
  await db
    .insertInto("transaction_settlements")
    .values(
      settlementIds.map((settlementId) => ({ transaction_id: id, settlement_id: settlementId })),
    )
    .execute();
}

async function recordSigned(
  db: Transaction<Tables>,
  lease: LaneLease,
  signed: Parameters<Store["recordSigned"]>[1],
  now: number,
): Promise<Settlement[]> {
  await takeNonces(db, lease, 0, now);
  const moved: Settlement[] = [];
  for (const { id, raw, hash } of signed) {
    await db
      .updateTable("relayer_transactions")
      .set({ raw, hash, state: "signed" })
      .where("id", "=", id)
      .where("state", "=", "intent")
      .execute();
    const rows = await db
      .updateTable("settlements")
      .set({ state: "submitted", transaction_hash: hash, submitted_at: now })
      .where("transaction_id", "=", id)
      .where("state", "=", "queued")
      .returningAll()
      .execute();
    moved.push(...rows.map(toSettlement));
  }
  return moved;
}

async function listOpenTransactions(
  db: Kysely<Tables>,
  chainId: ChainId,
  lane: Address,
): Promise<RelayerTransaction[]> {
  const rows = await db
    .selectFrom("relayer_transactions")
    .selectAll()
    .where("chain_id", "=", chainId)
    .where("lane", "=", toLowerHex(lane))
    .where("state", "in", ["intent", "signed", "sent"])
    .orderBy("nonce")
    .execute();
  if (rows.length === 0) return [];
  const links = await db
    .selectFrom("transaction_settlements")
    .selectAll()
    .where(
      "transaction_id",
      "in",
      rows.map(({ id }) => id),
    )
    .execute();
  const idsOf = Map.groupBy(links, (link) => Number(link.transaction_id));
  return rows.map((row) =>
    toRelayerTransaction(
      row,
      (idsOf.get(Number(row.id)) ?? []).map((link) => link.settlement_id),
    ),
  );
}

function leaseLost(lease: LaneLease): Fault {
  return new Fault(
    "lease_lost",
    `Relayer wallet ${lease.lane} on chain ${lease.chainId} is now worked by another process`,
  );
}
