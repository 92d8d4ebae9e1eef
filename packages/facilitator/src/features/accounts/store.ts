/** The store of accounts. */
import { toLowerHex, type Address } from "@farthing/protocol";
import { sql } from "kysely";
import type { Account, AccountChanges, Plan } from "./model.ts";
import { accountTable } from "./tables.ts";
import { atomic, type Database, type Paging } from "@farthing/engine/storage";

export type AccountStore = ReturnType<typeof createAccountStore>;

export function createAccountStore(database: Database) {
  const { db } = database;
  const all = () => db.selectFrom("accounts").selectAll();
  const update = (address: Address) =>
    db.updateTable("accounts").where("address", "=", toLowerHex(address)).returningAll();
  return {
    ensureAccount: atomic(database, ensureAccount),
    findAccount: async (address: Address) => {
      const row = await all().where("address", "=", toLowerHex(address)).executeTakeFirst();
      return row && accountTable.read(row);
    },
    /** Lists accounts by address. */
    listAccounts: async ({ from, limit }: Paging<Address>) => {
      let query = all()
        .orderBy("address")
        .limit(limit + 1);
      if (from !== undefined) query = query.where("address", ">", toLowerHex(from));
      const accounts = (await query.execute()).map(accountTable.read);
      const items = accounts.slice(0, limit);
      return { items, next: accounts.length > limit ? (items.at(-1)?.address ?? null) : null };
    },
    /** Changes what is named; returns undefined when the account does not exist. */
    updateAccount: async (address: Address, { label, lowCreditsAt }: AccountChanges) => {
      const row = await update(address)
        .set({
          label: label ?? sql<string>`label`,
          low_credits_at: lowCreditsAt === undefined ? sql<number>`low_credits_at` : lowCreditsAt,
        })
        .executeTakeFirst();
      return row && accountTable.read(row);
    },
    /** Returns the changed account; undefined when there is none. */
    setPlan: async (address: Address, plan: Plan) => {
      const row = await update(address).set({ plan }).executeTakeFirst();
      return row && accountTable.read(row);
    },
  };
}

export async function ensureAccount(
  { db }: Database,
  address: Address,
  now: number,
): Promise<Account> {
  await db
    .insertInto("accounts")
    .values({ address: toLowerHex(address), plan: "active", created_at: now })
    .onConflict((conflict) => conflict.column("address").doNothing())
    .execute();
  const row = await db
    .selectFrom("accounts")
    .selectAll()
    .where("address", "=", toLowerHex(address))
    .executeTakeFirstOrThrow();
  return accountTable.read(row);
}

/** Locks the number of an account's wallets, sessions, keys and webhooks. */
export async function lockAccount({ db, engine }: Database, account: Address): Promise<void> {
  await engine.lockNames(db, [`account:${toLowerHex(account)}`]);
}
