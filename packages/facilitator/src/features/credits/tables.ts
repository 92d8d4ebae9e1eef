/** The tables of the ledger. Triggers keep the balances and refuse other changes. */
import type { Address } from "@farthing/protocol";
import {
  type KyselyTable,
  integer,
  nullable,
  smallInteger,
  table,
  text,
  walletAddress,
} from "@farthing/engine/storage";
import type { ColumnType, Selectable } from "kysely";
import type { CreditEntryKind } from "./model.ts";

/** Written by a trigger only. */
export interface CreditBalanceTable {
  account: ColumnType<Address, never, never>;
  balance: ColumnType<number | string, never, never>;
}

/** The sum of an account's removed entries; kept by a trigger. */
export interface CreditClosingTable {
  account: ColumnType<Address, never, never>;
  credits: ColumnType<number | string, never, never>;
  entries: ColumnType<number | string, never, never>;
}

/** Append-only; entries are removed with their settlement. */
export interface CreditEntryTable {
  id: ColumnType<number | string, never, never>;
  account: ColumnType<Address, Address, never>;
  kind: ColumnType<CreditEntryKind, CreditEntryKind, never>;
  credits: ColumnType<number | string, number, never>;
  settlement_id: ColumnType<string | null, string | null, never>;
  /** Numbers the entries of a settlement from 1; null for other entries. */
  step: ColumnType<number | null, number | null, never>;
  purchase_id: ColumnType<string | null, string | null, never>;
  actor: ColumnType<string | null, string | null, never>;
  note: ColumnType<string | null, string | null, never>;
  created_at: ColumnType<number | string, number, never>;
}

export const entryColumns = table("credit_entries", {
  id: integer(),
  account: walletAddress(),
  kind: text<CreditEntryKind>(),
  /** Negative when it subtracts. */
  credits: integer(),
  settlementId: nullable(text()),
  purchaseId: nullable(text()),
  /** The operator; null for entries of the service. */
  actor: nullable(text()),
  note: nullable(text()),
  createdAt: integer(),
});

export type CreditEntry = ReturnType<typeof entryColumns.read> & {
  /** Available after the entry. */
  readonly balanceAfter: number;
  /** What the settlement of the entry costs when it is confirmed; null without a settlement. */
  readonly cost: number | null;
};

/** An entry of a settlement, as it is added. */
export const settlementEntries = table("credit_entries", {
  account: nullable(walletAddress()),
  kind: text<CreditEntryKind>(),
  credits: integer(),
  settlementId: text(),
  step: smallInteger(),
  note: nullable(text()),
  createdAt: integer(),
});

/** The present fee of a settlement. */
export const feeTable = table("settlement_fee", {
  rule: text(),
  credits: integer(),
  before: nullable(integer()),
  since: integer(),
});

export type CreditEntryRow = Selectable<CreditEntryTable>;

declare module "@farthing/engine/storage" {
  interface Tables {
    credit_balances: CreditBalanceTable;
    credit_closings: CreditClosingTable;
    credit_entries: CreditEntryTable;
    settlement_fee: KyselyTable<typeof feeTable> & { id: number };
    free_credits: { account: Address; month: number };
  }
}
