/** The counted checks of each listing by day, from which its uptime is computed. */
import type { Migrations } from "@farthing/engine/storage";

export const migrations: Migrations = {
  // Processes of the version before neither read nor write it.
  "0001-check-days": async (db) => {
    await db.schema.alterTable("listings").addColumn("check_days", "text").execute();
  },
};
