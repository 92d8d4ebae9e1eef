/** The facilitator as a library: it reads a configuration, starts, stops, and manages API keys. */
export { authenticate, createApiKey, type NewApiKey } from "./features/api-keys/key-text.ts";
export {
  type CheckLine,
  type CheckStatus,
  systemClock,
  type Clock,
  Fault,
  type FaultCode,
  createLog,
  silentLog,
  type Log,
  type LogLevel,
} from "@farthing/engine/base";
export { settings, type Setting } from "./config/settings-table.ts";
export { readConfig, readDatabaseUrl, type Config, type ConfigSource } from "./config/config.ts";
export { examine, type CheckSection } from "./operations/doctor.ts";
export { recoverLost } from "./operations/recover.ts";
export { examineUpgrade } from "./operations/upgrade.ts";
export { deployBatcher } from "./operations/deploy-batcher.ts";
export {
  type RelayerReport,
  type SweptNetwork,
  type WalletStatus,
  readRelayerReport,
  sweepRelayer,
  walletAddressOf,
} from "./operations/relayer-wallets.ts";
export { startFacilitator, type Facilitator, type StartOptions } from "./app.ts";
export { versionOf } from "./payment-wiring.ts";
export { permissions, roleNames, roles } from "./http/access/permissions.ts";
export { problemTable } from "./http/messages/responses.ts";
export { serve } from "./main.ts";
export { metricTable, type Metric } from "./operations/metrics-table.ts";
export type { Account, Plan } from "./features/accounts/model.ts";
export type { ApiKey } from "./features/api-keys/model.ts";
export type { KeyMode } from "./http/access/request-key.ts";
export type { CreditBalance } from "./features/credits/model.ts";
export type { CreditPurchase } from "./features/purchases/model.ts";
export type { Listing } from "./features/listings/model.ts";
export { openStore, type ServiceStore } from "./features/open-store.ts";
export { backUpSqlite, type BackUp } from "@farthing/engine/storage";
