/** The gateway as a library: a reverse proxy that charges for the routes of an API. */
export {
  GatewayConfigError,
  loadGatewayConfig,
  readGatewayConfig,
  type ConfigProblem,
  type DiscoveryConfig,
  type FacilitatorPlace,
  type GatewayConfig,
  type ListenAddress,
  type PassedHeader,
  type RouteConfig,
  type SettleMode,
  type UpstreamConfig,
} from "./configuration.ts";
export type { Environment } from "./secret-texts.ts";
export { startGateway, type Gateway, type GatewayOptions } from "./gateway.ts";
export { createGatewayLog, type Log } from "./log.ts";
export { facilitatorInside, type Engine } from "./inside.ts";
export { watchFile, type FileWatch } from "./watch-file.ts";
