import type { GatewayConfig, RouteConfig } from "./configuration.ts";

/** Returns the rules in the order they are tried, with `default` last if it serves anything. */
export function allRoutes({
  routes,
  fallback,
}: Pick<GatewayConfig, "routes" | "fallback">): readonly RouteConfig[] {
  return fallback ? [...routes, fallback] : routes;
}
