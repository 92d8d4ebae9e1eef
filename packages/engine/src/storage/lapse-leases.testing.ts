/** Ends leases before or after their time, for tests that hold a process at a step of its own. */
import { Kysely } from "kysely";
import { engineOf } from "./open-storage.ts";
import type { Tables } from "./schema.ts";

/** Lets them run out now, which tests would otherwise wait for. */
export const lapseLeases = (databaseUrl: string) => leaseUntil(databaseUrl, 0);

/** Lets them last for an hour, for a process that is held for longer than it may be silent. */
export const prolongLeases = (databaseUrl: string) =>
  leaseUntil(databaseUrl, Date.now() + 3_600_000);

async function leaseUntil(databaseUrl: string, lease_until: number): Promise<void> {
  const db = new Kysely<Tables>({ dialect: engineOf(databaseUrl, {}).dialect });
  try {
    await db.updateTable("lanes").set({ lease_until }).execute();
  } finally {
    await db.destroy();
  }
}
