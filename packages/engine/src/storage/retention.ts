/**
 * Retention: signed bytes are removed when their block is final, settlements and webhook deliveries
 * by the operator's setting. Each statement removes a bounded number, found by an index or by the
 * order in which transactions were created.
 */
import type { ChainId } from "@farthing/protocol";
import { sql } from "kysely";
import type { Settlement } from "../model/settlement.ts";
import { inTransaction, type Database, textList } from "./dialect.ts";
import { moveClosed } from "./closed-transactions.ts";
import { hasLateIndex } from "./late-indexes.ts";
import { reviewPrune, type PruneReview, type SettlementParticipant } from "./participant.ts";
import { toSettlement } from "./rows.ts";
import { settlementColumnList, type SettlementRow } from "./schema.ts";

/** A removed settlement, with values that participants export beside it. */
export interface RetiredSettlement extends Readonly<Record<string, unknown>> {
  readonly settlement: Omit<Settlement, "signature" | "signatureHash" | "owner" | "priority"> & {
    readonly account: Settlement["owner"];
  };
}

/** A position among settlements in the order of a time. */
export interface TimePosition {
  readonly at: number;
  readonly id: string;
}

/** The position of a walk through removable settlements; the start when absent. */
export interface RetirementCursor {
  readonly transactionId: number;
  readonly failed: TimePosition;
  /** Among settlements that a third party's transaction confirmed. */
  readonly elsewhere: TimePosition;
}

export interface RetirementStep {
  readonly removed: number;
  /** The next position; null when there is nothing older left. */
  readonly next: RetirementCursor | null;
}

interface RetirementOptions {
  readonly madeBefore: number;
  /** Unix seconds: the authorizations ended before this. */
  readonly endedBefore: number;
  readonly limit: number;
  readonly from?: RetirementCursor;
}

export type RetentionMethods = ReturnType<typeof retentionMethods>;

export function retentionMethods(
  database: Database,
  participants: readonly SettlementParticipant[],
) {
  return {
    /**
     * Removes the signed bytes of transactions in blocks up to a final one, at most `limit`;
     * returns how many. Nothing sends them again.
     */
    pruneSignedBytes: async (chainId: ChainId, upToBlock: number, limit: number) => {
      // Without the index each batch would read the whole table.
      if (!(await hasLateIndex(database, "relayer_transactions_bytes"))) return 0;
      return inTransaction(database, (inside) =>
        dropSignedBytes(inside, chainId, upToBlock, limit),
      );
    },
    /**
     * Removes settlements that are over: created before a time, final or failed, expired for a
     * while, kept by no participant and not watched for a late confirmation. `onRemoval` receives
     * them first, possibly repeatedly; where it throws, nothing is removed. After an upgrade
     * nothing is removed until the required sums and indexes exist.
     */
    pruneSettlements: async (
      chainId: ChainId,
      options: RetirementOptions,
      onRemoval: RemovalPort["onRemoval"],
    ) => {
      if (!(await hasIndexes(database))) return nothing;
      const port = { participants, onRemoval };
      return inTransaction(database, (inside) => retire(inside, chainId, options, port));
    },
  };
}

interface RemovalPort {
  readonly participants: readonly SettlementParticipant[];
  readonly onRemoval: (retired: readonly RetiredSettlement[]) => Promise<void>;
}

/** A step that removes nothing and ends the walk. */
export const nothing: RetirementStep = { removed: 0, next: null };

/** Without one of these indexes each step would read all settlements. */
async function hasIndexes(database: Database): Promise<boolean> {
  for (const name of ["settlements_failed", "settlements_elsewhere"]) {
    if (!(await hasLateIndex(database, name))) return false;
  }
  return true;
}

/** Rows that another process is changing are skipped. */
const skipLocked = ({ engine }: Database) =>
  engine.hasRowLocks ? sql` for update skip locked` : sql``;

async function dropSignedBytes(
  inside: Database,
  chainId: ChainId,
  upToBlock: number,
  limit: number,
): Promise<number> {
  // Replaced transactions have no block; they are removed with the one that was mined.
  const { rows } = await sql<{ id: number | string; lane: string; nonce: number | string }>`
    select id, lane, nonce from relayer_transactions
    where chain_id = ${chainId} and block_number <= ${upToBlock} and raw is not null
    order by block_number limit ${limit}${skipLocked(inside)}`.execute(inside.db);
  if (rows.length === 0) return 0;
  const list = inside.engine.list(
    rows.map(({ lane, nonce }) => ({ of_lane: lane, of_nonce: Number(nonce) })),
    { of_lane: "text", of_nonce: "bigint" },
  );
  // In this order: SQLite would otherwise read all transactions of the chain.
  const { rows: replaced } = await sql<{ id: number | string }>`
    select replaced.id from ${list} cross join relayer_transactions as replaced
    where replaced.chain_id = ${chainId} and replaced.lane = given.of_lane
      and replaced.nonce = given.of_nonce and replaced.state = 'dropped'
      and replaced.raw is not null`.execute(inside.db);
  const ids = [...rows, ...replaced].map(({ id }) => Number(id));
  const moved = await moveClosed(inside, ids);
  const left = inside.engine.list(
    ids.filter((id) => !moved.has(id)).map((of) => ({ of })),
    { of: "bigint" },
  );
  await sql`update relayer_transactions set raw = null, data = ''
    where id in (select given.of from ${left})`.execute(inside.db);
  return rows.length;
}

async function retire(
  inside: Database,
  chainId: ChainId,
  options: RetirementOptions,
  port: RemovalPort,
): Promise<RetirementStep> {
  const { madeBefore, limit, from = walkStart } = options;
  // By the key, which grows with time: nothing newer than the end of the list is read.
  const { rows: carriers } = await sql<Record<"id" | "created_at", number | string>>`
    select id, created_at from all_transactions
    where id > ${from.transactionId} order by id limit ${limit}`.execute(inside.db);
  const old = carriers.filter((row) => Number(row.created_at) < madeBefore);
  const walk = { chainId, madeBefore, limit };
  const failed = await walkByTime(inside, failures, { ...walk, from: from.failed });
  const elsewhere = await walkByTime(inside, others, { ...walk, from: from.elsewhere });
  const carrierIds = old.map(({ id }) => Number(id));
  const removed = await removeOver(
    inside,
    { chainId, carrierIds, ids: [...failed, ...elsewhere].map(({ id }) => id) },
    options,
    port,
  );
  await removeCarriers(inside, carrierIds);
  const isOver = [old, failed, elsewhere].every(({ length }) => length < limit);
  const next = {
    transactionId: Number(old.at(-1)?.id ?? from.transactionId),
    failed: failed.at(-1) ?? from.failed,
    elsewhere: elsewhere.at(-1) ?? from.elsewhere,
  };
  return { removed, next: isOver ? null : next };
}

const start: TimePosition = { at: 0, id: "" };
const walkStart: RetirementCursor = { transactionId: 0, failed: start, elsewhere: start };

/** Settlements by an indexed time, with the condition that lets SQLite use the index. */
const failures = { time: "failed_at", among: "failed_at is not null" };
const others = { time: "confirmed_at", among: "settled_by = 'other'" };

async function walkByTime(
  { db }: Database,
  { time, among }: typeof failures,
  walk: Pick<RetirementOptions, "madeBefore" | "limit"> & { chainId: ChainId; from: TimePosition },
): Promise<TimePosition[]> {
  const at = sql.ref(time);
  const { rows } = await sql<{ id: string; at: number | string }>`
    select id, ${at} as at from settlements
    where chain_id = ${walk.chainId} and ${sql.raw(among)} and ${at} < ${walk.madeBefore}
      and (${at}, id) > (${walk.from.at}, ${walk.from.id})
    order by ${at}, id limit ${walk.limit}`.execute(db);
  return rows.map((row) => ({ id: row.id, at: Number(row.at) }));
}

async function removeOver(
  inside: Database,
  which: {
    readonly chainId: ChainId;
    readonly carrierIds: readonly number[];
    readonly ids: readonly string[];
  },
  { madeBefore, endedBefore }: RetirementOptions,
  { participants, onRemoval }: RemovalPort,
): Promise<number> {
  const { db, engine } = inside;
  const carriers = engine.list(
    which.carrierIds.map((of) => ({ of })),
    { of: "bigint" },
  );
  const found = textList(engine, which.ids);
  const end = String(endedBefore);
  const { rows } = await sql<SettlementRow>`
    select ${settlementColumnList} from settlements
    where id in (
      select settlement_id from transaction_settlements
        join ${carriers} on transaction_settlements.transaction_id = given.of
      union select given.of from ${found})
    -- Not by an index: SQLite would take the chain's settlements for fewer than these.
    and +chain_id = ${which.chainId} and created_at < ${madeBefore}
    -- As text, since authorizations may end in numbers that no column holds.
    and (length(valid_before) < ${end.length}
      or length(valid_before) = ${end.length} and valid_before < ${end})
    and (state = 'failed' and failed_at < ${madeBefore}
      or state = 'confirmed' and finalized_at is not null)
    and not exists (select 1 from failure_watches where settlement_id = settlements.id)
    -- A payment's refunds stay with it: they tell how much of it can still be refunded.
    and not exists (select 1 from refunds
      join settlements as payment on payment.id = refunds.settlement_id
      where refunds.refund_id = settlements.id)
    order by id${skipLocked(inside)}`.execute(db);
  if (rows.length === 0) return 0;
  const tx = { db, engine, locals: {} };
  const ids = rows.map(({ id }) => id);
  const reviews = await reviewPrune(tx, participants, ids);
  const removed = rows.filter(({ id }) => !reviews.some(({ kept }) => kept?.has(id)));
  if (removed.length === 0) return 0;
  await onRemoval(removed.map((row) => retiredOf(row, reviews)));
  const removedIds = removed.map(({ id }) => id);
  const list = textList(engine, removedIds);
  // The settlements first: rows that belong to one stay for as long as it exists.
  await sql`delete from settlements where id in (select given.of from ${list})`.execute(db);
  for (const participant of participants) await participant.onPruned?.(tx, removedIds);
  for (const table of ["settlement_claims", "transaction_settlements"]) {
    await sql`delete from ${sql.table(table)}
      where settlement_id in (select given.of from ${list})`.execute(db);
  }
  await sql`delete from refunds where refund_id in (select given.of from ${list})`.execute(db);
  return removed.length;
}

function retiredOf(row: SettlementRow, reviews: readonly PruneReview[]): RetiredSettlement {
  const {
    signature: _,
    signatureHash: _hash,
    priority: _priority,
    owner: account,
    ...settlement
  } = toSettlement(row);
  const parts = reviews.map(({ exported }) => exported?.get(row.id));
  return Object.assign({ settlement: { ...settlement, account } }, ...parts);
}

/** Removes transactions without settlements, except the last of a wallet, which has its nonce. */
async function removeCarriers(inside: Database, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  const list = inside.engine.list(
    ids.map((of) => ({ of })),
    { of: "bigint" },
  );
  await sql`delete from relayer_transactions
    where id in (select given.of from ${list}) and state in ('mined', 'dropped')
    and not exists (select 1 from transaction_settlements where transaction_id = relayer_transactions.id)
    and exists (select 1 from lanes where lanes.chain_id = relayer_transactions.chain_id
      and lanes.lane = relayer_transactions.lane
      and relayer_transactions.nonce < lanes.next_nonce - 1)`.execute(inside.db);
}
