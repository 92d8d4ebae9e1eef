import type { GatewayConfig, RouteConfig } from "../configuration/configuration.ts";
import { compileRoutes } from "../routing/route-table.ts";

/** Stands for a parameter. */
const sample = "farthing-check";

/** Returns the only path of a GET route; undefined when there are several, or none. */
export function fixedPathOf(config: GatewayConfig, route: RouteConfig): string | undefined {
  const { segments, hasRest } = route.pattern;
  const isFixed = !hasRest && segments.every(({ kind }) => kind === "literal");
  return isFixed ? samplePathOf(config, route) : undefined;
}

/** Returns a path of a GET route under the public address; undefined when there is none. */
export function samplePathOf(config: GatewayConfig, route: RouteConfig): string | undefined {
  const path = route.pattern.path
    .split("/")
    .map((part) => (part === "*" || part.startsWith(":") ? sample : part))
    .join("/");
  const { host } = new URL(config.publicUrl);
  const match = compileRoutes(config).match("GET", route.host ?? host, path);
  return match.kind === "route" && match.route === route ? path : undefined;
}
