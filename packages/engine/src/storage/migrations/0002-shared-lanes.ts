/**
 * Processes that share wallets ask each other for them: who wants a lane stands in its row. A lane
 * that changes hands often is looked through by nonce.
 */
import type { Kysely } from "kysely";

/** Adds column and index. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("lanes").addColumn("wanted_by", "text").execute();
  await db.schema
    .createIndex("relayer_transactions_nonce")
    .on("relayer_transactions")
    .columns(["chain_id", "lane", "nonce"])
    .execute();
}
