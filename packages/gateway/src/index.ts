/**
 * The gateway as a library: a reverse proxy that charges for the routes of an API.
 * @packageDocumentation
 */
export type * from "./configuration/configuration.ts";
export { nameOfFacilitator } from "./configuration/configuration.ts";
export {
  GatewayConfigError,
  loadGatewayConfig,
  readGatewayConfig,
  type ConfigProblem,
} from "./configuration/read-configuration.ts";
export {
  readOneUpstream,
  writeOneUpstreamFile,
  type OneUpstream,
  type OneUpstreamSetting,
} from "./configuration/one-upstream.ts";
export type { ListenAddress } from "./configuration/parse-setting.ts";
export type { Environment } from "./configuration/secret-texts.ts";
export { openGatewayChannels, type GatewayChannels } from "./claim-channels.ts";
export { startGateway, type Gateway, type GatewayOptions } from "./gateway.ts";
export { gatewayErrors, isRetryable } from "./error-response.ts";
export type { DirectoryFetch, FetchDirectory } from "./callers/fetch-directory.ts";
export type { RequestStep } from "./respond.ts";
export { createGatewayLog, type Log } from "./log.ts";
export { inProcessFacilitator, type Engine } from "./facilitators.ts";
export { watchFile, type FileWatch } from "./watch-file.ts";
export { findWarnings, listRules, type RuleLine } from "./inspection/check.ts";
export { checkOnline, checkServices } from "./inspection/check-online.ts";
export {
  explainRequest,
  type AskingCaller,
  type AskedRequest,
  type RequestExplanation,
} from "./inspection/explain.ts";
export { readyLine } from "@farthing/seller";
export type { Finding } from "./inspection/finding.ts";
export { importApi } from "./import/import-document.ts";
export {
  compareImport,
  writeGatewayFile,
  type ImportChoices,
  type ImportDifference,
} from "./import/import-file.ts";
export { readPrices, type ImportPrices } from "./import/import-prices.ts";
export { ImportError, type ImportedApi, type ImportedRoute } from "./import/imported-api.ts";
export { gatewaySchema, publishedSchema } from "./configuration/configuration-schema.ts";
export type { Schema } from "./configuration/read-settings.ts";
export { gatewayMetricTable, type GatewayMetric } from "./metrics-table.ts";
