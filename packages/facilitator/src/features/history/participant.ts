/**
 * Sums over settlements, updated in the transaction that changes these: settlements of an account
 * by day, and sales by price. Reading them costs the same however long a history is.
 * Locks are taken last in a transaction and in one order: the progress of the backfill, then days
 * by key, then prices by key. A reorganisation subtracts.
 */
import { depositCollector, isSameAddress, toLowerHex, type Address } from "@farthing/protocol";
import { sql } from "kysely";
import type { Settlement, SettlementState } from "@farthing/engine";
import {
  type Database,
  type DatabaseDialect,
  type SettlementParticipant,
  type SettlementRow,
  type Transition,
  unchanged,
} from "@farthing/engine/storage";
import { countSales } from "./sales-store.ts";
import { usageDays, type Outcome } from "./tables.ts";

export const dayMs = 24 * 60 * 60 * 1000;

/** The day (UTC) of the claim. */
export function dayOf(createdAt: number | string): number {
  return Math.floor(Number(createdAt) / dayMs);
}

export type CountedRow = Pick<
  SettlementRow,
  | "id"
  | "account"
  | "chain_id"
  | "amount"
  | "payer"
  | "state"
  | "credits"
  | "created_at"
  | "confirmed_at"
  | "refund_of"
  | "pay_to"
>;

export const aggregatesParticipant: SettlementParticipant = {
  name: "aggregates",
  async onClaimed(tx, settlements) {
    await countMoves(
      tx,
      settlements.map((settlement) => ({ row: toCountedRow(settlement), before: null })),
    );
    return unchanged;
  },
  async onTransitions(tx, transitions) {
    await countMoves(
      tx,
      transitions.flatMap(({ kind, settlement, before }) =>
        isCounted[kind] ? [{ row: toCountedRow(settlement), before }] : [],
      ),
    );
    return unchanged;
  },
  // A settlement that is removed before it is counted would be missing for good.
  async beforePrune({ db }, ids) {
    const { is_complete: isComplete } = await db
      .selectFrom("sums_progress")
      .select("is_complete")
      .executeTakeFirstOrThrow();
    return { kept: new Set(isComplete === 1 ? [] : ids) };
  },
};

/** Transitions that change the sums. */
const isCounted: Readonly<Record<Transition["kind"], boolean>> = {
  confirmed: true,
  failed: true,
  reorganised: true,
  requeued: false,
  finalized: false,
  renewed: true,
};

function toCountedRow(settlement: Settlement): CountedRow {
  const { id, owner, chainId, amount, payer, state, credits, createdAt } = settlement;
  return {
    id,
    account: owner && toLowerHex(owner),
    chain_id: chainId,
    amount: amount.toString(),
    payer: toLowerHex(payer),
    state,
    credits,
    created_at: createdAt,
    confirmed_at: settlement.confirmedAt,
    refund_of: settlement.refundOf,
    pay_to: toLowerHex(settlement.payTo),
  };
}

/** A settlement now and before the transition; null before its claim. */
export interface CountedMove {
  readonly row: CountedRow;
  readonly before: { readonly state: SettlementState; readonly credits: number } | null;
}

/** Databases whose backfill is complete, which is final. */
const complete = new WeakSet<DatabaseDialect>();

/** Counts transitions of settlements that the backfill has passed. */
async function countMoves(inside: Database, moves: readonly CountedMove[]): Promise<void> {
  const ofAccounts = moves.filter(({ row }) => row.account !== null);
  if (ofAccounts.length === 0) return;
  const progress = await readProgress(inside, { isLocked: true });
  await addToSums(
    inside,
    ofAccounts.filter(({ row }) => progress === "complete" || !isBehind(row, progress)),
  );
}

export async function addToSums(inside: Database, moves: readonly CountedMove[]): Promise<void> {
  await addToDays(inside, moves);
  await countSales(
    inside,
    moves.flatMap(({ row, before }) => {
      const times = Number(row.state === "confirmed") - Number(before?.state === "confirmed");
      if (times === 0 || row.account === null || !isIncome(row)) return [];
      const price = { account: toLowerHex(row.account), chainId: row.chain_id, amount: row.amount };
      const settledAt = Number(row.confirmed_at ?? 0);
      return [{ ...price, payer: row.payer, day: dayOf(row.created_at), times, settledAt }];
    }),
  );
}

/** The last settlement in the sums. */
export type SumsProgress = Pick<CountedRow, "id" | "created_at"> & { readonly account: string };

/** Returns whether all settlements are in the sums. */
export async function isComplete(database: Database): Promise<boolean> {
  return (await readProgress(database, { isLocked: false })) === "complete";
}

/** Reads the progress of the backfill, and locks it when asked. */
async function readProgress(
  { db, engine }: Database,
  { isLocked }: { readonly isLocked: boolean },
): Promise<SumsProgress | "complete"> {
  if (complete.has(engine)) return "complete";
  let query = db.selectFrom("sums_progress").selectAll();
  if (isLocked && engine.hasRowLocks) query = query.forShare();
  const row = await query.executeTakeFirstOrThrow();
  if (row.is_complete !== 1) return row;
  complete.add(engine);
  return "complete";
}

/** Whether the backfill has not reached this settlement. */
function isBehind(row: CountedRow, progress: SumsProgress): boolean {
  if (row.account !== progress.account) return String(row.account) > progress.account;
  const [createdAt, progressAt] = [Number(row.created_at), Number(progress.created_at)];
  return createdAt === progressAt ? row.id > progress.id : createdAt > progressAt;
}

interface DaySum {
  readonly account: Address;
  readonly day: number;
  readonly chain_id: number;
  readonly outcome: Outcome;
  readonly settlements: number;
  readonly units: bigint;
  readonly credits: number;
}

const outcomes: Readonly<Record<SettlementState, Outcome>> = {
  queued: "pending",
  submitted: "pending",
  confirmed: "confirmed",
  failed: "failed",
};

async function addToDays(inside: Database, moves: readonly CountedMove[]): Promise<void> {
  const sums: DaySum[] = [];
  function add(row: CountedRow, state: SettlementState, credits: number, times: 1 | -1): void {
    if (row.account === null) return;
    const outcome = outcomes[state];
    const counted = isIncome(row) ? times : 0;
    sums.push({
      account: toLowerHex(row.account),
      day: dayOf(row.created_at),
      chain_id: row.chain_id,
      outcome,
      credits: times * credits,
      settlements: counted,
      // Confirmed amounts are at most all USDC; failed ones may be any number.
      units: outcome === "confirmed" ? BigInt(counted) * BigInt(row.amount) : 0n,
    });
  }
  for (const { row, before } of moves) {
    if (before) add(row, before.state, before.credits, -1);
    add(row, row.state, Number(row.credits), 1);
  }
  await addUsageDays(inside, sums);
}

/**
 * A refund costs credits, and is no income. Nor is a deposit to a channel: what is charged of it counts
 * when it is charged.
 */
function isIncome(row: Pick<CountedRow, "refund_of" | "pay_to">): boolean {
  return row.refund_of === null && !isSameAddress(row.pay_to, depositCollector);
}

/** Adds to the sums of days; a day may be named several times. */
export async function addUsageDays(
  { db, engine }: Database,
  added: readonly DaySum[],
): Promise<void> {
  const sums = new Map<string, DaySum>();
  for (const { account, day, chain_id, outcome, ...counts } of added) {
    const key = JSON.stringify([account, day, chain_id, outcome]);
    const before = sums.get(key);
    sums.set(key, {
      account,
      day,
      chain_id,
      outcome,
      settlements: (before?.settlements ?? 0) + counts.settlements,
      units: (before?.units ?? 0n) + counts.units,
      credits: (before?.credits ?? 0) + counts.credits,
    });
  }
  const changed = [...sums]
    .filter(([, sum]) => sum.settlements !== 0 || sum.units !== 0n || sum.credits !== 0)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([, sum]) => ({ ...sum, units: sum.units.toString() }));
  if (changed.length === 0) return;
  const list = engine.list(changed, usageDays.types);
  await sql`insert into usage_days (account, day, chain_id, outcome, settlements, units, credits)
    select account, day, chain_id, outcome, settlements, cast(units as bigint), credits from ${list}
    where true
    on conflict (account, day, chain_id, outcome) do update set
      settlements = usage_days.settlements + excluded.settlements,
      units = usage_days.units + excluded.units,
      credits = usage_days.credits + excluded.credits`.execute(db);
}
