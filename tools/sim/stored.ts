/** What a facilitator's database holds at the end of a run, every row, read beside its store. */
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
  readonly finalizedAt: number | null;
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

type Row = Readonly<Record<string, unknown>>;

/** Reads a SQLite file, also while a facilitator works on it. */
export function readStored(path: string): Stored {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const all = (table: string): Row[] => database.prepare(`select * from ${table}`).all();
    const links = all("transaction_settlements");
    return {
      settlements: all("settlements").map(settlementOf),
      transactions: all("relayer_transactions").map((row) => transactionOf(row, links)),
      nextNonces: new Map(
        all("lanes").map((row) => [String(row["lane"]), Number(row["next_nonce"])]),
      ),
    };
  } finally {
    database.close();
  }
}

const textOrNull = (value: unknown) => (typeof value === "string" ? value : null);
const numberOrNull = (value: unknown) => (typeof value === "number" ? value : null);

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
    finalizedAt: numberOrNull(row["finalized_at"]),
  };
}

function transactionOf(row: Row, links: readonly Row[]): StoredTransaction {
  const id = Number(row["id"]);
  return {
    id,
    lane: String(row["lane"]),
    nonce: Number(row["nonce"]),
    hash: textOrNull(row["hash"]),
    state: String(row["state"]),
    settlementIds: links
      .filter((link) => Number(link["transaction_id"]) === id)
      .map((link) => String(link["settlement_id"])),
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
