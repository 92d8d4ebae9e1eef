/** Settlements after the claim: found, confirmed, failed, reorganised away, final. */
import type { ChainId, Hex } from "@farthing/protocol";
import type { Expression, ExpressionBuilder, SqlBool } from "kysely";
import { pairKey, type Pair, type Settlement } from "../model/settlement.ts";
import { settlementData, type WebhookEvent } from "../model/webhook.ts";
import { claimAll, findByPairs } from "./claims.ts";
import { inTransaction, type Database, type Engine } from "./dialect.ts";
import { chargeAll, releaseAll, reopenAll } from "./holds.ts";
import { closeKeyless } from "./keyless-charges.ts";
import { countForPayees } from "./keyless-payees.ts";
import { watchFailures } from "./failure-watches.ts";
import { putIntoOutbox } from "./outbox.ts";
import { pausePayers } from "./payer-pauses.ts";
import { countForPayers } from "./proven-payers.ts";
import { closeRevertedGas } from "./reverted-gas.ts";
import { toSettlement } from "./rows.ts";
import { settlementColumns, type SettlementRow, type Tables } from "./schema.ts";
import { countMoves } from "./settlement-sums.ts";
import type { Confirmation, Failure, Store } from "./store.ts";

type SettlementVerbs = Pick<
  Store,
  | "claimSettlements"
  | "findSettlement"
  | "findSettlementsByPair"
  | "listOpenSettlements"
  | "listUnassigned"
  | "findUnassigned"
  | "recordConfirmed"
  | "recordFailed"
  | "recordReorganised"
  | "recordFinalized"
>;

/** The store's verbs about settlements. */
export function settlementVerbs(database: Database): SettlementVerbs {
  return {
    claimSettlements: (claims, now) =>
      inTransaction(database, (inside) => claimAll(inside, claims, now)),
    findSettlement: async (id) => {
      const row = await settlements(database).where("id", "=", id).executeTakeFirst();
      return row && toSettlement(row);
    },
    findSettlementsByPair: async (pairs: readonly Pair[]) => {
      const found = await findByPairs(database, pairs);
      return pairs.map((pair) => found.get(pairKey(pair)));
    },
    listOpenSettlements: (chainId) =>
      listed(
        settlements(database)
          .where("chain_id", "=", chainId)
          .where("state", "in", ["queued", "submitted"])
          .orderBy("created_at"),
      ),
    listUnassigned: (chainId, options) => listed(unassignedOf(database, chainId, options)),
    findUnassigned: async (ids) =>
      ids.length === 0
        ? []
        : listed(unassigned(database).where(isOneOf(database.engine, ids)).orderBy("created_at")),
    recordConfirmed: (confirmations, now) => recordConfirmed(database, confirmations, now),
    recordFailed: (failures, now) => recordFailed(database, failures, now),
    recordReorganised: (chainId, fromBlock, now, hashes) =>
      recordReorganised(database, chainId, { fromBlock, hashes }, now),
    recordFinalized: (chainId, upToBlock, now) =>
      recordFinalized(database, chainId, upToBlock, now),
  };
}

/** Settlements, to be narrowed down. */
export function settlements({ db }: Database) {
  return db.selectFrom("settlements").select(settlementColumns);
}

/** Queued ones that no transaction carries. */
function unassigned(database: Database) {
  return settlements(database).where("state", "=", "queued").where("transaction_id", "is", null);
}

/** The settlements that a query finds. */
export async function listed(query: {
  execute(): Promise<SettlementRow[]>;
}): Promise<Settlement[]> {
  return (await query.execute()).map(toSettlement);
}

/** Those of a chain, oldest first. */
function unassignedOf(
  database: Database,
  chainId: ChainId,
  { olderThan, limit, from = 0, isKeyed }: Parameters<Store["listUnassigned"]>[1],
) {
  const all = unassigned(database)
    .where("chain_id", "=", chainId)
    .where("created_at", "<", olderThan)
    .where("created_at", ">=", from)
    .orderBy("created_at")
    .limit(limit);
  return isKeyed === undefined ? all : all.where("key_id", isKeyed ? "is not" : "is", null);
}

/**
 * Locks settlements in one order, whoever moves them: every process follows the same blocks, and
 * two that lock the same rows in different orders would block each other.
 */
export async function lockSettlements(
  { db, engine }: Database,
  which: (where: ExpressionBuilder<Tables, "settlements">) => Expression<SqlBool>,
): Promise<void> {
  if (!engine.hasRowLocks) return;
  await db.selectFrom("settlements").select("id").where(which).orderBy("id").forUpdate().execute();
}

/** The condition that a settlement is one of these. */
export function isOneOf(engine: Engine, ids: readonly string[]) {
  const list = engine.list(
    ids.map((of) => ({ of })),
    { of: "text" },
  );
  return (where: ExpressionBuilder<Tables, "settlements">) =>
    where("settlements.id", "in", where.selectFrom(list).select("given.of"));
}

/** Tells other processes that settlements moved, and gives them. */
export async function announceMoved(
  { db, engine }: Database,
  rows: readonly SettlementRow[],
): Promise<Settlement[]> {
  await engine.changes.announce(db, { kind: "changed", ids: rows.map(({ id }) => id) });
  return rows.map(toSettlement);
}

/** Tells the webhooks of the accounts that settlements belong to. */
async function tellAccounts(
  inside: Database,
  rows: readonly SettlementRow[],
  type: WebhookEvent,
  now: number,
): Promise<void> {
  const events = rows.flatMap((row) => {
    const { account } = row;
    return account === null ? [] : [{ account, type, data: settlementData(toSettlement(row)) }];
  });
  await putIntoOutbox(inside, events, now);
}

/** The first of each id, so that one statement moves each settlement once. */
function firstOfEachId<T extends { readonly id: string }>(items: readonly T[]): T[] {
  const byId = new Map<string, T>();
  for (const item of items) if (!byId.has(item.id)) byId.set(item.id, item);
  return [...byId.values()];
}

function recordConfirmed(
  database: Database,
  confirmations: readonly Confirmation[],
  now: number,
): Promise<Settlement[]> {
  const given = firstOfEachId(confirmations).map(({ id, mined }) => ({
    of: id,
    hash: mined.transaction,
    block: mined.blockNumber,
    block_hash: mined.blockHash,
    log_index: mined.logIndex,
    settled_by: mined.settledBy,
  }));
  return move(
    database,
    given.map(({ of }) => of),
    (inside) => {
      const list = inside.engine.list(given, {
        of: "text",
        hash: "text",
        block: "bigint",
        block_hash: "text",
        log_index: "bigint",
        settled_by: "text",
      });
      return inside.db
        .updateTable("settlements")
        .from(list)
        .set(({ ref }) => ({
          state: "confirmed",
          transaction_hash: ref("given.hash"),
          block_number: ref("given.block"),
          block_hash: ref("given.block_hash"),
          log_index: ref("given.log_index"),
          settled_by: ref("given.settled_by"),
          confirmed_at: now,
          failure: null,
          failure_message: null,
          failed_at: null,
        }))
        .whereRef("settlements.id", "=", "given.of")
        .where("state", "in", ["queued", "submitted", "failed"])
        .returning(settlementColumns)
        .execute();
    },
    async (inside, rows) => {
      await closeKeyless(inside, rows, await closeRevertedGas(inside, rows));
      const free = await chargeAll(inside, rows, now);
      const charged = rows.map((row) => (free.has(row.id) ? { ...row, credits: 0 } : row));
      await tellAccounts(inside, charged, "settlement.confirmed", now);
      return charged;
    },
  );
}

function recordFailed(
  database: Database,
  failures: readonly Failure[],
  now: number,
): Promise<Settlement[]> {
  const given = firstOfEachId(failures).map(({ id, code, message, transaction, ...failure }) => ({
    of: id,
    code,
    message,
    hash: transaction,
    only_unassigned: failure.onlyUnassigned === true ? 1 : 0,
  }));
  return move(
    database,
    given.map(({ of }) => of),
    (inside) => {
      const list = inside.engine.list(given, {
        of: "text",
        code: "text",
        message: "text",
        hash: "text",
        only_unassigned: "bigint",
      });
      return inside.db
        .updateTable("settlements")
        .from(list)
        .set(({ ref }) => ({
          state: "failed",
          failure: ref("given.code"),
          failure_message: ref("given.message"),
          transaction_hash: ref("given.hash"),
          failed_at: now,
        }))
        .whereRef("settlements.id", "=", "given.of")
        .where("state", "in", ["queued", "submitted"])
        .where((where) =>
          where.or([where("given.only_unassigned", "=", 0), where("transaction_id", "is", null)]),
        )
        .returning(settlementColumns)
        .execute();
    },
    async (inside, rows) => {
      await closeKeyless(inside, rows, await closeRevertedGas(inside, rows));
      await releaseAll(inside, rows, now);
      await pausePayers(inside, blamed(rows, failures), now);
      await watchFailures(inside, rows, now);
      await tellAccounts(inside, rows, "settlement.failed", now);
      return rows;
    },
  );
}

/** The failed settlements whose payers are to blame. */
function blamed(
  rows: readonly SettlementRow[],
  failures: readonly Failure[],
): readonly SettlementRow[] {
  const ids = new Set(failures.flatMap(({ id, pausesPayer }) => (pausesPayer ? [id] : [])));
  return rows.filter(({ id }) => ids.has(id));
}

/**
 * Moves named settlements in one transaction, with what follows from it; gives those that moved, in
 * the order of the names.
 */
async function move(
  database: Database,
  ids: readonly string[],
  update: (inside: Database) => Promise<SettlementRow[]>,
  follow: (inside: Database, rows: readonly SettlementRow[]) => Promise<readonly SettlementRow[]>,
): Promise<Settlement[]> {
  if (ids.length === 0) return [];
  return inTransaction(database, async (inside) => {
    const before = await lockStates(inside, isOneOf(inside.engine, ids));
    const moved = new Map((await update(inside)).map((row) => [row.id, row]));
    const rows = ids.flatMap((id) => moved.get(id) ?? []);
    const followed = await follow(inside, rows);
    await countMoves(
      inside,
      followed.map((row) => ({ row, before: before.get(row.id) ?? null })),
    );
    return announceMoved(inside, followed);
  });
}

/** Locks settlements as {@link lockSettlements} does; returns what is counted of them, by id. */
async function lockStates({ db, engine }: Database, which: ReturnType<typeof isOneOf>) {
  let query = db
    .selectFrom("settlements")
    .select(["id", "state", "credits"])
    .where(which)
    .orderBy("id");
  if (engine.hasRowLocks) query = query.forUpdate();
  const rows = await query.execute();
  return new Map(rows.map(({ id, state, credits }) => [id, { state, credits: Number(credits) }]));
}

function recordReorganised(
  database: Database,
  chainId: ChainId,
  gone: { readonly fromBlock: number; readonly hashes: readonly Hex[] | undefined },
  now: number,
): Promise<Settlement[]> {
  const { fromBlock, hashes } = gone;
  if (hashes?.length === 0) return Promise.resolve([]);
  const which = ({ and, eb }: ExpressionBuilder<Tables, "settlements">) =>
    and([
      eb("chain_id", "=", chainId),
      eb("state", "=", "confirmed"),
      eb("finalized_at", "is", null),
      eb("block_number", ">=", fromBlock),
      ...(hashes ? [eb("block_hash", "in", hashes)] : []),
    ]);
  return inTransaction(database, async (inside) => {
    await lockSettlements(inside, which);
    const rows = await inside.db
      .updateTable("settlements")
      .set(({ selectFrom }) => ({
        state: "submitted",
        // Ours again, where somebody else's had settled it.
        transaction_hash: selectFrom("relayer_transactions as carrier")
          .select("carrier.hash")
          .whereRef("carrier.id", "=", "settlements.transaction_id"),
        block_number: null,
        block_hash: null,
        log_index: null,
        settled_by: null,
        confirmed_at: null,
      }))
      .where(which)
      .returning(settlementColumns)
      .execute();
    await reopenAll(inside, rows, now);
    await countMoves(
      inside,
      rows.map((row) => ({
        row,
        before: { state: "confirmed", credits: Number(row.credits) },
      })),
    );
    return announceMoved(inside, rows);
  });
}

function recordFinalized(
  database: Database,
  chainId: ChainId,
  upToBlock: number,
  now: number,
): Promise<Settlement[]> {
  const which = ({ and, eb }: ExpressionBuilder<Tables, "settlements">) =>
    and([
      eb("chain_id", "=", chainId),
      eb("state", "=", "confirmed"),
      eb("finalized_at", "is", null),
      eb("block_number", "<=", upToBlock),
    ]);
  return inTransaction(database, async (inside) => {
    await lockSettlements(inside, which);
    const rows = await inside.db
      .updateTable("settlements")
      // Nobody signs for it, or sends it, again.
      .set({ finalized_at: now, signature: "0x" })
      .where(which)
      .returning(settlementColumns)
      .execute();
    await countForPayees(inside, rows, now);
    await countForPayers(inside, rows, now);
    await tellAccounts(inside, rows, "settlement.finalized", now);
    return announceMoved(inside, rows);
  });
}
