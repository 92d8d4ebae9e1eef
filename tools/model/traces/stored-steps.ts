/**
 * What stores write, as steps of the model: triggers of the database note each row that is made, changed
 * or removed, whichever statement does it. Loss and restore take the notes back with the rows.
 */
import { DatabaseSync } from "node:sqlite";

/** A settlement's row, as far as the model has it. */
export interface SettlementNote {
  readonly state: string;
  /** Its transaction. */
  readonly carrier: number | null;
  readonly hash: string | null;
  readonly by: string | null;
  readonly block: string | null;
  readonly finalizedAt: number | null;
  readonly recoveredAt: number | null;
}

export interface TransactionNote {
  readonly state: string;
  readonly lane: string;
  readonly nonce: number;
  readonly hash: string | null;
}

/** A settlement that a transaction carries; the note's id is the transaction's. */
export interface LinkNote {
  readonly settlement: string;
}

export interface RecordNote {
  readonly state: string;
  /** Hashes of the request and of the payment. */
  readonly fingerprint: string;
  readonly payload: string;
}

interface Notes {
  readonly settlement: SettlementNote;
  readonly transaction: TransactionNote;
  readonly link: LinkNote;
  readonly record: RecordNote;
}

/** How a row changed; `row` is the one that was removed where it is gone. */
export type StoredStep<Kind extends keyof Notes = keyof Notes> = {
  [Of in Kind]: {
    readonly kind: Of;
    readonly id: string;
    readonly change: "made" | "changed" | "gone";
    readonly row: Notes[Of];
  };
}[Kind];

export type EngineStep = StoredStep<"settlement" | "transaction" | "link">;
export type RecordStep = StoredStep<"record">;

interface Watched<Note> {
  readonly table: string;
  readonly id: string;
  readonly columns: Readonly<Record<keyof Note, string>>;
}

const engineTables: Readonly<
  Pick<{ [Kind in keyof Notes]: Watched<Notes[Kind]> }, "settlement" | "transaction" | "link">
> = {
  settlement: {
    table: "settlements",
    id: "id",
    columns: {
      state: "state",
      carrier: "transaction_id",
      hash: "transaction_hash",
      by: "settled_by",
      block: "block_hash",
      finalizedAt: "finalized_at",
      recoveredAt: "recovered_at",
    },
  },
  transaction: {
    table: "relayer_transactions",
    id: "id",
    columns: { state: "state", lane: "lane", nonce: "nonce", hash: "hash" },
  },
  link: {
    table: "transaction_settlements",
    id: "transaction_id",
    columns: { settlement: "settlement_id" },
  },
};

const recordTables = {
  record: {
    table: "grants",
    id: "key",
    columns: { state: "state", fingerprint: "fingerprint", payload: "payload" },
  },
} satisfies { readonly record: Watched<RecordNote> };

type Tables = Readonly<Record<string, Watched<Readonly<Record<string, unknown>>>>>;

/** The statements that begin to note what happens to the tables of the engine. */
const changes = {
  made: { on: "insert", row: "new" },
  changed: { on: "update", row: "new" },
  gone: { on: "delete", row: "old" },
} as const;

interface Dialect {
  readonly sequence: string;
  readonly object: string;
  trigger(name: string, when: { readonly on: string; readonly table: string }, body: Body): string;
}

interface Body {
  /** The condition, of an update. */
  readonly only: string | undefined;
  readonly insert: string;
}

const sqlite: Dialect = {
  sequence: "integer primary key autoincrement",
  object: "json_object",
  trigger: (name, { on, table }, { only, insert }) =>
    `create trigger ${name} after ${on} on ${table} ${only ? `when ${only}` : ""}
     begin ${insert}; end`,
};

const postgres: Dialect = {
  sequence: "bigint generated always as identity primary key",
  object: "json_build_object",
  trigger: (name, { on, table }, { only, insert }) =>
    `create function ${name}() returns trigger language plpgsql as
       $$ begin ${insert}; return null; end $$;
     create trigger ${name} after ${on} on ${table} for each row
       ${only ? `when (${only})` : ""} execute function ${name}()`,
};

function statementsOf(tables: Tables, { sequence, object, trigger }: Dialect): string {
  const triggers = Object.entries(tables).flatMap(([kind, { table, id, columns }]) =>
    Object.entries(changes).map(([change, { on, row }]) => {
      const pairs = Object.entries(columns).map(([name, column]) => `'${name}', ${row}.${column}`);
      const content = `${object}(${pairs.join(", ")})`;
      const step = `${object}('kind', '${kind}', 'id', cast(${row}.${id} as text),
        'change', '${change}', 'row', ${content})`;
      const isOther = Object.values(columns).map(
        (column) => `old.${column} is distinct from new.${column}`,
      );
      return trigger(
        `stored_${kind}_${change}`,
        { on, table },
        {
          only: on === "update" ? isOther.join(" or ") : undefined,
          insert: `insert into stored_steps (step) values (${step})`,
        },
      );
    }),
  );
  return [`create table stored_steps (seq ${sequence}, step text not null)`, ...triggers].join(
    ";\n",
  );
}

type Row = Readonly<Record<string, unknown>>;

/** Notes the steps of an engine from now on, whose tables are there. */
export function noteSqliteSteps(path: string): void {
  inFile(path, (file) => file.exec(statementsOf(engineTables, sqlite)));
}

/** Notes the steps of a seller's payment records. */
export function noteRecordSteps(path: string): void {
  inFile(path, (file) => file.exec(statementsOf(recordTables, sqlite)));
}

export function readSqliteSteps(path: string): EngineStep[] {
  return readFile(path).map((text): EngineStep => JSON.parse(text));
}

export function readRecordSteps(path: string): RecordStep[] {
  return readFile(path).map((text): RecordStep => JSON.parse(text));
}

function readFile(path: string): string[] {
  return inFile(path, (file) =>
    file
      .prepare("select step from stored_steps order by seq")
      .all()
      .map(({ step }) => String(step)),
  );
}

function inFile<T>(path: string, work: (file: DatabaseSync) => T): T {
  const file = new DatabaseSync(path);
  try {
    file.exec("pragma busy_timeout = 5000");
    return work(file);
  } finally {
    file.close();
  }
}

/** A connection to PostgreSQL. */
interface PostgresClient {
  query(text: string, values?: readonly unknown[]): Promise<{ rows: Row[] }>;
}

export async function notePostgresSteps(client: PostgresClient): Promise<void> {
  await client.query(statementsOf(engineTables, postgres));
}

/** Rows that are read at once. */
const pageRows = 20_000;

/** Reads by pages, as a long run has millions of steps. */
export async function* readPostgresSteps(client: PostgresClient): AsyncGenerator<EngineStep> {
  let after = "0";
  for (;;) {
    const page = await client.query(
      `select seq, step from stored_steps where seq > $1 order by seq limit ${pageRows}`,
      [after],
    );
    for (const { step } of page.rows) {
      const read: EngineStep = JSON.parse(String(step));
      yield read;
    }
    const last = page.rows.at(-1);
    if (!last || page.rows.length < pageRows) return;
    after = String(last["seq"]);
  }
}
