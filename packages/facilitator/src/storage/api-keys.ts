/** API keys and the accounts they belong to. */
import { toLowerHex } from "@farthing/protocol";
import type { Kysely } from "kysely";
import { toApiKey, toApiKeyRow } from "./rows.ts";
import type { Tables } from "./schema.ts";
import type { Store } from "./store.ts";

type ApiKeyVerbs = Pick<
  Store,
  "createApiKey" | "findApiKey" | "listApiKeys" | "revokeApiKey" | "touchApiKey"
>;

/** The store's verbs about API keys. */
export function apiKeyVerbs(db: Kysely<Tables>): ApiKeyVerbs {
  return {
    createApiKey: (key) =>
      db.transaction().execute(async (inside) => {
        const address = toLowerHex(key.account);
        await inside
          .insertInto("accounts")
          .values({ address, plan: "active", created_at: key.createdAt })
          .onConflict((conflict) => conflict.column("address").doNothing())
          .execute();
        await inside.insertInto("api_keys").values(toApiKeyRow(key)).execute();
      }),
    findApiKey: async (id) => {
      const row = await db
        .selectFrom("api_keys")
        .selectAll()
        .where("id", "=", id)
        .executeTakeFirst();
      return row && toApiKey(row);
    },
    listApiKeys: async (account) => {
      let query = db.selectFrom("api_keys").selectAll().orderBy("created_at");
      if (account !== undefined) query = query.where("account", "=", toLowerHex(account));
      return (await query.execute()).map(toApiKey);
    },
    revokeApiKey: async (id, now) => {
      const result = await db
        .updateTable("api_keys")
        .set({ revoked_at: now })
        .where("id", "=", id)
        .where("revoked_at", "is", null)
        .executeTakeFirst();
      return result.numUpdatedRows === 1n;
    },
    touchApiKey: async (id, now) => {
      await db.updateTable("api_keys").set({ last_used_at: now }).where("id", "=", id).execute();
    },
  };
}
