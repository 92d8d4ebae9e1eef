/** The engine's database, for the stores of features. */
export type { ClosedTransactionMethods } from "./storage/closed-transactions.ts";
export {
  dropMonth,
  hasMonths,
  hasParts,
  listMonths,
  prepareMonths,
  restOf,
} from "./storage/postgres/months.ts";
export { readContractGas } from "./storage/contract-gas.ts";
export { sqlitePathOf } from "./storage/sqlite/sqlite-path.ts";
export {
  databaseLocation,
  explainDatabaseError,
  poolerAdvice,
  readOnlyProblem,
} from "./storage/database-problem.ts";
export {
  type Database,
  type DatabaseDialect,
  type ServerReport,
  atomic,
  inTransaction,
  patiently,
  textList,
  type IdType,
  type Work,
} from "./storage/dialect.ts";
export type {
  ClaimResult,
  EngineStore,
  Failure,
  WalletLeaseStore,
} from "./storage/engine-store.ts";
export type { ExchangeStore } from "./storage/exchange-store.ts";
export { type WalletReport, type StoreReport, inspectStore } from "./storage/inspect-store.ts";
export { type UpgradeReport, inspectUpgrade } from "./storage/inspect-upgrade.ts";
export {
  type CounterEntry,
  type CounterName,
  type Counters,
  bucketMs,
  keylessLock,
  lowerCounters,
  pruneCounters,
  raiseCounters,
  readCounters,
} from "./storage/keyless-counters.ts";
export { newerVersionProblem } from "./storage/other-versions.ts";
export { hasLateIndex, lateIndexes } from "./storage/late-indexes.ts";
export type { Migrations } from "./storage/migrate.ts";
export {
  type EngineStores,
  type Storage,
  type StorageOptions,
  createStorage,
  guard,
} from "./storage/open-storage.ts";
export {
  type AnnotationChanges,
  type ClaimDenial,
  type EngineTransaction,
  type PruneReview,
  type PruneTransaction,
  type SettlementParticipant,
  type Transition,
  createLocal,
  unchanged,
} from "./storage/participant.ts";
export { nothing, type RetentionMethods, type RetirementCursor } from "./storage/retention.ts";
export { burnedGasOf } from "./storage/reverted-gas.ts";
export { numberOrNull } from "./storage/rows.ts";
export * from "./storage/table.ts";
export * from "./storage/schema.ts";
export { listed, settlements } from "./storage/settlements.ts";
export { type BackUp, backUpSqlite } from "./storage/sqlite/back-up.ts";
export { fileMode } from "./storage/sqlite/private-file.ts";
export * from "./storage/pages.ts";
export type { OpenSettlements, StateMethods } from "./storage/store-state.ts";
export { createReadServer, type ReadServer } from "./storage/read-server.ts";
