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
  type RouteConfig,
  type SettleMode,
  type UpstreamConfig,
} from "./configuration.ts";
export type { Environment } from "./secret-texts.ts";
