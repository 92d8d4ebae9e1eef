/**
 * Audits: what the chain says, what the facilitator stored and what its callers were told, read
 * beside the service and compared.
 */
export { audit } from "./audit.ts";
export type { Evidence, Violation } from "./evidence.ts";
export { auditBalances } from "./audit-balances.ts";
export { auditChannels, type ChannelUse } from "./audit-channels.ts";
export { auditRefunds, type RefundableSale } from "./audit-refunds.ts";
export { listUnstored, type Loss } from "./audit-losses.ts";
export type { PriceStep, SeenBlock } from "./audit-prices.ts";
export type { Submission } from "./audit-sends.ts";
export { wordsOf, type CallerResponse } from "./caller-response.ts";
export {
  finalDepth,
  pairOf,
  readLedger,
  readRelayed,
  type Ledger,
  type LedgerEntry,
} from "./chain-ledger.ts";
export { readChannelLedger, type ChannelAccount, type ChannelLedger } from "./channel-ledger.ts";
export {
  readPostgresRows,
  readSqliteRows,
  unrest,
  type Stored,
  type StoredSettlement,
  type StoredTransaction,
} from "./stored-rows.ts";
