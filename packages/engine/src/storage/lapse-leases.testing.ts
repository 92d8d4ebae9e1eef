/** Lets leases run out before their time, for tests that would otherwise wait for that. */
import { Kysely } from "kysely";
import { engineOf } from "./open-storage.ts";
import type { Tables } from "./schema.ts";

export async function lapseLeases(databaseUrl: string): Promise<void> {
  const db = new Kysely<Tables>({ dialect: engineOf(databaseUrl, {}).dialect });
  try {
    await db.updateTable("lanes").set({ lease_until: 0 }).execute();
  } finally {
    await db.destroy();
  }
}
