/**
 * The ledger's rules, kept by the database: entries are only added, each entry of a settlement
 * follows the one before and takes or gives back exactly its price, and the balance is the sum of
 * the entries (below zero it cannot be: that is a check of its table). Whoever writes, with our code
 * or by hand, is held to them.
 */
import { sql, type Kysely } from "kysely";
import type { IdType } from "../dialect.ts";

/** Whether entry `given` follows `earlier`, the settlement's entry one step before it. */
const follows = (given: string) => `
  (case when ${given}.step = 1 then ${given}.kind = 'hold'
    else earlier.kind || ' ' || ${given}.kind in (
      'hold charge', 'hold release', 'charge reopen', 'reopen charge', 'reopen release',
      'release hold', 'release charge') end)
  and ${given}.credits = case ${given}.kind
    when 'hold' then -settlements.credits when 'release' then settlements.credits else 0 end`;

/** Finds the settlement of entry `given`, and its entry one step before it. */
const story = (given: string) => `
  settlements left join credit_entries as earlier
    on earlier.settlement_id = settlements.id and earlier.step = ${given}.step - 1
  where settlements.id = ${given}.settlement_id and settlements.account = ${given}.account`;

const onlyAdded = "entries of the ledger are only added";
const notInOrder = "an entry of the ledger does not follow what its settlement did before";

/** Creates them, in the words of the engine. */
export async function createLedgerTriggers(db: Kysely<unknown>, idType: IdType): Promise<void> {
  const statements = idType === "integer" ? sqliteTriggers : postgresTriggers;
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const sqliteTriggers: readonly string[] = [
  `create trigger credit_entries_not_changed before update on credit_entries
   begin select raise(abort, '${onlyAdded}'); end`,
  `create trigger credit_entries_not_removed before delete on credit_entries
   begin select raise(abort, '${onlyAdded}'); end`,
  `create trigger credit_entries_in_order before insert on credit_entries
   when new.settlement_id is not null
   begin
     select raise(abort, '${notInOrder}')
       where not exists (select 1 from ${story("new")} and ${follows("new")});
   end`,
  `create trigger credit_entries_counted after insert on credit_entries
   when new.credits <> 0
   begin
     insert into credit_balances (account, balance) values (new.account, 0)
       on conflict (account) do nothing;
     update credit_balances set balance = balance + new.credits where account = new.account;
   end`,
];

// Once for a statement with any number of entries. By index always: the plan is kept by the
// connection, and one that was made while the tables were empty would read them whole.
const postgresTriggers: readonly string[] = [
  `create function credit_entries_not_changed() returns trigger language plpgsql as $$
   begin raise exception '${onlyAdded}'; end $$`,
  `create trigger credit_entries_not_changed before update or delete on credit_entries
   for each statement execute function credit_entries_not_changed()`,
  `create function credit_entries_counted() returns trigger language plpgsql
   set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
   begin
     if exists (select from added where settlement_id is not null and not exists (
       select from ${story("added")} and ${follows("added")}))
     then raise exception '${notInOrder}'; end if;
     if exists (select from added where credits <> 0) then
       insert into credit_balances (account, balance)
         select distinct account, 0 from added where credits <> 0 order by account
         on conflict (account) do nothing;
       update credit_balances set balance = credit_balances.balance + total.credits
         from (select account, sum(credits)::bigint as credits from added group by account) as total
         where credit_balances.account = total.account and total.credits <> 0;
     end if;
     return null;
   end $$`,
  `create trigger credit_entries_counted after insert on credit_entries
   referencing new table as added
   for each statement execute function credit_entries_counted()`,
];
