/** The gateway's own endpoints, before any rule: health, readiness and what it sells. */
import { isAtRest, type Facilitator } from "@farthing/seller";
import type { GatewayConfig } from "./configuration/configuration.ts";
import { withCors } from "./headers/cors.ts";
import type { Incoming } from "./incoming.ts";
import { openApiDocument, wellKnownDocument } from "./openapi/openapi-document.ts";
import { errorResponse } from "./error-response.ts";

/** By then another process serves in the place of a gateway that stops. */
const stoppingRetrySeconds = 5;

export function createBuiltInEndpoints(
  config: GatewayConfig,
  facilitators: readonly Facilitator[] = [],
) {
  const openApi = JSON.stringify(openApiDocument(config));
  const wellKnown = JSON.stringify(wellKnownDocument(config));
  /** Returns undefined for every other path and method. */
  return ({ method, path }: Pick<Incoming, "method" | "path">, isStopping: boolean) => {
    if (method !== "GET" && method !== "HEAD") return undefined;
    switch (path) {
      case "/__x402/health":
        return tell(JSON.stringify({ status: "ok", ...statesOf(facilitators) }));
      case "/__x402/ready":
        return isStopping
          ? errorResponse(503, "stopping", "The gateway is being stopped.", {
              retryAfterSeconds: stoppingRetrySeconds,
            })
          : tell('{"status":"ready"}');
      case "/openapi.json":
        return tell(openApi);
      case "/.well-known/x402":
        return config.discovery.wellKnown ? tell(wellKnown) : undefined;
      default:
        return undefined;
    }
  };
}

/** Names several facilitators: a gateway with one has nothing to choose from. */
function statesOf(facilitators: readonly Facilitator[]) {
  if (facilitators.length < 2) return {};
  const states = facilitators.map((one) => ({
    name: one.name,
    status: isAtRest(one) ? "failing" : "available",
  }));
  return { facilitators: states };
}

function tell(json: string): Response {
  const headers = { "Content-Type": "application/json", "Cache-Control": "no-cache" };
  return withCors(new Response(json, { headers }));
}
