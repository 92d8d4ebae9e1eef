/**
 * The request that a proxy asks about. nginx, Caddy and Traefik describe it in headers; Envoy sends its
 * method and host, and its address below that of the endpoint.
 */
import { isPlainHost } from "@farthing/seller";
import { errorResponse } from "../error-response.ts";
import { canonicalName, overrideHeaders } from "../headers/header-rules.ts";
import type { Incoming } from "../incoming.ts";
import { canonicalPath, splitTarget, type PathRules } from "../routing/canonical-path.ts";
import { malformedTarget } from "../server.ts";

export const authorizePath = "/__x402/authorize";

/** Returns the request as if it had come here, without a body; a response refuses it. */
export function readAskedRequest(question: Incoming, rules: PathRules): Incoming | Response {
  const override = Object.keys(question.headers).find((name) =>
    overrideHeaders.includes(canonicalName(name)),
  );
  if (override !== undefined) {
    const message = `Send no header ${override}; the proxy's server could serve another address for it.`;
    return errorResponse(400, "malformed_request", message);
  }
  const isBelow = question.path !== authorizePath;
  const asked = isBelow ? askedBelow(question) : askedInHeaders(question.headers, rules);
  if (asked instanceof Response) return asked;
  return {
    ...question,
    ...asked,
    hasBody: false,
    contentLength: undefined,
    readBody: async () => new Uint8Array(),
    openBody: () => undefined,
  };
}

type Asked = Pick<Incoming, "method" | "host" | "path" | "target" | "rawTarget">;

/** The path is canonical already, as a part of one that is. */
function askedBelow({ method, host, path, target, rawTarget }: Incoming): Asked {
  const below = authorizePath.length;
  return {
    method,
    host,
    path: path.slice(below),
    target: target.slice(below),
    rawTarget: rawTarget.slice(below),
  };
}

function askedInHeaders(headers: Incoming["headers"], rules: PathRules): Asked | Response {
  const [method, host, raw] = ["x-forwarded-method", "x-forwarded-host", "x-forwarded-uri"].map(
    (name) => headers[name],
  );
  if (typeof method !== "string" || typeof host !== "string" || typeof raw !== "string") {
    const message =
      "The proxy must send X-Forwarded-Method, X-Forwarded-Host and X-Forwarded-Uri, the request target as it came.";
    return errorResponse(400, "malformed_request", message);
  }
  const target = splitTarget(raw);
  const path = target && canonicalPath(target.path, rules);
  if (!target || path === undefined || !isPlainHost(host)) return malformedTarget();
  return { method, host, path, target: path + target.query, rawTarget: raw };
}
