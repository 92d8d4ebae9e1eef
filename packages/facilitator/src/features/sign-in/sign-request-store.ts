/** The store of sign requests. */
import { signRequestTable } from "./tables.ts";
import type { SignRequest } from "./model.ts";
import { atomic, type Database } from "@farthing/engine/storage";

export type SignRequestStore = ReturnType<typeof createSignRequestStore>;

/** Expired requests that each new one removes, so that their number only falls. */
const sweptMax = 100;

export function createSignRequestStore(database: Database) {
  const { db } = database;
  return {
    /** Stores a request, and removes some that have expired. */
    createSignRequest: atomic(database, async (inside, request: SignRequest) => {
      await sweep(inside, request.createdAt);
      await inside.db.insertInto("sign_requests").values(signRequestTable.write(request)).execute();
    }),
    /** Deletes and returns a request in one statement, so that it is answered at most once. */
    takeSignRequest: async (id: string) => {
      const row = await db
        .deleteFrom("sign_requests")
        .where("id", "=", id)
        .returningAll()
        .executeTakeFirst();
      return row && signRequestTable.read(row);
    },
  };
}

/** Removes expired requests, which nothing else does. */
async function sweep({ db, engine }: Database, now: number): Promise<void> {
  let expired = db
    .selectFrom("sign_requests")
    .select("id")
    .where("expires_at", "<=", now)
    .orderBy("expires_at")
    .limit(sweptMax);
  if (engine.hasRowLocks) expired = expired.forUpdate().skipLocked();
  await db.deleteFrom("sign_requests").where("id", "in", expired).execute();
}
