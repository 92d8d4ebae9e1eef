/** The facilitator as a library: read a configuration, start it, stop it; manage API keys. */
export { authenticate, createApiKey, type NewApiKey } from "./accounts/api-keys.ts";
export type { CheckLine, CheckStatus } from "./base/check-line.ts";
export { systemClock, type Clock } from "./base/clock.ts";
export { Fault, type FaultCode } from "./base/fault.ts";
export { createLog, silentLog, type Log, type LogLevel } from "./base/log.ts";
export { settings } from "./config-table.ts";
export { readConfig, readDatabaseUrl, type Config, type ConfigSource } from "./config.ts";
export { examine, type CheckSection } from "./doctor.ts";
export { startFacilitator, versionOf, type Facilitator, type StartOptions } from "./facilitator.ts";
export { serve } from "./main.ts";
export { metricTable, type Metric } from "./metrics-table.ts";
export type { Account, Plan } from "./model/account.ts";
export type { ApiKey, KeyMode } from "./model/api-key.ts";
export type { CreditBalance, CreditPurchase } from "./model/credits.ts";
export type { Listing } from "./model/listing.ts";
export { openStore } from "./storage/open-store.ts";
export { backUpSqlite, type BackUp } from "./storage/sqlite/back-up.ts";
export type { Store } from "./storage/store.ts";
