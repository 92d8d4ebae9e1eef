/** The rows that an audit compares, read from a facilitator's database beside its store. */
import { DatabaseSync } from "node:sqlite";

/** A settlement's row, as far as it is audited. */
export interface StoredSettlement {
  readonly id: string;
  readonly payer: string;
  readonly nonce: string;
  readonly amount: string;
  readonly state: string;
  readonly transaction: string | null;
  readonly blockNumber: number | null;
  readonly blockHash: string | null;
  readonly logIndex: number | null;
  readonly settledBy: string | null;
  readonly failure: string | null;
  /** The API key it was claimed with. */
  readonly keyId: string | null;
  readonly finalizedAt: number | null;
  /** The settlement of the payment that it gives back; null for a payment. */
  readonly refundOf: string | null;
  /** When the service found it on the chain, having lost it. */
  readonly recoveredAt: number | null;
}

/** A relayer transaction's row. */
export interface StoredTransaction {
  readonly id: number;
  readonly lane: string;
  readonly nonce: number;
  readonly hash: string | null;
  readonly state: string;
  readonly settlementIds: readonly string[];
}

/** All rows. */
export interface Stored {
  readonly settlements: readonly StoredSettlement[];
  readonly transactions: readonly StoredTransaction[];
  readonly nextNonces: ReadonlyMap<string, number>;
}

/** A row as a database driver returns it; PostgreSQL's returns 64-bit numbers as text. */
type Row = Readonly<Record<string, unknown>>;

/** The tables that are read. */
interface Tables {
  readonly settlements: readonly Row[];
  /** Open ones and those that PostgreSQL keeps by months. */
  readonly all_transactions: readonly Row[];
  readonly transaction_settlements: readonly Row[];
  readonly lanes: readonly Row[];
}

/** Reads a SQLite file, also while a facilitator works on it. */
export function readSqliteRows(path: string): Stored {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const all = (table: string): Row[] => database.prepare(`select * from ${table}`).all();
    return storedFrom({
      settlements: all("settlements"),
      all_transactions: all("all_transactions"),
      transaction_settlements: all("transaction_settlements"),
      lanes: all("lanes"),
    });
  } finally {
    database.close();
  }
}

/** A connection to PostgreSQL. */
interface PostgresClient {
  query(text: string): Promise<{ rows: Row[] }>;
}

/** Reads a PostgreSQL database; signed bytes and calldata stay where they are. */
export async function readPostgresRows(client: PostgresClient): Promise<Stored> {
  const all = async (columns: string, table: string): Promise<Row[]> =>
    (await client.query(`select ${columns} from ${table} order by 1`)).rows;
  // One moment for all tables: what is read together must fit together.
  await client.query("begin isolation level repeatable read");
  try {
    return storedFrom({
      settlements: await all("*", "settlements"),
      all_transactions: await all("id, lane, nonce, hash, state", "all_transactions"),
      transaction_settlements: await all("*", "transaction_settlements"),
      lanes: await all("lane, next_nonce", "lanes"),
    });
  } finally {
    await client.query("commit");
  }
}

function storedFrom(tables: Tables): Stored {
  const links = Map.groupBy(tables.transaction_settlements, (link) =>
    Number(link["transaction_id"]),
  );
  return {
    settlements: tables.settlements.map(settlementOf),
    transactions: tables.all_transactions.map((row) =>
      transactionOf(row, links.get(Number(row["id"])) ?? []),
    ),
    nextNonces: new Map(
      tables.lanes.map((row) => [String(row["lane"]), Number(row["next_nonce"])]),
    ),
  };
}

const textOrNull = (value: unknown) => (typeof value === "string" ? value : null);
const numberOrNull = (value: unknown) =>
  value === null || value === undefined ? null : Number(value);

function settlementOf(row: Row): StoredSettlement {
  return {
    id: String(row["id"]),
    payer: String(row["payer"]),
    nonce: String(row["nonce"]),
    amount: String(row["amount"]),
    state: String(row["state"]),
    transaction: textOrNull(row["transaction_hash"]),
    blockNumber: numberOrNull(row["block_number"]),
    blockHash: textOrNull(row["block_hash"]),
    logIndex: numberOrNull(row["log_index"]),
    settledBy: textOrNull(row["settled_by"]),
    failure: textOrNull(row["failure"]),
    keyId: textOrNull(row["key_id"]),
    finalizedAt: numberOrNull(row["finalized_at"]),
    refundOf: textOrNull(row["refund_of"]),
    recoveredAt: numberOrNull(row["recovered_at"]),
  };
}

function transactionOf(row: Row, links: readonly Row[]): StoredTransaction {
  return {
    id: Number(row["id"]),
    lane: String(row["lane"]),
    nonce: Number(row["nonce"]),
    hash: textOrNull(row["hash"]),
    state: String(row["state"]),
    settlementIds: links.map((link) => String(link["settlement_id"])),
  };
}

/** What is not at rest yet: settlements without an outcome, transactions without an end. */
export function unrest({ settlements, transactions }: Stored): string[] {
  return [
    ...settlements
      .filter(({ state }) => state !== "confirmed" && state !== "failed")
      .map(({ id, state }) => `${id} is ${state}`),
    ...transactions
      .filter(({ state }) => state === "intent" || state === "signed" || state === "sent")
      .map(({ nonce, state, lane }) => `nonce ${nonce} of ${lane} is ${state}`),
  ];
}
