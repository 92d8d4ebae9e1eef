/** The rules of a configuration together with what every other path does. */
import type { GatewayConfig, RouteConfig } from "./configuration.ts";

/** In the order they are tried: `default` comes last, where it serves anything. */
export function allRoutes({
  routes,
  fallback,
}: Pick<GatewayConfig, "routes" | "fallback">): readonly RouteConfig[] {
  return fallback ? [...routes, fallback] : routes;
}
