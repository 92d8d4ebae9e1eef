/** Whether a header passes the gateway. CGI, WSGI and PHP read `_` and `-` in names as equal. */
import type { PassedHeader, RouteConfig } from "../configuration/configuration.ts";
import {
  addedHeaders,
  clientCredentials,
  forwardedHeaders,
  hopByHop,
  overrideHeaders,
  ownPrefixes,
  partialHeaders,
  paymentHeaders,
} from "./header-rules.ts";

export interface RequestRule {
  readonly isPaid: boolean;
  readonly pass: ReadonlySet<PassedHeader>;
  /** Names that the configuration sets; a client cannot. */
  readonly configured: ReadonlySet<string>;
}

export function requestRule({ upstream, amountUnits, pass }: RouteConfig): RequestRule {
  const configured = new Set([...upstream.headers.keys()].map(canonicalName));
  return { isPaid: amountUnits !== undefined, pass, configured };
}

/** Written for each call, or handled by the gateway's HTTP server. */
const ownHeaders = ["host", "content-length", "expect"];

const neverToUpstream = new Set([
  ...ownHeaders,
  ...hopByHop,
  ...paymentHeaders,
  ...overrideHeaders,
  ...forwardedHeaders,
  ...addedHeaders,
  // Belongs to `traceparent`, which is written anew.
  "tracestate",
]);
const credentials = new Set<string>(clientCredentials);
const partial = new Set(partialHeaders);

/** Headers of the connection; and `alt-svc` would lead clients around the gateway. */
const neverToClient = new Set([...hopByHop, "alt-svc", "x-payment"]);

export function isPassedToUpstream(name: string, rule: RequestRule): boolean {
  const known = canonicalName(name);
  if (neverToUpstream.has(known) || isOurs(known) || rule.configured.has(known)) return false;
  if (credentials.has(known)) return [...rule.pass].some((one) => one === known);
  return !(rule.isPaid && partial.has(known));
}

/** Whether an upstream's header goes to the client: no receipts, cookies if configured. */
export function isPassedToClient(name: string, pass: ReadonlySet<PassedHeader>): boolean {
  const known = canonicalName(name);
  if (known === "set-cookie") return pass.has("set-cookie");
  return known !== "set-cookie2" && !neverToClient.has(known) && !isOurs(known);
}

/** Returns the headers that `Connection` names, which belong to that connection as well. */
export function namedInConnection(value: string | readonly string[] | undefined): Set<string> {
  const text = typeof value === "string" ? value : (value ?? []).join(",");
  return new Set(text.split(",").map((name) => name.trim().toLowerCase()));
}

function isOurs(name: string): boolean {
  return ownPrefixes.some((prefix) => name.startsWith(prefix));
}

function canonicalName(name: string): string {
  return name.toLowerCase().replaceAll("_", "-");
}
