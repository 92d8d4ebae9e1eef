/** The texts that wallets are asked to sign, each answered once. */
import { toLowerHex } from "@farthing/protocol";
import { toSignRequest } from "./tables.ts";
import type { SignRequest } from "./model.ts";
import { type Database, inTransaction } from "@farthing/engine/storage";

/** Texts that wallets are asked to sign. */
export interface SignRequestStore {
  /** Stores a request, and removes some that have expired. */
  createSignRequest(request: SignRequest): Promise<void>;
  /** Gives a request and deletes it, in one: whatever comes of it, it is not answered twice. */
  takeSignRequest(id: string): Promise<SignRequest | undefined>;
}

/** Expired requests that a new one takes with it: they can only become fewer. */
const sweptMax = 100;

/** Creates the store of sign requests. */
export function createSignRequestStore(database: Database): SignRequestStore {
  const { db } = database;
  return {
    createSignRequest: (request) =>
      inTransaction(database, async (inside) => {
        await sweep(inside, request.createdAt);
        await inside.db
          .insertInto("sign_requests")
          .values({
            id: request.id,
            purpose: request.purpose,
            address: toLowerHex(request.address),
            chain_id: request.chainId,
            account: request.account && toLowerHex(request.account),
            message: request.message,
            binding: request.binding,
            details: request.details,
            created_at: request.createdAt,
            expires_at: request.expiresAt,
          })
          .execute();
      }),
    takeSignRequest: async (id) => {
      const row = await db
        .deleteFrom("sign_requests")
        .where("id", "=", id)
        .returningAll()
        .executeTakeFirst();
      return row && toSignRequest(row);
    },
  };
}

/** Expired requests are never answered; without this they would stay for good. */
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
