/** The ledger for account owners and the operator; participant.ts adds entries of settlements. */
import {
  type Page,
  type Paging,
  atomic,
  type Database,
  patiently,
  type Tables,
} from "@farthing/engine/storage";
import { networks, toLowerHex, type Address } from "@farthing/protocol";
import { sql, type Kysely } from "kysely";
import type { CreditBalance, LedgerCursor } from "./model.ts";
import { entryColumns, type CreditEntry } from "./tables.ts";
import { ensureAccount } from "../accounts/store.ts";
import { lockFunds } from "./funds-store.ts";
import { feeMethods } from "./fee-store.ts";

/** An entry that the operator adds. */
export interface Grant {
  readonly account: Address;
  /** `adjustment` may subtract credits, down to a balance of zero. */
  readonly kind: "grant" | "adjustment";
  readonly credits: number;
  readonly actor: string;
  readonly note: string | null;
}

/** An inconsistency of the ledger; there should be none. */
export interface LedgerProblem {
  /** `balance`: differs from the sum of entries. `settlement`: state and last entry disagree. */
  readonly kind: "balance" | "settlement";
  /** An account, or the id of a settlement. */
  readonly of: string;
}

export type CreditStore = ReturnType<typeof createCreditStore>;

export function createCreditStore(database: Database) {
  return {
    findCredits: findCredits.bind(undefined, database),
    /** Adds the account when it is new; returns undefined when the balance would be negative. */
    grantCredits: atomic(database, grantCredits),
    /** Newest first. */
    listCreditEntries: listEntries.bind(undefined, database),
    /** Compares balances with entries, and entries with settlements. */
    auditCredits: (limit: number) => patiently(database, (db) => audit(db, limit)),
    ...feeMethods(database),
  };
}

async function findCredits({ db }: Database, account: Address): Promise<CreditBalance> {
  const of = toLowerHex(account);
  const row = await db
    .selectNoFrom(({ selectFrom }) => [
      selectFrom("credit_balances").select("balance").where("account", "=", of).as("balance"),
      // The index of open settlements, which are few; an account may have had millions.
      selectFrom("settlements")
        .select(({ fn }) => fn.sum<number | string>("credits").as("credits"))
        .where(
          "chain_id",
          "in",
          networks.map(({ chainId }) => chainId),
        )
        .where("state", "in", ["queued", "submitted"])
        .where("account", "=", of)
        .as("held"),
    ])
    .executeTakeFirstOrThrow();
  return { available: Number(row.balance ?? 0), held: Number(row.held ?? 0) };
}

async function grantCredits(
  inside: Database,
  { account, kind, credits, actor, note }: Grant,
  now: number,
): Promise<CreditBalance | undefined> {
  await ensureAccount(inside, account, now);
  const funds = await lockFunds(inside, [account]);
  const available = funds.get(toLowerHex(account))?.available ?? 0;
  if (available + credits < 0) return undefined;
  await inside.db
    .insertInto("credit_entries")
    .values({
      account: toLowerHex(account),
      kind,
      credits,
      settlement_id: null,
      step: null,
      purchase_id: null,
      actor,
      note,
      created_at: now,
    })
    .execute();
  return findCredits(inside, account);
}

async function listEntries(
  { db }: Database,
  account: Address,
  { from, limit }: Paging<LedgerCursor>,
): Promise<Page<CreditEntry, LedgerCursor>> {
  const of = toLowerHex(account);
  let query = db
    .selectFrom("credit_entries")
    .select(entryColumns.columns)
    // In the same statement, because the newest entry and its balance belong together.
    .select(({ selectFrom }) =>
      selectFrom("credit_balances").select("balance").where("account", "=", of).as("balance"),
    )
    .select(({ selectFrom }) =>
      selectFrom("settlements")
        .select("settlements.credits")
        .whereRef("settlements.id", "=", "credit_entries.settlement_id")
        .as("cost"),
    )
    .where("account", "=", of)
    .orderBy("id", "desc")
    .limit(limit + 1);
  if (from) query = query.where("id", "<=", from.id);
  const rows = await query.execute();
  let balanceAfter = from?.balanceAfter ?? Number(rows[0]?.balance ?? 0);
  const entries = rows.map((row): CreditEntry => {
    const cost = row.cost === null ? null : Number(row.cost);
    const entry = { ...entryColumns.read(row), balanceAfter, cost };
    balanceAfter -= entry.credits;
    return entry;
  });
  const following = entries[limit];
  return {
    items: entries.slice(0, limit),
    next: following ? { id: following.id, balanceAfter: following.balanceAfter } : null,
  };
}

/** One statement, because entries are written meanwhile and separate reads would not agree. */
async function audit(db: Kysely<Tables>, limit: number): Promise<LedgerProblem[]> {
  const { rows } = await sql<LedgerProblem>`
    select kind, of from (
      select 'balance' as kind, accounts.address as of
      from accounts
      left join credit_balances on credit_balances.account = accounts.address
      left join (select account, sum(credits) as total from credit_entries group by account) as entries
        on entries.account = accounts.address
      left join credit_closings on credit_closings.account = accounts.address
      where coalesce(credit_balances.balance, 0)
        <> coalesce(entries.total, 0) + coalesce(credit_closings.credits, 0)
      union all
      select 'settlement' as kind, settlements.id as of
      from settlements
      left join credit_entries as last on last.settlement_id = settlements.id
        and not exists (select 1 from credit_entries as later
          where later.settlement_id = last.settlement_id and later.step > last.step)
      where settlements.credits > 0 and coalesce(last.kind, 'none') not in ('reopen',
        case settlements.state when 'confirmed' then 'charge' when 'failed' then 'release' else 'hold' end)
        or settlements.credits > 0 and last.kind = 'reopen' and settlements.state in ('confirmed', 'failed')
        or settlements.credits = 0 and coalesce(last.kind, 'charge') <> 'charge'
    ) as problems limit ${limit}`.execute(db);
  return rows;
}
