/**
 * Counts exchanges per payment in a SQLite file beside the main one. Its writes are not synced:
 * they survive the process, which suffices for a count of the last hour, and `/verify` does not
 * wait for the disk. A file that a crash of the machine damaged is created again.
 */
import { rmSync } from "node:fs";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { keepPrivate } from "./private-file.ts";
import { exchangeKeyValues, type ExchangeKey } from "../exchange-store.ts";

/** A write waits this long for another process that shares the file. */
const busyTimeoutMs = 1_000;

const schema = `
  create table if not exists payment_exchanges (
    payer text not null, nonce text not null, chain_id integer not null, asset text not null,
    exchanges integer not null, forget_at integer not null,
    primary key (payer, nonce, chain_id, asset)) without rowid;
  create index if not exists payment_exchanges_forget on payment_exchanges (forget_at);
  create table if not exists payer_exchanges (
    payer text primary key, payments integer not null) without rowid`;

const keyMatches = "where payer = ? and nonce = ? and chain_id = ? and asset = ?";

const statements = {
  begin: "begin immediate",
  commit: "commit",
  find: `select exchanges, forget_at from payment_exchanges ${keyMatches}`,
  add: "insert into payment_exchanges (payer, nonce, chain_id, asset, exchanges, forget_at) values (?, ?, ?, ?, ?, ?)",
  change: `update payment_exchanges set exchanges = ?, forget_at = ? ${keyMatches}`,
  subtract: `update payment_exchanges set exchanges = max(0, exchanges - 1) ${keyMatches}`,
  ofPayer: "select payments from payer_exchanges where payer = ?",
  countPayer:
    "insert into payer_exchanges (payer, payments) values (?, 1) on conflict (payer) do update set payments = payments + 1",
  uncountPayer: "update payer_exchanges set payments = payments - 1 where payer = ?",
  dropPayer: "delete from payer_exchanges where payer = ? and payments <= 0",
  old: "select payer, nonce, chain_id, asset, exchanges, forget_at from payment_exchanges where forget_at <= ? order by forget_at limit ?",
  remove: `delete from payment_exchanges ${keyMatches} and forget_at <= ?`,
} as const;

type Statements = Readonly<Record<keyof typeof statements, StatementSync>>;

/** The notes of a database that does not keep them itself. */
export type ExchangeFile = ReturnType<typeof createExchangeFile>;

/** Created when the first exchange is opened. */
export function createExchangeFile(databasePath: string) {
  const isInMemory = databasePath === ":memory:";
  const path = isInMemory ? databasePath : `${databasePath}.exchanges`;
  let opened: { readonly database: DatabaseSync; readonly run: Statements } | undefined;

  function use(): Statements {
    opened ??= open(path, isInMemory);
    return opened.run;
  }

  function find(key: ExchangeKey) {
    const row = use().find.get(...exchangeKeyValues(key));
    return row && { exchanges: Number(row["exchanges"]), forgetAt: Number(row["forget_at"]) };
  }

  function together<T>(work: () => T): T {
    const run = use();
    run.begin.run();
    try {
      const result = work();
      run.commit.run();
      return result;
    } catch (error) {
      // After a full disk SQLite has rolled back by itself.
      if (opened?.database.isTransaction) opened.database.exec("rollback");
      throw error;
    }
  }

  return {
    find,
    /** One entry per opening, in order: false when its payer has reached the limit. */
    open: (
      openings: readonly (ExchangeKey & { readonly forgetAt: number })[],
      { now, paymentsMax }: { readonly now: number; readonly paymentsMax: number },
    ) =>
      together(() =>
        openings.map(({ forgetAt, ...key }) => {
          const run = use();
          const known = find(key);
          if (known) {
            const before = known.forgetAt <= now ? 0 : known.exchanges;
            // The payer may sign a nonce several times, and the latest end counts.
            run.change.run(
              before + 1,
              Math.max(known.forgetAt, forgetAt),
              ...exchangeKeyValues(key),
            );
            return true;
          }
          if (Number(run.ofPayer.get(key.payer)?.["payments"] ?? 0) >= paymentsMax) return false;
          run.add.run(...exchangeKeyValues(key), 1, forgetAt);
          run.countPayer.run(key.payer);
          return true;
        }),
      ),
    cancel: (keys: readonly ExchangeKey[]) =>
      together(() => {
        for (const key of keys) use().subtract.run(...exchangeKeyValues(key));
      }),
    listForgettable: (now: number, limit: number) =>
      use()
        .old.all(now, limit)
        .map((row) => ({
          payer: String(row["payer"]),
          nonce: String(row["nonce"]),
          chain_id: Number(row["chain_id"]),
          asset: String(row["asset"]),
          exchanges: Number(row["exchanges"]),
          forgetAt: Number(row["forget_at"]),
        })),
    forget: (keys: readonly ExchangeKey[], now: number) =>
      together(() => {
        const run = use();
        for (const key of keys) {
          if (run.remove.run(...exchangeKeyValues(key), now).changes === 0) continue;
          run.uncountPayer.run(key.payer);
          run.dropPayer.run(key.payer);
        }
      }),
    close() {
      opened?.database.close();
      opened = undefined;
    },
  };
}

function open(path: string, isInMemory: boolean) {
  try {
    return prepare(path, isInMemory);
  } catch (error) {
    if (isInMemory || !isDamaged(error)) throw error;
    for (const end of ["", "-wal", "-shm"]) rmSync(`${path}${end}`, { force: true });
    return prepare(path, isInMemory);
  }
}

function prepare(path: string, isInMemory: boolean) {
  if (!isInMemory) keepPrivate(path);
  const database = new DatabaseSync(path, { timeout: busyTimeoutMs });
  try {
    database.exec(`pragma journal_mode = WAL; pragma synchronous = OFF; ${schema}`);
    const check = database.prepare("pragma quick_check(1)").get();
    if (check?.["quick_check"] !== "ok") throw new DamagedFile();
    return { database, run: prepareAll(database) };
  } catch (error) {
    database.close();
    throw error;
  }
}

function prepareAll(database: DatabaseSync): Statements {
  const entries = Object.entries(statements).map(([name, text]) => [name, database.prepare(text)]);
  return Object.fromEntries(entries);
}

/** SQLite's own check has found damage. */
class DamagedFile extends Error {}

/** SQLITE_CORRUPT and SQLITE_NOTADB. */
const damageCodes: ReadonlySet<unknown> = new Set([11, 26]);

function isDamaged(error: unknown): boolean {
  if (error instanceof DamagedFile) return true;
  return error instanceof Error && "errcode" in error && damageCodes.has(error.errcode);
}
