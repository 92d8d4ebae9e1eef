/** The calls of accounts: recorded in groups, read by their account, removed when they are old. */
import { toLowerHex, type Address } from "@farthing/protocol";
import { atomic, type Database, type Page, type Paging } from "@farthing/engine/storage";
import { sql } from "kysely";
import type { KeyMode } from "../../http/access/request-key.ts";
import { hourMs, keptCallsMax, type CallFilter, type CallHour, type LoggedCall } from "./model.ts";
import { callTable } from "./tables.ts";

/** A call as it is read, with the name that its key has now. */
export interface ReadCall extends LoggedCall {
  readonly ordinal: number;
  readonly keyLabel: string | null;
}

export type CallStore = ReturnType<typeof createCallStore>;

export function createCallStore(database: Database) {
  const { db } = database;
  return {
    /** Adds calls, and removes the oldest ones of their accounts beyond `keptCallsMax`. */
    recordCalls: atomic(database, record),
    /** An account's calls, the newest first. The cursor is a call's ordinal. */
    listCalls: list.bind(undefined, database),
    /** Counts the kept calls since a time by hour; hours without any are left out. */
    countCalls: count.bind(undefined, database),
    findCall: async (account: Address, requestId: string): Promise<ReadCall | undefined> => {
      const row = await calls(database, account)
        .where("request_id", "=", requestId)
        .executeTakeFirst();
      return row && readCall(row);
    },
    /** Removes calls made before a time, at most `limit`; returns how many. */
    removeCalls: async (madeBefore: number, limit: number): Promise<number> => {
      const { numDeletedRows } = await db
        .deleteFrom("api_calls")
        .where("request_id", "in", (query) =>
          query
            .selectFrom("api_calls")
            .select("request_id")
            .where("created_at", "<", madeBefore)
            .orderBy("created_at")
            .limit(limit),
        )
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}

async function record({ db, engine }: Database, made: readonly LoggedCall[]): Promise<void> {
  if (made.length === 0) return;
  const byAccount = Map.groupBy(made, ({ account }) => toLowerHex(account));
  const counts = engine.list(
    [...byAccount].map(([account, { length: added }]) => ({ account, added })),
    { account: "text", added: "bigint" },
  );
  // In one order, so that two processes with the same accounts do not wait for each other.
  const { rows } = await sql<{ account: Address; recorded: number | string }>`
    insert into api_call_counts (account, recorded)
    select given.account, given.added from ${counts} where true order by given.account
    on conflict (account) do update
      set recorded = api_call_counts.recorded + excluded.recorded
    returning account, recorded`.execute(db);
  const added = rows.flatMap(({ account, recorded }) => {
    const own = byAccount.get(account) ?? [];
    const first = Number(recorded) - own.length + 1;
    return own.map((call, index) => callTable.write({ ...call, ordinal: first + index }));
  });
  const given = engine.list(added, callTable.types);
  await db
    .insertInto("api_calls")
    .columns(callTable.names)
    .expression(
      // Without a condition SQLite parses the conflict clause as a part of the query.
      db
        .selectFrom(given)
        .select(callTable.names)
        .where(sql<boolean>`true`),
    )
    // A group is recorded again when it is not known whether its commit succeeded.
    .onConflict((conflict) => conflict.column("request_id").doNothing())
    .execute();
  for (const { account, recorded } of rows) {
    const oldest = Number(recorded) - keptCallsMax;
    if (oldest <= 0) continue;
    await db
      .deleteFrom("api_calls")
      .where("account", "=", account)
      .where("ordinal", "<=", oldest)
      .execute();
  }
}

const statusRange = { "2xx": [200, 299], "4xx": [400, 499], "5xx": [500, 599] } as const;

async function list(
  database: Database,
  account: Address,
  { status, path, keyId, mode }: CallFilter,
  { from, limit }: Paging<number>,
): Promise<Page<ReadCall, number>> {
  let query = calls(database, account)
    .orderBy("ordinal", "desc")
    .limit(limit + 1);
  if (from !== undefined) query = query.where("ordinal", "<=", from);
  if (keyId !== undefined) query = query.where("key_id", "=", keyId);
  if (mode !== undefined) query = query.where("api_calls.mode", "=", mode);
  if (path !== undefined) {
    const pattern = `%${path.replaceAll(/[\\%_]/g, "\\$&")}%`;
    query = query.where(sql<boolean>`path like ${pattern} escape '\\'`);
  }
  if (status === "refused") query = query.where("code", "is not", null);
  else if (status !== undefined) {
    const [least, most] = statusRange[status];
    query = query.where("status", ">=", least).where("status", "<=", most);
  }
  const rows = await query.execute();
  const next = rows.at(limit);
  return {
    items: rows.slice(0, limit).map(readCall),
    next: next ? Number(next.ordinal) : null,
  };
}

async function count(
  { db }: Database,
  account: Address,
  { mode, since }: { readonly mode: KeyMode; readonly since: number },
): Promise<CallHour[]> {
  const newest = db
    .selectFrom("api_calls")
    .select(["mode", "created_at", "status", "code"])
    .where("account", "=", toLowerHex(account))
    .orderBy("ordinal", "desc")
    // More are there for as long as no further call is recorded.
    .limit(keptCallsMax)
    .as("newest");
  const { rows } = await sql<Record<keyof CallHour, number | string>>`
    select created_at / ${sql.lit(hourMs)} as hour,
      sum(case when status < 400 and code is null then 1 else 0 end) as answered,
      sum(case when status < 500 and (status >= 400 or code is not null) then 1 else 0 end)
        as refused,
      sum(case when status >= 500 then 1 else 0 end) as failed
    from ${newest} where created_at >= ${since} and mode = ${mode}
    group by created_at / ${sql.lit(hourMs)} order by 1`.execute(db);
  return rows.map(({ hour, answered, refused, failed }) => ({
    hour: Number(hour),
    answered: Number(answered),
    refused: Number(refused),
    failed: Number(failed),
  }));
}

function calls({ db }: Database, account: Address) {
  return db
    .selectFrom("api_calls")
    .leftJoin("api_keys", "api_keys.id", "api_calls.key_id")
    .select(callTable.columns)
    .select("api_keys.label as key_label")
    .where("api_calls.account", "=", toLowerHex(account));
}

type CallRow = Awaited<ReturnType<ReturnType<typeof calls>["executeTakeFirstOrThrow"]>>;

function readCall(row: CallRow): ReadCall {
  return { ...callTable.read(row), keyLabel: row.key_label };
}
