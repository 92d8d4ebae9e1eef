/**
 * Retention: settlements that are over may be removed, and the ledger's entries with them. What an
 * account's removed entries came to is kept in one row per account, by the database itself, so that
 * the balance stays the sum of what there is and what was removed.
 */
import { sql, type Kysely } from "kysely";
import type { IdType } from "../dialect.ts";

/** Creates the table and replaces the trigger that refused every removal. */
export async function up(db: Kysely<unknown>, idType: IdType): Promise<void> {
  await db.schema
    .createTable("credit_closings")
    .addColumn("account", "text", (column) => column.primaryKey())
    // What the removed entries came to, and how many they were.
    .addColumn("credits", "bigint", (column) => column.notNull())
    .addColumn("entries", "bigint", (column) => column.notNull())
    .execute();
  const statements = idType === "integer" ? sqliteTriggers : postgresTriggers;
  for (const statement of statements) await sql.raw(statement).execute(db);
}

/** Purchases, grants and adjustments stay, and the entries of a settlement as long as that does. */
const notRemovable = "an entry of the ledger is removed with its settlement only";

/** A closing has more entries each time, and stays. */
const onlyGrows = "a closing of the ledger only grows";

const sqliteTriggers: readonly string[] = [
  `create trigger credit_closings_not_changed before update on credit_closings
   when new.account <> old.account or new.entries <= old.entries
   begin select raise(abort, '${onlyGrows}'); end`,
  `create trigger credit_closings_not_removed before delete on credit_closings
   begin select raise(abort, '${onlyGrows}'); end`,
  "drop trigger credit_entries_not_removed",
  `create trigger credit_entries_closed before delete on credit_entries
   begin
     select raise(abort, '${notRemovable}') where old.settlement_id is null
       or exists (select 1 from settlements where id = old.settlement_id);
     insert into credit_closings (account, credits, entries) values (old.account, old.credits, 1)
       on conflict (account) do update set
         credits = credits + excluded.credits, entries = entries + 1;
   end`,
];

const postgresTriggers: readonly string[] = [
  `create function credit_closings_only_grow() returns trigger language plpgsql as $$
   begin raise exception '${onlyGrows}'; end $$`,
  `create trigger credit_closings_not_changed before update on credit_closings for each row
   when (new.account <> old.account or new.entries <= old.entries)
   execute function credit_closings_only_grow()`,
  `create trigger credit_closings_not_removed before delete on credit_closings
   for each statement execute function credit_closings_only_grow()`,
  "drop trigger credit_entries_not_changed on credit_entries",
  `create trigger credit_entries_not_changed before update on credit_entries
   for each statement execute function credit_entries_not_changed()`,
  `create function credit_entries_closed() returns trigger language plpgsql
   set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
   begin
     if exists (select from removed where settlement_id is null
       or exists (select from settlements where settlements.id = removed.settlement_id))
     then raise exception '${notRemovable}'; end if;
     insert into credit_closings (account, credits, entries)
       select account, sum(credits)::bigint, count(*) from removed group by account order by account
       on conflict (account) do update set
         credits = credit_closings.credits + excluded.credits,
         entries = credit_closings.entries + excluded.entries;
     return null;
   end $$`,
  `create trigger credit_entries_closed after delete on credit_entries
   referencing old table as removed
   for each statement execute function credit_entries_closed()`,
];
