/** The signature of a contract wallet's payment as a hash, which stays when the signature is removed. */
import type { Kysely } from "kysely";

/** Adds a column without a value, which changes no row: a wallet is asked about earlier payments. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("settlements").addColumn("signature_hash", "text").execute();
}
