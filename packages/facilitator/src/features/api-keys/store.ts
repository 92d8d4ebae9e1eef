/** The store of API keys. */
import { toLowerHex, type Address } from "@farthing/protocol";
import { sql } from "kysely";
import type { ApiKey } from "./model.ts";
import { ensureAccount, lockAccount } from "../accounts/store.ts";
import { atomic, type Database } from "@farthing/engine/storage";
import { apiKeyTable } from "./tables.ts";

/** Terms of a rotation. Times are milliseconds since 1970. */
export interface RotationTerms {
  readonly endsAt: number;
  readonly now: number;
  readonly workingMax: number;
}

export type ApiKeyStore = ReturnType<typeof createApiKeyStore>;

export function createApiKeyStore(database: Database) {
  const { db } = database;
  return {
    /** Adds a key, and its account when it is new. */
    createApiKey: atomic(database, async (inside, key: ApiKey) => {
      await ensureAccount(inside, key.account, key.createdAt);
      await insertKey(inside, key);
    }),
    /** Adds a key to an existing account; false when `workingMax` of its keys work. */
    mintApiKey: atomic(database, mint),
    /**
     * `ended`: the old key no longer works or was already replaced. `too_many`: more than
     * `workingMax` keys of the account would work.
     */
    rotateApiKey: atomic(database, rotate),
    /** The number of an account's keys that work. */
    countWorkingKeys: countWorking.bind(undefined, database),
    findApiKey: async (id: string) => {
      const row = await db
        .selectFrom("api_keys")
        .selectAll()
        .where("id", "=", id)
        .executeTakeFirst();
      return row && apiKeyTable.read(row);
    },
    listApiKeys: async (account?: Address) => {
      let query = db.selectFrom("api_keys").selectAll().orderBy("created_at");
      if (account !== undefined) query = query.where("account", "=", toLowerHex(account));
      return (await query.execute()).map(apiKeyTable.read);
    },
    /** Limited to `account` when given; returns false when no such key works. */
    revokeApiKey: async (id: string, now: number, account?: Address) => {
      let query = db
        .updateTable("api_keys")
        .set({ revoked_at: now })
        .where("id", "=", id)
        .where("revoked_at", "is", null);
      if (account !== undefined) query = query.where("account", "=", toLowerHex(account));
      return (await query.executeTakeFirst()).numUpdatedRows === 1n;
    },
    touchApiKey: async (id: string, now: number) => {
      await db.updateTable("api_keys").set({ last_used_at: now }).where("id", "=", id).execute();
    },
  };
}

async function insertKey({ db }: Database, key: ApiKey): Promise<void> {
  await db.insertInto("api_keys").values(apiKeyTable.write(key)).execute();
}

async function countWorking({ db }: Database, account: Address, now: number): Promise<number> {
  const { count } = await db
    .selectFrom("api_keys")
    .select(({ fn }) => fn.countAll<number | string>().as("count"))
    .where("account", "=", toLowerHex(account))
    .where("revoked_at", "is", null)
    .where(({ or, eb }) => or([eb("expires_at", "is", null), eb("expires_at", ">", now)]))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Adds a key to an existing account; false when `workingMax` of its keys work. */
export async function mint(
  inside: Database,
  key: ApiKey,
  { workingMax, now }: Omit<RotationTerms, "endsAt">,
): Promise<boolean> {
  await lockAccount(inside, key.account);
  if ((await countWorking(inside, key.account, now)) >= workingMax) return false;
  await insertKey(inside, key);
  return true;
}

async function rotate(
  inside: Database,
  oldId: string,
  key: ApiKey,
  { endsAt, now, workingMax }: RotationTerms,
): Promise<"rotated" | "ended" | "too_many"> {
  const { db } = inside;
  await lockAccount(inside, key.account);
  // Without an overlap the number of working keys stays the same.
  const isOverlapping = endsAt > now;
  if (isOverlapping && (await countWorking(inside, key.account, now)) >= workingMax) {
    return "too_many";
  }
  const result = await db
    .updateTable("api_keys")
    // Sets the end, unless the key has an earlier one.
    .set({
      replaced_by: key.id,
      expires_at: sql<number>`case when expires_at < ${endsAt} then expires_at else ${endsAt} end`,
    })
    .where("id", "=", oldId)
    .where("account", "=", toLowerHex(key.account))
    .where("revoked_at", "is", null)
    .where("replaced_by", "is", null)
    .where(({ or, eb }) => or([eb("expires_at", "is", null), eb("expires_at", ">", now)]))
    .executeTakeFirst();
  if (result.numUpdatedRows !== 1n) return "ended";
  await insertKey(inside, key);
  return "rotated";
}
