/** The tables of accounts, as Kysely types; how values are written stands in schema.ts. */
import type { Address, ChainId, Hex } from "@farthing/protocol";
import type { ColumnType, Insertable, Selectable } from "kysely";
import type { KeyMode } from "./api-keys/model.ts";
import type { WalletKind } from "@farthing/engine";
import type { Plan, SignPurpose } from "./accounts/model.ts";
import type { CreditEntryKind, HoldReason, PurchaseState } from "./credits/model.ts";
import type { CheckReason, ListingMethod, ListingState } from "./listings/model.ts";
import type { DeliveryState, DeliveryType } from "./webhooks/model.ts";
import type { Whole, WholeOrNull } from "@farthing/engine/storage";

/** A column that a new row leaves empty. */
type Later<T> = ColumnType<T | null, T | null | undefined, T | null>;
type LaterWhole = ColumnType<number | string | null, number | null | undefined, number | null>;

export interface AccountTable {
  address: Address;
  plan: Plan;
  created_at: Whole;
  low_credits_at: LaterWhole;
  label: ColumnType<string, string | undefined, string>;
  contract_chain_id: Later<ChainId>;
}

export interface ApiKeyTable {
  id: string;
  account: Address;
  mode: KeyMode;
  label: string;
  hash: string;
  last_four: string;
  created_at: Whole;
  last_used_at: WholeOrNull;
  expires_at: WholeOrNull;
  revoked_at: WholeOrNull;
  /** The key that was made in its place; from then on its end is that of the overlap. */
  replaced_by: ColumnType<string | null, string | null | undefined, string | null>;
}

export interface AccountWalletTable {
  account: Address;
  address: Address;
  kind: WalletKind;
  chain_id: ChainId | null;
  linked_at: Whole;
}

export interface SignRequestTable {
  id: string;
  purpose: SignPurpose;
  address: Address;
  chain_id: ChainId;
  account: Address | null;
  message: string;
  binding: string;
  details: string;
  created_at: Whole;
  expires_at: Whole;
}

export interface SessionTable {
  id_hash: string;
  id: string;
  account: Address;
  wallet: Address;
  wallet_kind: WalletKind;
  chain_id: ChainId;
  created_at: Whole;
  last_seen_at: Whole;
  expires_at: Whole;
  revoked_at: WholeOrNull;
}

/** Kept by a trigger: nobody else writes it. */
export interface CreditBalanceTable {
  account: ColumnType<Address, never, never>;
  balance: ColumnType<number | string, never, never>;
}

/** What an account's removed entries came to; kept by a trigger. */
export interface CreditClosingTable {
  account: ColumnType<Address, never, never>;
  credits: ColumnType<number | string, never, never>;
  entries: ColumnType<number | string, never, never>;
}

/** Only ever added to; removed with their settlement. */
export interface CreditEntryTable {
  id: ColumnType<number | string, never, never>;
  account: ColumnType<Address, Address, never>;
  kind: ColumnType<CreditEntryKind, CreditEntryKind, never>;
  credits: ColumnType<number | string, number, never>;
  settlement_id: ColumnType<string | null, string | null, never>;
  /** Counts the entries of a settlement from 1; null for other entries. */
  step: ColumnType<number | null, number | null, never>;
  purchase_id: ColumnType<string | null, string | null, never>;
  actor: ColumnType<string | null, string | null, never>;
  note: ColumnType<string | null, string | null, never>;
  created_at: ColumnType<number | string, number, never>;
}

export interface CreditPurchaseTable {
  id: string;
  account: Address;
  chain_id: ChainId;
  payer: Address | null;
  credits: Whole;
  units: string;
  state: PurchaseState;
  settlement_id: Later<string>;
  hold_reason: Later<HoldReason>;
  failure_message: Later<string>;
  reviewer: Later<string>;
  review_note: Later<string>;
  transaction_hash: Later<Hex>;
  block_number: LaterWhole;
  log_index: Later<number>;
  /** JSON: `[{ state, at }]`, oldest first. */
  timeline: string;
  created_at: Whole;
  expires_at: Whole;
  updated_at: Whole;
  credited_at: LaterWhole;
}

export interface WebhookEndpointTable {
  id: string;
  account: Address;
  url: string;
  secret: string;
  /** JSON: the names of events. */
  events: string;
  created_at: Whole;
  disabled_at: WholeOrNull;
  paused_at: WholeOrNull;
  /** When it was made or went on: what failed before does not count. */
  watched_since: Whole;
}

export interface WebhookDeliveryTable {
  id: string;
  endpoint_id: string;
  account: Address;
  type: DeliveryType;
  body: string;
  state: DeliveryState;
  attempts: number;
  next_at: Whole;
  last_status: Later<number>;
  last_error: Later<string>;
  created_at: Whole;
  delivered_at: LaterWhole;
}

export interface ListingTable {
  id: string;
  account: Address;
  resource: string;
  /** Host and port of the resource. */
  host: string;
  method: ListingMethod;
  chain_id: ChainId;
  amount: string;
  title: string;
  description: string;
  /** JSON: texts. */
  tags: string;
  mime_type: string | null;
  /** JSON. */
  sample: string;
  search_text: string;
  state: ListingState;
  checked_at: WholeOrNull;
  tried_at: WholeOrNull;
  passed_at: WholeOrNull;
  next_at: Whole;
  failures: number;
  reason: CheckReason | null;
  message: string;
  /** JSON: `[{ field, advertised, seen }]`. */
  differences: string;
  /** JSON: the challenge as it was seen last. */
  seen: string | null;
  lease_until: Whole;
  fence: Whole;
  settlements_30d: Whole;
  units_30d: string;
  payers_30d: Whole;
  last_settled_at: WholeOrNull;
  created_at: Whole;
  updated_at: Whole;
}

/** A word of a listing that the public sees: it is found by how the word begins. */
export interface ListingWordTable {
  word: string;
  listing_id: string;
}

export type AccountRow = Selectable<AccountTable>;
export type AccountWalletRow = Selectable<AccountWalletTable>;
export type SignRequestRow = Selectable<SignRequestTable>;
export type SessionRow = Selectable<SessionTable>;
export type CreditEntryRow = Selectable<CreditEntryTable>;
export type CreditPurchaseRow = Selectable<CreditPurchaseTable>;
export type WebhookEndpointRow = Selectable<WebhookEndpointTable>;
export type ListingRow = Selectable<ListingTable>;
export type WebhookDeliveryRow = Selectable<WebhookDeliveryTable>;
export type ApiKeyRow = Selectable<ApiKeyTable>;
export type NewApiKeyRow = Insertable<ApiKeyTable>;

declare module "@farthing/engine/storage" {
  interface Tables {
    accounts: AccountTable;
    api_keys: ApiKeyTable;
    account_wallets: AccountWalletTable;
    sign_requests: SignRequestTable;
    sessions: SessionTable;
    credit_balances: CreditBalanceTable;
    credit_closings: CreditClosingTable;
    credit_entries: CreditEntryTable;
    credit_purchases: CreditPurchaseTable;
    webhook_endpoints: WebhookEndpointTable;
    webhook_deliveries: WebhookDeliveryTable;
    listings: ListingTable;
    listing_words: ListingWordTable;
  }
}
