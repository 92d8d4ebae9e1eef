/**
 * The tables, as Kysely types. Addresses, nonces and hashes are lower-case text; amounts and wei
 * are decimal text, since they may pass 64 bits; times are milliseconds since 1970.
 */
import type { Address, ChainId, Hex, RefusalCode } from "@farthing/protocol";
import type { ColumnType, Insertable, Selectable } from "kysely";
import type { Whole, WholeOrNull } from "./columns.ts";
import type { KeylessCounterTable, RevertedGasReservationTable } from "./keyless-schema.ts";
import type { TransactionState } from "../model/relayer-transaction.ts";
import type { SettlementState } from "../model/settlement.ts";

export interface SettlementTable {
  id: string;
  chain_id: ChainId;
  asset: Address;
  payer: Address;
  nonce: Hex;
  pay_to: Address;
  amount: string;
  valid_after: string;
  valid_before: string;
  signature: Hex;
  payer_has_code: number;
  seen_unused_at: Whole;
  network_name: string;
  key_id: string | null;
  state: SettlementState;
  /** The relayer transaction that carries it; set with the nonce, cleared when that one is dropped. */
  transaction_id: WholeOrNull;
  transaction_hash: Hex | null;
  block_number: WholeOrNull;
  block_hash: Hex | null;
  log_index: number | null;
  settled_by: "relayer" | "other" | null;
  failure: RefusalCode | null;
  failure_message: string | null;
  credits: Whole;
  created_at: Whole;
  submitted_at: WholeOrNull;
  confirmed_at: WholeOrNull;
  finalized_at: WholeOrNull;
  failed_at: WholeOrNull;
  /** The account of its key, which pays for it. */
  account: Address | null;
  request_id: string | null;
}

/** Every column, by name: what is read stays the same when a newer version adds one. */
export const settlementColumns = [
  "settlements.id",
  "settlements.chain_id",
  "settlements.asset",
  "settlements.payer",
  "settlements.nonce",
  "settlements.pay_to",
  "settlements.amount",
  "settlements.valid_after",
  "settlements.valid_before",
  "settlements.signature",
  "settlements.payer_has_code",
  "settlements.seen_unused_at",
  "settlements.network_name",
  "settlements.key_id",
  "settlements.state",
  "settlements.transaction_id",
  "settlements.transaction_hash",
  "settlements.block_number",
  "settlements.block_hash",
  "settlements.log_index",
  "settlements.settled_by",
  "settlements.failure",
  "settlements.failure_message",
  "settlements.credits",
  "settlements.created_at",
  "settlements.submitted_at",
  "settlements.confirmed_at",
  "settlements.finalized_at",
  "settlements.failed_at",
  "settlements.account",
  "settlements.request_id",
] as const;

export interface RelayerTransactionTable {
  id: ColumnType<number | string, never, never>;
  chain_id: ChainId;
  lane: Address;
  nonce: Whole;
  to_address: Address;
  data: Hex;
  gas_limit: string;
  gas_price: string;
  raw: Hex | null;
  hash: Hex | null;
  state: TransactionState;
  created_at: Whole;
  sent_at: WholeOrNull;
  /** Where it was mined; what a reorganisation takes away is found by it. */
  block_number: WholeOrNull;
  /** From its receipt: gas, and wei per gas. */
  gas_used: ColumnType<number | string | null, number | null | undefined, number | null>;
  gas_price_paid: ColumnType<string | null, string | null | undefined, string | null>;
}

export const transactionColumns = [
  "relayer_transactions.id",
  "relayer_transactions.chain_id",
  "relayer_transactions.lane",
  "relayer_transactions.nonce",
  "relayer_transactions.to_address",
  "relayer_transactions.data",
  "relayer_transactions.gas_limit",
  "relayer_transactions.gas_price",
  "relayer_transactions.state",
  "relayer_transactions.raw",
  "relayer_transactions.hash",
] as const;

/** Which settlements a transaction carries: a batch carries many, a replaced one shares them. */
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
  /** The process that has asked for the lane. */
  wanted_by: string | null;
}

/** The call that claimed a settlement, and who tells its success. */
export interface SettlementClaimRow {
  settlement_id: string;
  caller_hash: string | null;
  key_hash: string | null;
  is_upfront: number;
  has_several: number;
  success_told_to: string | null;
  /** When that last changed, or the claiming call ended without telling the success. */
  success_moved_at: number | string | null;
}

/** An identifier of a buyer, and the payment that it stands for; both as hashes. */
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

/** A participant in settlements; see recorded-participants.ts. */
export interface ParticipantTable {
  name: string;
}

export interface FailureWatchTable {
  settlement_id: string;
  chain_id: ChainId;
  failed_at: Whole;
  expires_at: Whole;
  next_look_at: Whole;
}

/** The engine's tables. A feature adds its own by declaration merging. */
export interface Tables {
  settlements: SettlementTable;
  relayer_transactions: RelayerTransactionTable;
  transaction_settlements: TransactionSettlementTable;
  lanes: LaneTable;
  settlement_claims: SettlementClaimRow;
  payment_identifiers: PaymentIdentifierTable;
  payer_pauses: PayerPauseTable;
  keyless_counters: KeylessCounterTable;
  reverted_gas_reservations: RevertedGasReservationTable;
  failure_watches: FailureWatchTable;
  participants: ParticipantTable;
}

/** What a new settlement has; the rest is null until it happens. */
export const newSettlementNames = [
  "id",
  "chain_id",
  "asset",
  "payer",
  "nonce",
  "pay_to",
  "amount",
  "valid_after",
  "valid_before",
  "signature",
  "payer_has_code",
  "seen_unused_at",
  "network_name",
  "key_id",
  "state",
  "credits",
  "created_at",
  "account",
  "request_id",
] as const;

export type NewSettlementRow = Pick<
  Insertable<SettlementTable>,
  (typeof newSettlementNames)[number]
>;
export type SettlementRow = Selectable<SettlementTable>;
export type RelayerTransactionRow = Selectable<RelayerTransactionTable>;
