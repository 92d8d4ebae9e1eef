/** Who created a key. Keys from before, of purchases and of the operator have no such wallet. */
import type { Migrations } from "@farthing/engine/storage";

export const migrations: Migrations = {
  "0001-created-by": async (db) => {
    await db.schema.alterTable("api_keys").addColumn("created_by", "text").execute();
  },
};
