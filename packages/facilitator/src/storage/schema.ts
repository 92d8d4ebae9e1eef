/**
 * The tables, as Kysely types. Addresses, nonces and hashes are lower-case text; amounts and wei
 * are decimal text, since they may pass 64 bits; times are milliseconds since 1970.
 */
import type { Generated, Selectable } from "kysely";

export interface SettlementTable {
  id: string;
  chain_id: number;
  asset: string;
  payer: string;
  nonce: string;
  pay_to: string;
  amount: string;
  valid_after: string;
  valid_before: string;
  signature: string;
  payer_has_code: number;
  seen_unused_at: number;
  network_name: string;
  key_id: string | null;
  state: string;
  /** The relayer transaction that carries it; set with the nonce, cleared when that one is dropped. */
  transaction_id: number | null;
  transaction_hash: string | null;
  block_number: number | null;
  block_hash: string | null;
  log_index: number | null;
  settled_by: string | null;
  failure: string | null;
  failure_message: string | null;
  credits: number;
  created_at: number;
  submitted_at: number | null;
  confirmed_at: number | null;
  finalized_at: number | null;
  failed_at: number | null;
}

export interface RelayerTransactionTable {
  id: Generated<number>;
  chain_id: number;
  lane: string;
  nonce: number;
  to_address: string;
  data: string;
  gas_limit: string;
  gas_price: string;
  raw: string | null;
  hash: string | null;
  state: string;
  created_at: number;
  sent_at: number | null;
}

/** Which settlements a transaction carries: a batch carries many, a replaced one shares them. */
export interface TransactionSettlementTable {
  transaction_id: number;
  settlement_id: string;
}

export interface LaneTable {
  chain_id: number;
  lane: string;
  next_nonce: number;
  lease_owner: string | null;
  lease_until: number;
  fence: number;
}

export interface AccountTable {
  address: string;
  /** `active`, or `inactive` after the operator deactivated it. */
  plan: string;
  created_at: number;
}

export interface ApiKeyTable {
  id: string;
  account: string;
  mode: string;
  label: string;
  hash: string;
  last_four: string;
  created_at: number;
  last_used_at: number | null;
  expires_at: number | null;
  revoked_at: number | null;
}

export interface Tables {
  settlements: SettlementTable;
  relayer_transactions: RelayerTransactionTable;
  transaction_settlements: TransactionSettlementTable;
  lanes: LaneTable;
  accounts: AccountTable;
  api_keys: ApiKeyTable;
}

export type SettlementRow = Selectable<SettlementTable>;
export type RelayerTransactionRow = Selectable<RelayerTransactionTable>;
export type ApiKeyRow = Selectable<ApiKeyTable>;
