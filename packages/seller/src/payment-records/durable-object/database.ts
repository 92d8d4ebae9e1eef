/** The SQLite database of a Durable Object, with the tables of payment records. */
import {
  addLater,
  firstVersion,
  secondVersion,
  type Database,
  type Value,
} from "../sqlite/tables.ts";

type Stored = string | number | null | ArrayBuffer;

/** The part of a Durable Object's state that is used. */
export interface DurableObjectStateLike {
  readonly storage: {
    readonly sql: {
      exec(text: string, ...values: Stored[]): { toArray(): Record<string, Stored>[] };
    };
    transactionSync<T>(work: () => T): T;
  };
}

/** Creates the tables where they are missing. The object returns nothing before it is on the disk. */
export function openObject({ storage }: DurableObjectStateLike): Database {
  const all: Database["all"] = (text, ...values) =>
    storage.sql
      .exec(text, ...values.map(toStored))
      .toArray()
      .map((row) =>
        Object.fromEntries(Object.entries(row).map(([name, value]) => [name, toValue(value)])),
      );
  const run = (text: string) => void storage.sql.exec(text);
  const database: Database = {
    all,
    get: (text, ...values) => all(text, ...values)[0],
    run: (text, ...values) => void storage.sql.exec(text, ...values.map(toStored)),
    transaction: (work) => storage.transactionSync(work),
    // The object collects its writes itself.
    together: async (work) => storage.transactionSync(work),
  };
  storage.transactionSync(() => {
    const isThere = database.get("select name from sqlite_master where name = 'grants'");
    if (!isThere) run(`${firstVersion}${secondVersion}`);
    addLater(database, run);
  });
  return database;
}

function toStored(value: Value): Stored {
  if (typeof value === "bigint") return Number(value);
  if (!(value instanceof Uint8Array)) return value;
  return value.buffer.slice(value.byteOffset, value.byteOffset + value.byteLength);
}

function toValue(stored: Stored): Value {
  return stored instanceof ArrayBuffer ? new Uint8Array(stored) : stored;
}
