/**
 * The failed settlements that a third party may still submit (decision 5). A watch is stored with
 * the failure, so that no restart ends it, and each check defers the next.
 */
import { sql } from "kysely";
import { expiresAtMs, firstLookAtMs, isOver, nextLookAtMs } from "../model/failure-watch.ts";
import { atomic, textList, type Database, type Work } from "./dialect.ts";
import { toSettlement } from "./rows.ts";
import { failureWatches, settlementColumns, type SettlementRow } from "./schema.ts";
import type { EngineStore } from "./engine-store.ts";

export function failureWatchMethods(database: Database) {
  return {
    takeFailuresToLookAt: atomic(database, take),
    endFailureWatches: endWatchesOf.bind(undefined, database),
    watchFailedSince: async (chainId, since, now) => {
      const rows = await database.db
        .selectFrom("settlements")
        .select(["id", "chain_id", "valid_before"])
        .where("chain_id", "=", chainId)
        // Only failed settlements have this time; the state would select every failure.
        .where("failed_at", ">", since)
        .execute();
      await watchFailures(database, rows, now);
    },
  } satisfies Partial<EngineStore>;
}

/** Stores watches in the transaction that marks the settlements failed. */
export async function watchFailures(
  { db, engine }: Database,
  rows: readonly Pick<SettlementRow, "id" | "chain_id" | "valid_before">[],
  now: number,
): Promise<void> {
  const watches = rows.flatMap(({ id: settlementId, chain_id: chainId, valid_before }) => {
    const expiresAt = expiresAtMs(BigInt(valid_before));
    // Most of these settlements failed by expiring.
    if (isOver(expiresAt, now)) return [];
    const nextLookAt = firstLookAtMs(now, expiresAt);
    return [failureWatches.write({ settlementId, chainId, failedAt: now, expiresAt, nextLookAt })];
  });
  if (watches.length === 0) return;
  const list = engine.list(watches, failureWatches.types);
  await db
    .insertInto("failure_watches")
    .columns(failureWatches.names)
    .expression((from) =>
      from
        .selectFrom(list)
        .select(failureWatches.names)
        // Without a condition SQLite parses "on conflict" as a join.
        .where(sql<boolean>`true`),
    )
    .onConflict((conflict) => conflict.column("settlement_id").doNothing())
    .execute();
}

const take: Work<EngineStore["takeFailuresToLookAt"]> = async (inside, chainId, limit, now) => {
  const { db, engine } = inside;
  let due = db
    .selectFrom("failure_watches")
    .selectAll()
    .where("chain_id", "=", chainId)
    .where("next_look_at", "<=", now)
    .orderBy("next_look_at")
    .limit(limit);
  // Skip those that another process is checking.
  if (engine.hasRowLocks) due = due.forUpdate().skipLocked();
  const watches = await due.execute();
  if (watches.length === 0) return [];
  const looks = watches.map(({ settlement_id: of, failed_at, expires_at }) => ({
    of,
    look: nextLookAtMs({ failedAtMs: Number(failed_at), expiresAtMs: Number(expires_at) }, now),
  }));
  const list = engine.list(looks, { of: "text", look: "bigint" });
  await db
    .updateTable("failure_watches")
    .from(list)
    .set(({ ref }) => ({ next_look_at: ref("given.look") }))
    .whereRef("settlement_id", "=", "given.of")
    .execute();
  const rows = await db
    .selectFrom(list)
    .innerJoin("settlements", "settlements.id", "given.of")
    .select(settlementColumns)
    .execute();
  const failed = rows.filter(({ state }) => state === "failed");
  const stillFailed = new Set(failed.map(({ id }) => id));
  await endWatches(
    inside,
    looks.map(({ of }) => of).filter((id) => !stillFailed.has(id)),
  );
  return failed.map(toSettlement);
};

/** Ends the watches of authorizations: a refund that was signed again since has another end. */
async function endWatchesOf(
  { db, engine }: Database,
  over: Parameters<EngineStore["endFailureWatches"]>[0],
): Promise<void> {
  if (over.length === 0) return;
  const ends = over.map(({ id, validBefore }) => ({ of: id, until: expiresAtMs(validBefore) }));
  const list = engine.list(ends, { of: "text", until: "bigint" });
  await db
    .deleteFrom("failure_watches")
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple("settlement_id", "expires_at"),
        "in",
        selectFrom(list).select(["given.of", "given.until"]).$asTuple("of", "until"),
      ),
    )
    .execute();
}

export async function endWatches({ db, engine }: Database, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const list = textList(engine, ids);
  await db
    .deleteFrom("failure_watches")
    .where("settlement_id", "in", (where) => where.selectFrom(list).select("given.of"))
    .execute();
}
