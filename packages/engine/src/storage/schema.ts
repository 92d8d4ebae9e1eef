/**
 * The tables. Addresses, nonces and hashes are lower-case text; amounts and wei are decimal text,
 * since they may pass 64 bits; times are milliseconds since 1970.
 */
import type { Address, ChainId, Hex, RefusalCode } from "@farthing/protocol";
import { sql, type ColumnType, type Selectable } from "kysely";
import {
  decimal,
  flag,
  integer,
  lowerHex,
  named,
  nullable,
  smallInteger,
  table,
  text,
  walletAddress,
  type KyselyTable,
} from "./table.ts";
import type { GasHalf } from "../model/keyless.ts";
import type { TransactionState } from "../model/relayer-transaction.ts";
import type { SettlementState } from "../model/settlement.ts";

/** A 64-bit column: SQLite returns a number, PostgreSQL text. */
export type Whole = ColumnType<number | string, number, number>;
export type WholeOrNull = ColumnType<number | string | null, number | null, number | null>;

/** The columns of a new settlement; the others are null at first. */
const claimed = {
  id: text(),
  chainId: smallInteger<ChainId>(),
  asset: lowerHex(),
  payer: walletAddress(),
  nonce: lowerHex(),
  payTo: walletAddress(),
  amount: decimal(),
  validAfter: decimal(),
  validBefore: decimal(),
  signature: text<Hex>(),
  payerHasCode: flag(),
  seenUnusedAt: integer(),
  networkName: text(),
  keyId: nullable(text()),
  state: text<SettlementState>(),
  credits: integer(),
  createdAt: integer(),
  /** The account of its key, which is charged. */
  owner: named("account", nullable(walletAddress())),
  requestId: nullable(text()),
  /** The payment's settlement; null for a payment. */
  refundOf: nullable(text()),
  /** SHA-256 of a contract wallet's signature, which stays when the signature is removed. */
  signatureHash: nullable(text()),
  /** When it was found on the chain after it had been lost; null for one that never was. */
  recoveredAt: nullable(integer()),
};

export const newSettlements = table("settlements", claimed);

export const settlementTable = table("settlements", {
  ...claimed,
  transaction: named("transaction_hash", nullable(text<Hex>())),
  blockNumber: nullable(integer()),
  blockHash: nullable(text<Hex>()),
  logIndex: nullable(smallInteger()),
  settledBy: nullable(text<"relayer" | "other">()),
  failure: nullable(text<RefusalCode>()),
  failureMessage: nullable(text()),
  submittedAt: nullable(integer()),
  confirmedAt: nullable(integer()),
  finalizedAt: nullable(integer()),
  failedAt: nullable(integer()),
});

export type SettlementTable = KyselyTable<typeof settlementTable> & {
  /** Set with the nonce, cleared when that transaction is dropped. */
  transaction_id: WholeOrNull;
  /** How it had failed before its confirmation. */
  earlier_failure: RefusalCode | null;
  earlier_failure_message: string | null;
};

export const settlementColumns = [
  ...settlementTable.columns,
  "settlements.transaction_id",
] as const;

/** The same, for statements that are written as text. */
export const settlementColumnList = sql.raw(settlementColumns.join(", "));

const planned = {
  chainId: smallInteger<ChainId>(),
  lane: walletAddress(),
  nonce: integer(),
  to: named("to_address", walletAddress()),
  data: text<Hex>(),
  gasLimit: decimal(),
  gasPrice: decimal(),
  state: text<TransactionState>(),
  raw: nullable(text<Hex>()),
  hash: nullable(text<Hex>()),
};

export const newTransactions = table("relayer_transactions", planned);

export const transactionTable = table("relayer_transactions", { id: integer(), ...planned });

export type RelayerTransactionTable = KyselyTable<typeof newTransactions> & {
  id: ColumnType<number | string, never, never>;
  created_at: Whole;
  sent_at: WholeOrNull;
  /** Reorganisations find transactions by their block. */
  block_number: WholeOrNull;
  /** From the receipt: gas, and wei per gas. */
  gas_used: ColumnType<number | string | null, number | null | undefined, number | null>;
  gas_price_paid: ColumnType<string | null, string | null | undefined, string | null>;
};

/** Open and closed transactions, without signed bytes and call. */
export type AllTransactionsTable = Omit<RelayerTransactionTable, "raw" | "data">;

/** A batch has many settlements; a replaced transaction shares them. */
export interface TransactionSettlementTable {
  transaction_id: Whole;
  settlement_id: string;
}

export interface LaneTable {
  chain_id: ChainId;
  lane: Address;
  next_nonce: Whole;
  lease_owner: string | null;
  lease_until: Whole;
  fence: Whole;
  /** The process that has requested the wallet. */
  wanted_by: string | null;
}

/** The call that claimed a settlement, and the writer that reports its success. */
export interface SettlementClaimRow {
  settlement_id: string;
  caller_hash: string | null;
  key_hash: string | null;
  is_upfront: number;
  has_several: number;
  success_told_to: string | null;
  /** When that last changed, or the claiming call ended without reporting the success. */
  success_moved_at: number | string | null;
}

/** A buyer's identifier and its payment, both as hashes. */
export interface PaymentIdentifierTable {
  name_hash: string;
  payment_hash: string;
  expires_at: Whole;
}

export interface PayerPauseTable {
  chain_id: ChainId;
  payer: Address;
  reverts: Whole;
  paused_until: Whole;
}

/** See recorded-participants.ts. */
export interface ParticipantTable {
  name: string;
}

export const failureWatches = table("failure_watches", {
  settlementId: text(),
  chainId: smallInteger<ChainId>(),
  failedAt: integer(),
  expiresAt: integer(),
  nextLookAt: integer(),
});

/**
 * - `half`, `network`: gas of a half of the budget, and of one caller network in it; buckets.
 * - `spent`, `count`: USDC and settlements of a payer, by parts of the window.
 * - `noted`: a payment that `/verify` found valid while the budget was tight.
 * - `proven`: a payee from a day on, which is the slot.
 * - `reverted`: gas of a half of the budget that contract wallets burn by reverting; a bucket.
 * - `proven_payer`: a contract wallet from a day on, which is the slot.
 */
export type CounterKind =
  | "half"
  | "network"
  | "spent"
  | "count"
  | "noted"
  | "proven"
  | "reverted"
  | "proven_payer";

export const counterTable = table("keyless_counters", {
  chainId: smallInteger<ChainId>(),
  kind: text<CounterKind>(),
  name: text(),
  slot: integer(),
  amount: integer(),
  hour: integer(),
  refill: integer(),
  expiresAt: integer(),
});

/** The refunds of a payment, in the order of their nonces. */
export interface RefundTable {
  refund_id: string;
  settlement_id: string;
  ordinal: number;
}

export interface RevertedGasReservationTable {
  settlement_id: string;
  half: GasHalf;
  gwei: Whole;
}

/** The engine's tables. A feature adds its own by declaration merging. */
export interface Tables {
  settlements: SettlementTable;
  relayer_transactions: RelayerTransactionTable;
  /** A view. */
  all_transactions: AllTransactionsTable;
  /** By months, on PostgreSQL only. */
  closed_transactions: AllTransactionsTable;
  transaction_settlements: TransactionSettlementTable;
  lanes: LaneTable;
  settlement_claims: SettlementClaimRow;
  payment_identifiers: PaymentIdentifierTable;
  payer_pauses: PayerPauseTable;
  keyless_counters: KyselyTable<typeof counterTable>;
  reverted_gas_reservations: RevertedGasReservationTable;
  failure_watches: KyselyTable<typeof failureWatches>;
  refunds: RefundTable;
  participants: ParticipantTable;
}

/** As {@link settlementColumns} select it. */
export type SettlementRow = Omit<
  Selectable<SettlementTable>,
  "earlier_failure" | "earlier_failure_message"
>;
