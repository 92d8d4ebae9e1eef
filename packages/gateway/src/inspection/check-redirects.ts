/** Finds redirects on routes that settle after success: a sold address can be passed on. */
import { isObject, type JsonObject } from "@farthing/protocol";
import { allRoutes, type GatewayConfig, type RouteConfig } from "../configuration/configuration.ts";
import { basePathOf, operationsOf, patternOf } from "../openapi/openapi-operations.ts";
import { rulesFor } from "../routing/route-overlap.ts";
import { fixedPathOf } from "./sample-path.ts";
import { nameOf, warn, type Finding } from "./finding.ts";

/** Requests at most, one for each route: enough to see redirects of one kind. */
const maxAskedRoutes = 20;

/** Finds redirects in the upstream's own OpenAPI document, without a request. */
export function findDocumentedRedirects(config: GatewayConfig): readonly Finding[] {
  const source = config.discovery.openapi;
  if (!source) return [];
  const base = basePathOf(source);
  const found = operationsOf(source).flatMap(({ path, method, operation }) => {
    if (!hasRedirect(operation)) return [];
    const pattern = patternOf(method, base + path);
    return typeof pattern === "string" ? [] : rulesFor(config, pattern).filter(passesRedirects);
  });
  return [...new Set(found)].map((route) =>
    warningOf(route, "may be answered with a redirect, as the OpenAPI document says"),
  );
}

/** Sends HEAD requests for routes with a fixed path; follows nothing. */
export async function checkRedirects(config: GatewayConfig): Promise<readonly Finding[]> {
  const asked = allRoutes(config)
    .filter(passesRedirects)
    .flatMap((route) => {
      const path = fixedPathOf(config, route);
      return path === undefined ? [] : [{ route, path }];
    });
  const found = await Promise.all(
    asked.slice(0, maxAskedRoutes).map(async ({ route, path }) => {
      const status = await redirectAt(route, path);
      return status === undefined
        ? []
        : [warningOf(route, `is answered with a redirect (${status})`)];
    }),
  );
  return found.flat();
}

/** Whether a redirect of the route's upstream reaches the buyer. */
function passesRedirects({ amountUnits, settle, redirects }: RouteConfig): boolean {
  return amountUnits !== undefined && settle === "after-success" && redirects === "charge";
}

/** Returns the status of a redirect; undefined for any other response. */
async function redirectAt({ upstream }: RouteConfig, path: string): Promise<number | undefined> {
  try {
    const { status, headers } = await fetch(upstream.url + path, {
      method: "HEAD",
      headers: Object.fromEntries(upstream.headers),
      redirect: "manual",
      signal: AbortSignal.timeout(upstream.timeouts.headersMs),
    });
    return status >= 300 && status <= 399 && headers.has("Location") ? status : undefined;
  } catch {
    // Another check covers unreachable upstreams.
    return undefined;
  }
}

function hasRedirect({ responses }: JsonObject): boolean {
  return isObject(responses) && Object.keys(responses).some((status) => /^30[12378]$/.test(status));
}

function warningOf(route: RouteConfig, text: string): Finding {
  const consequence = "the buyer pays, and anyone may use the address";
  const fix = "let the upstream send the content itself, or set redirects: withhold";
  return warn(nameOf(route), `${text}: ${consequence}`, fix);
}
