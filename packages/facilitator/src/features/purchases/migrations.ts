/** Purchases whose payer chose the nonce, and the API keys that are sold with credits. */
import type { Migrations } from "@farthing/engine/storage";
import { sql } from "kysely";

export const migrations: Migrations = {
  "0001-payments-of-payers": async (db) => {
    await db.schema.alterTable("credit_purchases").addColumn("nonce", "text").execute();
    await db.schema.alterTable("credit_purchases").addColumn("key_id", "text").execute();
    // One payment is one purchase.
    await sql`create unique index credit_purchases_nonce
      on credit_purchases (payer, nonce, chain_id) where nonce is not null`.execute(db);
  },
};
