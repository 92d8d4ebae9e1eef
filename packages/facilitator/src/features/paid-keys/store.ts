/** The store of API keys that are sold with credits. */
import { atomic, type Database } from "@farthing/engine/storage";
import { mint } from "../api-keys/store.ts";
import type { ApiKey } from "../api-keys/model.ts";
import { findByNonce } from "../purchases/store.ts";

export type PaidKeyStore = ReturnType<typeof createPaidKeyStore>;

export function createPaidKeyStore(database: Database) {
  return {
    /** The purchase that was begun with this payment. */
    findPurchaseByPayment: findByNonce.bind(undefined, database),
    /** Stores the key of a purchase, once; false when it has one, or `workingMax` keys work. */
    addPaidKey: atomic(database, addPaidKey),
  };
}

async function addPaidKey(
  inside: Database,
  purchaseId: string,
  key: ApiKey,
  bounds: { readonly workingMax: number; readonly now: number },
): Promise<boolean> {
  // Adding the key locks the account, so that one request at a time sells this purchase's key.
  if (!(await mint(inside, key, bounds))) return false;
  const result = await inside.db
    .updateTable("credit_purchases")
    .set({ key_id: key.id })
    .where("id", "=", purchaseId)
    .where("key_id", "is", null)
    .executeTakeFirst();
  if (result.numUpdatedRows === 1n) return true;
  await inside.db.deleteFrom("api_keys").where("id", "=", key.id).execute();
  return false;
}
